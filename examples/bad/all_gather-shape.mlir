// SPDX-License-Identifier: MIT
// All-gather: every one of 32 tiles ends with all 32 rows, in ascending tile order.
//
// BAD: a wrong shape. 32 producers of one row cannot make 16 rows.
// Caught by rule R12: the factor along axis 0 is 16, the group has 32 producers.
//
// EXPECT tile 0..31 @128: t0@0+128 t1@0+128 t2@0+128 t3@0+128 t4@0+128 t5@0+128 t6@0+128 t7@0+128 t8@0+128 t9@0+128 t10@0+128 t11@0+128 t12@0+128 t13@0+128 t14@0+128 t15@0+128 t16@0+128 t17@0+128 t18@0+128 t19@0+128 t20@0+128 t21@0+128 t22@0+128 t23@0+128 t24@0+128 t25@0+128 t26@0+128 t27@0+128 t28@0+128 t29@0+128 t30@0+128 t31@0+128

#groups   = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#all      = affine_set<(t)[g] : (t >= 0, -t + 31 >= 0, g == 0)>
#box1x64  = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2      = affine_map<(d0, d1) -> (d0, d1)>
#box16x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 15 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @all_gather_shape() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #all
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %rows = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #all,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<16x64xf16>
    %out_view = ktdp.construct_memory_view %c64, sizes: [16, 64], strides: [64, 1] {
        coordinate_set = #box16x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<16x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box16x64, access_tile_order = #id2
    } : memref<16x64xf16> -> !ktdp.access_tile<16x64xindex>
    ktdp.store %rows, %out_at : tensor<16x64xf16>, !ktdp.access_tile<16x64xindex>
    return
  }
}
