// SPDX-License-Identifier: MIT
// Argmax over tiles: two roles, f32 values and i32 indices, folded together; a tie keeps the
// lower index, here the first. All 4 tiles of a group get both.
//
// GIVEN  tile 0 @0: f32 3*32 i32 0*32
// GIVEN  tile 1 @0: f32 7*32 i32 1*32
// GIVEN  tile 2 @0: f32 7*32 i32 2*32
// GIVEN  tile 3 @0: f32 1*32 i32 3*32
// GIVEN  tile 4 @0: f32 1*32 i32 4*32
// GIVEN  tile 5 @0: f32 2*32 i32 5*32
// GIVEN  tile 6 @0: f32 3*32 i32 6*32
// GIVEN  tile 7 @0: f32 4*32 i32 7*32
// GIVEN  tile 8 @0: f32 9*32 i32 8*32
// GIVEN  tile 9 @0: f32 8*32 i32 9*32
// GIVEN  tile 10 @0: f32 7*32 i32 10*32
// GIVEN  tile 11 @0: f32 6*32 i32 11*32
// GIVEN  tile 12 @0: f32 5*32 i32 12*32
// GIVEN  tile 13 @0: f32 5*32 i32 13*32
// GIVEN  tile 14 @0: f32 5*32 i32 14*32
// GIVEN  tile 15 @0: f32 5*32 i32 15*32
// GIVEN  tile 16 @0: f32 0*32 i32 16*32
// GIVEN  tile 17 @0: f32 -1*32 i32 17*32
// GIVEN  tile 18 @0: f32 -2*32 i32 18*32
// GIVEN  tile 19 @0: f32 -3*32 i32 19*32
// GIVEN  tile 20 @0: f32 2*32 i32 20*32
// GIVEN  tile 21 @0: f32 9*32 i32 21*32
// GIVEN  tile 22 @0: f32 4*32 i32 22*32
// GIVEN  tile 23 @0: f32 9*32 i32 23*32
// GIVEN  tile 24 @0: f32 -8*32 i32 24*32
// GIVEN  tile 25 @0: f32 -7*32 i32 25*32
// GIVEN  tile 26 @0: f32 -6*32 i32 26*32
// GIVEN  tile 27 @0: f32 -5*32 i32 27*32
// GIVEN  tile 28 @0: f32 6*32 i32 28*32
// GIVEN  tile 29 @0: f32 6*32 i32 29*32
// GIVEN  tile 30 @0: f32 1*32 i32 30*32
// GIVEN  tile 31 @0: f32 6*32 i32 31*32
// EXPECT tile 0..3 @256: f32 7*32 i32 1*32
// EXPECT tile 4..7 @256: f32 4*32 i32 7*32
// EXPECT tile 8..11 @256: f32 9*32 i32 8*32
// EXPECT tile 12..15 @256: f32 5*32 i32 12*32
// EXPECT tile 16..19 @256: f32 0*32 i32 16*32
// EXPECT tile 20..23 @256: f32 9*32 i32 21*32
// EXPECT tile 24..27 @256: f32 -5*32 i32 27*32
// EXPECT tile 28..31 @256: f32 6*32 i32 28*32

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box1x32 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @argmax() {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c96 = arith.constant 96 : index
    %low_value = arith.constant 0xFF800000 : f32
    %low_empty = tensor.empty() : tensor<1x32xf32>
    %low = linalg.fill ins(%low_value : f32) outs(%low_empty : tensor<1x32xf32>) -> tensor<1x32xf32>
    %none_value = arith.constant 2147483647 : i32
    %none_empty = tensor.empty() : tensor<1x32xi32>
    %none = linalg.fill ins(%none_value : i32) outs(%none_empty : tensor<1x32xi32>) -> tensor<1x32xi32>
    %value_view = ktdp.construct_memory_view %c0, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xf32>
    %value_at = ktdp.construct_access_tile %value_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    %value = ktdp.load %value_at : !ktdp.access_tile<1x32xindex> -> tensor<1x32xf32>
    %index_view = ktdp.construct_memory_view %c32, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xi32>
    %index_at = ktdp.construct_access_tile %index_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xi32> -> !ktdp.access_tile<1x32xindex>
    %index = ktdp.load %index_at : !ktdp.access_tile<1x32xindex> -> tensor<1x32xi32>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<1x32xf32>, tensor<1x32xi32>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %value, %index : tensor<1x32xf32>, tensor<1x32xi32>
    }
    %best:2 = ktdp.inter_tile_reduce(%parts)
        consumer_tiles_per_group = #members,
        identity(%low : tensor<1x32xf32>, %none : tensor<1x32xi32>)
        : !ktdp.tile_future<(tensor<1x32xf32>, tensor<1x32xi32>), groups = #groups> -> (tensor<1x32xf32>, tensor<1x32xi32>)
    {
      ^bb0(%lv: tensor<1x32xf32>, %li: tensor<1x32xi32>, %rv: tensor<1x32xf32>, %ri: tensor<1x32xi32>):
        %keep = arith.cmpf oge, %lv, %rv : tensor<1x32xf32>
        %bv = arith.select %keep, %lv, %rv : tensor<1x32xi1>, tensor<1x32xf32>
        %bi = arith.select %keep, %li, %ri : tensor<1x32xi1>, tensor<1x32xi32>
        ktdp.yield_reduced %bv, %bi : tensor<1x32xf32>, tensor<1x32xi32>
    }
    %values_view = ktdp.construct_memory_view %c64, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xf32>
    %values_at = ktdp.construct_access_tile %values_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %best#0, %values_at : tensor<1x32xf32>, !ktdp.access_tile<1x32xindex>
    %indices_view = ktdp.construct_memory_view %c96, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xi32>
    %indices_at = ktdp.construct_access_tile %indices_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xi32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %best#1, %indices_at : tensor<1x32xi32>, !ktdp.access_tile<1x32xindex>
    return
  }
}
