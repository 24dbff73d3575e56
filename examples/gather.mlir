// SPDX-License-Identifier: MIT
// Gather: 8 groups of 4 tiles; the first tile of each group assembles the 4 x 64 rows of
// its group, in ascending tile order. A piece is one stick.
//
// EXPECT tile 0 @512: t0@0+128 t1@0+128 t2@0+128 t3@0+128
// EXPECT tile 4 @512: t4@0+128 t5@0+128 t6@0+128 t7@0+128
// EXPECT tile 8 @512: t8@0+128 t9@0+128 t10@0+128 t11@0+128
// EXPECT tile 12 @512: t12@0+128 t13@0+128 t14@0+128 t15@0+128
// EXPECT tile 16 @512: t16@0+128 t17@0+128 t18@0+128 t19@0+128
// EXPECT tile 20 @512: t20@0+128 t21@0+128 t22@0+128 t23@0+128
// EXPECT tile 24 @512: t24@0+128 t25@0+128 t26@0+128 t27@0+128
// EXPECT tile 28 @512: t28@0+128 t29@0+128 t30@0+128 t31@0+128

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#first   = affine_set<(t)[g] : (t - 4 * g == 0)>
#box1x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#box4x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @gather() {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #members
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %rows = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #first,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out_view = ktdp.construct_memory_view %c256, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows, %out_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
