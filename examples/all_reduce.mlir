// SPDX-License-Identifier: MIT
// All-reduce: 4 groups of 8 tiles add one row of f32 each; every tile of the group gets the sum.
// Tile t contributes t + 1, so group g gives 8 * (8 g) + 36.
//
// GIVEN  tile 0 @0: f32 1*32
// GIVEN  tile 1 @0: f32 2*32
// GIVEN  tile 2 @0: f32 3*32
// GIVEN  tile 3 @0: f32 4*32
// GIVEN  tile 4 @0: f32 5*32
// GIVEN  tile 5 @0: f32 6*32
// GIVEN  tile 6 @0: f32 7*32
// GIVEN  tile 7 @0: f32 8*32
// GIVEN  tile 8 @0: f32 9*32
// GIVEN  tile 9 @0: f32 10*32
// GIVEN  tile 10 @0: f32 11*32
// GIVEN  tile 11 @0: f32 12*32
// GIVEN  tile 12 @0: f32 13*32
// GIVEN  tile 13 @0: f32 14*32
// GIVEN  tile 14 @0: f32 15*32
// GIVEN  tile 15 @0: f32 16*32
// GIVEN  tile 16 @0: f32 17*32
// GIVEN  tile 17 @0: f32 18*32
// GIVEN  tile 18 @0: f32 19*32
// GIVEN  tile 19 @0: f32 20*32
// GIVEN  tile 20 @0: f32 21*32
// GIVEN  tile 21 @0: f32 22*32
// GIVEN  tile 22 @0: f32 23*32
// GIVEN  tile 23 @0: f32 24*32
// GIVEN  tile 24 @0: f32 25*32
// GIVEN  tile 25 @0: f32 26*32
// GIVEN  tile 26 @0: f32 27*32
// GIVEN  tile 27 @0: f32 28*32
// GIVEN  tile 28 @0: f32 29*32
// GIVEN  tile 29 @0: f32 30*32
// GIVEN  tile 30 @0: f32 31*32
// GIVEN  tile 31 @0: f32 32*32
// EXPECT tile 0..7 @128: f32 36*32
// EXPECT tile 8..15 @128: f32 100*32
// EXPECT tile 16..23 @128: f32 164*32
// EXPECT tile 24..31 @128: f32 228*32

#groups  = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
#members = affine_set<(t)[g] : (t - 8 * g >= 0, -t + 8 * g + 7 >= 0)>
#box1x32 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @all_reduce() {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %zero_value = arith.constant 0.0 : f32
    %zero_empty = tensor.empty() : tensor<1x32xf32>
    %zero = linalg.fill ins(%zero_value : f32) outs(%zero_empty : tensor<1x32xf32>) -> tensor<1x32xf32>
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xf32>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x32xindex> -> tensor<1x32xf32>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<1x32xf32>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x32xf32>
    }
    %sum = ktdp.inter_tile_reduce(%parts)
        consumer_tiles_per_group = #members,
        identity(%zero : tensor<1x32xf32>)
        : !ktdp.tile_future<(tensor<1x32xf32>), groups = #groups> -> tensor<1x32xf32>
    {
      ^bb0(%lhs: tensor<1x32xf32>, %rhs: tensor<1x32xf32>):
        %empty = tensor.empty() : tensor<1x32xf32>
        %both = linalg.add ins(%lhs, %rhs : tensor<1x32xf32>, tensor<1x32xf32>) outs(%empty : tensor<1x32xf32>) -> tensor<1x32xf32>
        ktdp.yield_reduced %both : tensor<1x32xf32>
    }
    %out_view = ktdp.construct_memory_view %c32, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xf32>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xf32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %sum, %out_at : tensor<1x32xf32>, !ktdp.access_tile<1x32xindex>
    return
  }
}
