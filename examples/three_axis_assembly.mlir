// SPDX-License-Identifier: MIT
// Three-axis assembly: {in:2, out:8, x:2} to one whole tensor on all 32 tiles; factors (2, 8, 2).
//
// EXPECT tile 0..31 @128: t0@0+128 t1@0+128 t2@0+128 t3@0+128 t4@0+128 t5@0+128 t6@0+128 t7@0+128 t8@0+128 t9@0+128 t10@0+128 t11@0+128 t12@0+128 t13@0+128 t14@0+128 t15@0+128 t16@0+128 t17@0+128 t18@0+128 t19@0+128 t20@0+128 t21@0+128 t22@0+128 t23@0+128 t24@0+128 t25@0+128 t26@0+128 t27@0+128 t28@0+128 t29@0+128 t30@0+128 t31@0+128

#groups     = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#all        = affine_set<(t)[g] : (t >= 0, -t + 31 >= 0, g == 0)>
#box1x1x64  = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 0 >= 0, d2 >= 0, -d2 + 63 >= 0)>
#id3        = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#box2x8x128 = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 127 >= 0)>

module attributes {grid = [32]} {
  func.func @three_axis_assembly() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 1, 64], strides: [64, 64, 1] {
        coordinate_set = #box1x1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x1x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0, %c0] {
        access_tile_set = #box1x1x64, access_tile_order = #id3
    } : memref<1x1x64xf16> -> !ktdp.access_tile<1x1x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x1x64xindex> -> tensor<1x1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #all
        -> !ktdp.tile_future<(tensor<1x1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x1x64xf16>
    }
    %whole = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #all,
        gather_dimensions = [0, 1, 2]
        : !ktdp.tile_future<(tensor<1x1x64xf16>), groups = #groups> -> tensor<2x8x128xf16>
    %out_view = ktdp.construct_memory_view %c64, sizes: [2, 8, 128], strides: [1024, 128, 1] {
        coordinate_set = #box2x8x128, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x8x128xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0, %c0] {
        access_tile_set = #box2x8x128, access_tile_order = #id3
    } : memref<2x8x128xf16> -> !ktdp.access_tile<2x8x128xindex>
    ktdp.store %whole, %out_at : tensor<2x8x128xf16>, !ktdp.access_tile<2x8x128xindex>
    return
  }
}
