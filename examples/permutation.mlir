// SPDX-License-Identifier: MIT
// Routing: a rotation inside each of 8 groups of 4 tiles; tile 4g + i takes the block of
// tile 4g + (i + 1) mod 4.
//
// EXPECT tile 0 @512: t1@0+512
// EXPECT tile 1 @512: t2@0+512
// EXPECT tile 2 @512: t3@0+512
// EXPECT tile 3 @512: t0@0+512
// EXPECT tile 4 @512: t5@0+512
// EXPECT tile 5 @512: t6@0+512
// EXPECT tile 6 @512: t7@0+512
// EXPECT tile 7 @512: t4@0+512
// EXPECT tile 8 @512: t9@0+512
// EXPECT tile 9 @512: t10@0+512
// EXPECT tile 10 @512: t11@0+512
// EXPECT tile 11 @512: t8@0+512
// EXPECT tile 12 @512: t13@0+512
// EXPECT tile 13 @512: t14@0+512
// EXPECT tile 14 @512: t15@0+512
// EXPECT tile 15 @512: t12@0+512
// EXPECT tile 16 @512: t17@0+512
// EXPECT tile 17 @512: t18@0+512
// EXPECT tile 18 @512: t19@0+512
// EXPECT tile 19 @512: t16@0+512
// EXPECT tile 20 @512: t21@0+512
// EXPECT tile 21 @512: t22@0+512
// EXPECT tile 22 @512: t23@0+512
// EXPECT tile 23 @512: t20@0+512
// EXPECT tile 24 @512: t25@0+512
// EXPECT tile 25 @512: t26@0+512
// EXPECT tile 26 @512: t27@0+512
// EXPECT tile 27 @512: t24@0+512
// EXPECT tile 28 @512: t29@0+512
// EXPECT tile 29 @512: t30@0+512
// EXPECT tile 30 @512: t31@0+512
// EXPECT tile 31 @512: t28@0+512

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#next    = affine_set<(p)[c] : (p - 4 * (c floordiv 4) - (c + 1) mod 4 == 0)>
#box4x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @permutation() {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %block_view = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %block_at = ktdp.construct_access_tile %block_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %block = ktdp.load %block_at : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %block : tensor<4x64xf16>
    }
    %copy = ktdp.inter_tile_consume(%parts)
        consumer_tiles_per_group = #members,
        producer_dependency_per_consumer = #next
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out_view = ktdp.construct_memory_view %c256, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %copy, %out_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
