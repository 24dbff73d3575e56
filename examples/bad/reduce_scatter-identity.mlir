// SPDX-License-Identifier: MIT
// Reduce-scatter: 8 groups of 4 tiles add 4 x 64 blocks of f16; tile i of a group gets row i
// of the sum. Tile t contributes t + 1 everywhere: group g gives 16 g + 10.
//
// BAD: the identity has the shape of the result instead of the partial.
// Caught by rule R11.
//
// GIVEN  tile 0 @0: f16 1*256
// GIVEN  tile 1 @0: f16 2*256
// GIVEN  tile 2 @0: f16 3*256
// GIVEN  tile 3 @0: f16 4*256
// GIVEN  tile 4 @0: f16 5*256
// GIVEN  tile 5 @0: f16 6*256
// GIVEN  tile 6 @0: f16 7*256
// GIVEN  tile 7 @0: f16 8*256
// GIVEN  tile 8 @0: f16 9*256
// GIVEN  tile 9 @0: f16 10*256
// GIVEN  tile 10 @0: f16 11*256
// GIVEN  tile 11 @0: f16 12*256
// GIVEN  tile 12 @0: f16 13*256
// GIVEN  tile 13 @0: f16 14*256
// GIVEN  tile 14 @0: f16 15*256
// GIVEN  tile 15 @0: f16 16*256
// GIVEN  tile 16 @0: f16 17*256
// GIVEN  tile 17 @0: f16 18*256
// GIVEN  tile 18 @0: f16 19*256
// GIVEN  tile 19 @0: f16 20*256
// GIVEN  tile 20 @0: f16 21*256
// GIVEN  tile 21 @0: f16 22*256
// GIVEN  tile 22 @0: f16 23*256
// GIVEN  tile 23 @0: f16 24*256
// GIVEN  tile 24 @0: f16 25*256
// GIVEN  tile 25 @0: f16 26*256
// GIVEN  tile 26 @0: f16 27*256
// GIVEN  tile 27 @0: f16 28*256
// GIVEN  tile 28 @0: f16 29*256
// GIVEN  tile 29 @0: f16 30*256
// GIVEN  tile 30 @0: f16 31*256
// GIVEN  tile 31 @0: f16 32*256
// EXPECT tile 0..3 @512: f16 10*64
// EXPECT tile 4..7 @512: f16 26*64
// EXPECT tile 8..11 @512: f16 42*64
// EXPECT tile 12..15 @512: f16 58*64
// EXPECT tile 16..19 @512: f16 74*64
// EXPECT tile 20..23 @512: f16 90*64
// EXPECT tile 24..27 @512: f16 106*64
// EXPECT tile 28..31 @512: f16 122*64

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box4x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#box1x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @reduce_scatter_identity() {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %zero_value = arith.constant 0.0 : f16
    %zero_empty = tensor.empty() : tensor<1x64xf16>
    %zero = linalg.fill ins(%zero_value : f16) outs(%zero_empty : tensor<1x64xf16>) -> tensor<1x64xf16>
    %mine_view = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<4x64xf16>
    }
    %row = ktdp.inter_tile_reduce_scatter(%parts)
        consumer_tiles_per_group = #members,
        scatter_dimensions = [0],
        identity(%zero : tensor<1x64xf16>)
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<1x64xf16>
    {
      ^bb0(%lhs: tensor<4x64xf16>, %rhs: tensor<4x64xf16>):
        %empty = tensor.empty() : tensor<4x64xf16>
        %both = linalg.add ins(%lhs, %rhs : tensor<4x64xf16>, tensor<4x64xf16>) outs(%empty : tensor<4x64xf16>) -> tensor<4x64xf16>
        ktdp.yield_reduced %both : tensor<4x64xf16>
    }
    %out_view = ktdp.construct_memory_view %c256, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %row, %out_at : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    return
  }
}
