// SPDX-License-Identifier: MIT
// All-to-all: {mb:8, out:4} to {mb:32}. 8 groups of 4 tiles; each tile holds 4 rows of a
// 64-element slice of out and ends with one row of all 256.
//
// BAD: a wrong shape. The split and concat lists are exchanged.
// Caught by rules R9 and R12: the declared 1 x 256 is split along axis 0, not axis 1.
//
// EXPECT tile 0 @512: t0@0+128 t1@0+128 t2@0+128 t3@0+128
// EXPECT tile 1 @512: t0@128+128 t1@128+128 t2@128+128 t3@128+128
// EXPECT tile 2 @512: t0@256+128 t1@256+128 t2@256+128 t3@256+128
// EXPECT tile 3 @512: t0@384+128 t1@384+128 t2@384+128 t3@384+128
// EXPECT tile 4 @512: t4@0+128 t5@0+128 t6@0+128 t7@0+128
// EXPECT tile 5 @512: t4@128+128 t5@128+128 t6@128+128 t7@128+128
// EXPECT tile 6 @512: t4@256+128 t5@256+128 t6@256+128 t7@256+128
// EXPECT tile 7 @512: t4@384+128 t5@384+128 t6@384+128 t7@384+128
// EXPECT tile 8 @512: t8@0+128 t9@0+128 t10@0+128 t11@0+128
// EXPECT tile 9 @512: t8@128+128 t9@128+128 t10@128+128 t11@128+128
// EXPECT tile 10 @512: t8@256+128 t9@256+128 t10@256+128 t11@256+128
// EXPECT tile 11 @512: t8@384+128 t9@384+128 t10@384+128 t11@384+128
// EXPECT tile 12 @512: t12@0+128 t13@0+128 t14@0+128 t15@0+128
// EXPECT tile 13 @512: t12@128+128 t13@128+128 t14@128+128 t15@128+128
// EXPECT tile 14 @512: t12@256+128 t13@256+128 t14@256+128 t15@256+128
// EXPECT tile 15 @512: t12@384+128 t13@384+128 t14@384+128 t15@384+128
// EXPECT tile 16 @512: t16@0+128 t17@0+128 t18@0+128 t19@0+128
// EXPECT tile 17 @512: t16@128+128 t17@128+128 t18@128+128 t19@128+128
// EXPECT tile 18 @512: t16@256+128 t17@256+128 t18@256+128 t19@256+128
// EXPECT tile 19 @512: t16@384+128 t17@384+128 t18@384+128 t19@384+128
// EXPECT tile 20 @512: t20@0+128 t21@0+128 t22@0+128 t23@0+128
// EXPECT tile 21 @512: t20@128+128 t21@128+128 t22@128+128 t23@128+128
// EXPECT tile 22 @512: t20@256+128 t21@256+128 t22@256+128 t23@256+128
// EXPECT tile 23 @512: t20@384+128 t21@384+128 t22@384+128 t23@384+128
// EXPECT tile 24 @512: t24@0+128 t25@0+128 t26@0+128 t27@0+128
// EXPECT tile 25 @512: t24@128+128 t25@128+128 t26@128+128 t27@128+128
// EXPECT tile 26 @512: t24@256+128 t25@256+128 t26@256+128 t27@256+128
// EXPECT tile 27 @512: t24@384+128 t25@384+128 t26@384+128 t27@384+128
// EXPECT tile 28 @512: t28@0+128 t29@0+128 t30@0+128 t31@0+128
// EXPECT tile 29 @512: t28@128+128 t29@128+128 t30@128+128 t31@128+128
// EXPECT tile 30 @512: t28@256+128 t29@256+128 t30@256+128 t31@256+128
// EXPECT tile 31 @512: t28@384+128 t29@384+128 t30@384+128 t31@384+128

#groups   = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#members  = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box4x64  = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2      = affine_map<(d0, d1) -> (d0, d1)>
#box1x256 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 255 >= 0)>

module attributes {grid = [32]} {
  func.func @all_to_all_axes() {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
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
    %row = ktdp.inter_tile_all_to_all(%parts)
        consumer_tiles_per_group = #members,
        split_dimensions = [1],
        concat_dimensions = [0]
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<1x256xf16>
    %out_view = ktdp.construct_memory_view %c256, sizes: [1, 256], strides: [256, 1] {
        coordinate_set = #box1x256, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x256xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x256, access_tile_order = #id2
    } : memref<1x256xf16> -> !ktdp.access_tile<1x256xindex>
    ktdp.store %row, %out_at : tensor<1x256xf16>, !ktdp.access_tile<1x256xindex>
    return
  }
}
