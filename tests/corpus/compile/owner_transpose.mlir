// SPDX-License-Identifier: MIT
// Equal divisions, other owners: the block of core 8J + M goes to core J + 4M (a 4 x 8 transpose
// of the cores), in place: the same address is read and written on every tile. 8 groups of 4;
// group g draws from tiles g, g + 8, g + 16, g + 24. Only cores 0 and 31 keep their block.
//
// EXPECT tile 0 @0: t0@0+512
// EXPECT tile 1 @0: t8@0+512
// EXPECT tile 2 @0: t16@0+512
// EXPECT tile 3 @0: t24@0+512
// EXPECT tile 4 @0: t1@0+512
// EXPECT tile 5 @0: t9@0+512
// EXPECT tile 6 @0: t17@0+512
// EXPECT tile 7 @0: t25@0+512
// EXPECT tile 8 @0: t2@0+512
// EXPECT tile 9 @0: t10@0+512
// EXPECT tile 10 @0: t18@0+512
// EXPECT tile 11 @0: t26@0+512
// EXPECT tile 12 @0: t3@0+512
// EXPECT tile 13 @0: t11@0+512
// EXPECT tile 14 @0: t19@0+512
// EXPECT tile 15 @0: t27@0+512
// EXPECT tile 16 @0: t4@0+512
// EXPECT tile 17 @0: t12@0+512
// EXPECT tile 18 @0: t20@0+512
// EXPECT tile 19 @0: t28@0+512
// EXPECT tile 20 @0: t5@0+512
// EXPECT tile 21 @0: t13@0+512
// EXPECT tile 22 @0: t21@0+512
// EXPECT tile 23 @0: t29@0+512
// EXPECT tile 24 @0: t6@0+512
// EXPECT tile 25 @0: t14@0+512
// EXPECT tile 26 @0: t22@0+512
// EXPECT tile 27 @0: t30@0+512
// EXPECT tile 28 @0: t7@0+512
// EXPECT tile 29 @0: t15@0+512
// EXPECT tile 30 @0: t23@0+512
// EXPECT tile 31 @0: t31@0+512

#groups    = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#producers = affine_set<(t)[g] : (t - g >= 0, -t + g + 24 >= 0, (t - g) mod 8 == 0)>
#consumers = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#source    = affine_set<(p)[c, g] : (p - g - 8 * (c mod 4) == 0)>
#box4x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2       = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @owner_transpose() {
    %c0 = arith.constant 0 : index
    %block_view = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %block_at = ktdp.construct_access_tile %block_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %block = ktdp.load %block_at : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #producers
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %block : tensor<4x64xf16>
    }
    %moved = ktdp.inter_tile_consume(%parts)
        consumer_tiles_per_group = #consumers,
        producer_dependency_per_consumer = #source
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out_view = ktdp.construct_memory_view %c0, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %moved, %out_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
