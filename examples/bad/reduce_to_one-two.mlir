// SPDX-License-Identifier: MIT
// Reduce to one: in each of 8 groups of 4 tiles the first receives the i32 maximum.
//
// BAD: two of four tiles receive. A fold goes to one tile or to all that contribute.
// Caught by rule R14.
//
// GIVEN  tile 0 @0: i32 -16*32
// GIVEN  tile 1 @0: i32 -9*32
// GIVEN  tile 2 @0: i32 -2*32
// GIVEN  tile 3 @0: i32 5*32
// GIVEN  tile 4 @0: i32 12*32
// GIVEN  tile 5 @0: i32 -13*32
// GIVEN  tile 6 @0: i32 -6*32
// GIVEN  tile 7 @0: i32 1*32
// GIVEN  tile 8 @0: i32 8*32
// GIVEN  tile 9 @0: i32 15*32
// GIVEN  tile 10 @0: i32 -10*32
// GIVEN  tile 11 @0: i32 -3*32
// GIVEN  tile 12 @0: i32 4*32
// GIVEN  tile 13 @0: i32 11*32
// GIVEN  tile 14 @0: i32 -14*32
// GIVEN  tile 15 @0: i32 -7*32
// GIVEN  tile 16 @0: i32 0*32
// GIVEN  tile 17 @0: i32 7*32
// GIVEN  tile 18 @0: i32 14*32
// GIVEN  tile 19 @0: i32 -11*32
// GIVEN  tile 20 @0: i32 -4*32
// GIVEN  tile 21 @0: i32 3*32
// GIVEN  tile 22 @0: i32 10*32
// GIVEN  tile 23 @0: i32 -15*32
// GIVEN  tile 24 @0: i32 -8*32
// GIVEN  tile 25 @0: i32 -1*32
// GIVEN  tile 26 @0: i32 6*32
// GIVEN  tile 27 @0: i32 13*32
// GIVEN  tile 28 @0: i32 -12*32
// GIVEN  tile 29 @0: i32 -5*32
// GIVEN  tile 30 @0: i32 2*32
// GIVEN  tile 31 @0: i32 9*32
// EXPECT tile 0 @128: i32 5*32
// EXPECT tile 4 @128: i32 12*32
// EXPECT tile 8 @128: i32 15*32
// EXPECT tile 12 @128: i32 11*32
// EXPECT tile 16 @128: i32 14*32
// EXPECT tile 20 @128: i32 10*32
// EXPECT tile 24 @128: i32 13*32
// EXPECT tile 28 @128: i32 9*32

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#first   = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 1 >= 0)>
#box1x32 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 31 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @reduce_to_one_two() {
    %c0 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %lowest_value = arith.constant -2147483648 : i32
    %lowest_empty = tensor.empty() : tensor<1x32xi32>
    %lowest = linalg.fill ins(%lowest_value : i32) outs(%lowest_empty : tensor<1x32xi32>) -> tensor<1x32xi32>
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xi32>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xi32> -> !ktdp.access_tile<1x32xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x32xindex> -> tensor<1x32xi32>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<1x32xi32>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x32xi32>
    }
    %most = ktdp.inter_tile_reduce(%parts)
        consumer_tiles_per_group = #first,
        identity(%lowest : tensor<1x32xi32>)
        : !ktdp.tile_future<(tensor<1x32xi32>), groups = #groups> -> tensor<1x32xi32>
    {
      ^bb0(%lhs: tensor<1x32xi32>, %rhs: tensor<1x32xi32>):
        %empty = tensor.empty() : tensor<1x32xi32>
        %both = linalg.max ins(%lhs, %rhs : tensor<1x32xi32>, tensor<1x32xi32>) outs(%empty : tensor<1x32xi32>) -> tensor<1x32xi32>
        ktdp.yield_reduced %both : tensor<1x32xi32>
    }
    %out_view = ktdp.construct_memory_view %c32, sizes: [1, 32], strides: [32, 1] {
        coordinate_set = #box1x32, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x32xi32>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x32, access_tile_order = #id2
    } : memref<1x32xi32> -> !ktdp.access_tile<1x32xindex>
    ktdp.store %most, %out_at : tensor<1x32xi32>, !ktdp.access_tile<1x32xindex>
    return
  }
}
