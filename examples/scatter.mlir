// SPDX-License-Identifier: MIT
// Scatter: the first tile of each of 8 groups holds 8 x 64 and hands 2 rows to each of the
// 4 tiles of the group, in ascending tile order.
//
// EXPECT tile 0 @2048: t0@0+256
// EXPECT tile 1 @2048: t0@256+256
// EXPECT tile 2 @2048: t0@512+256
// EXPECT tile 3 @2048: t0@768+256
// EXPECT tile 4 @2048: t4@0+256
// EXPECT tile 5 @2048: t4@256+256
// EXPECT tile 6 @2048: t4@512+256
// EXPECT tile 7 @2048: t4@768+256
// EXPECT tile 8 @2048: t8@0+256
// EXPECT tile 9 @2048: t8@256+256
// EXPECT tile 10 @2048: t8@512+256
// EXPECT tile 11 @2048: t8@768+256
// EXPECT tile 12 @2048: t12@0+256
// EXPECT tile 13 @2048: t12@256+256
// EXPECT tile 14 @2048: t12@512+256
// EXPECT tile 15 @2048: t12@768+256
// EXPECT tile 16 @2048: t16@0+256
// EXPECT tile 17 @2048: t16@256+256
// EXPECT tile 18 @2048: t16@512+256
// EXPECT tile 19 @2048: t16@768+256
// EXPECT tile 20 @2048: t20@0+256
// EXPECT tile 21 @2048: t20@256+256
// EXPECT tile 22 @2048: t20@512+256
// EXPECT tile 23 @2048: t20@768+256
// EXPECT tile 24 @2048: t24@0+256
// EXPECT tile 25 @2048: t24@256+256
// EXPECT tile 26 @2048: t24@512+256
// EXPECT tile 27 @2048: t24@768+256
// EXPECT tile 28 @2048: t28@0+256
// EXPECT tile 29 @2048: t28@256+256
// EXPECT tile 30 @2048: t28@512+256
// EXPECT tile 31 @2048: t28@768+256

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#leader  = affine_set<(t)[g] : (t - 4 * g == 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box8x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#box2x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @scatter() {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %block_view = ktdp.construct_memory_view %c0, sizes: [8, 64], strides: [64, 1] {
        coordinate_set = #box8x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<8x64xf16>
    %block_at = ktdp.construct_access_tile %block_view[%c0, %c0] {
        access_tile_set = #box8x64, access_tile_order = #id2
    } : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
    %block = ktdp.load %block_at : !ktdp.access_tile<8x64xindex> -> tensor<8x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #leader
        -> !ktdp.tile_future<(tensor<8x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %block : tensor<8x64xf16>
    }
    %rows = ktdp.inter_tile_scatter(%parts)
        consumer_tiles_per_group = #members,
        scatter_dimensions = [0]
        : !ktdp.tile_future<(tensor<8x64xf16>), groups = #groups> -> tensor<2x64xf16>
    %out_view = ktdp.construct_memory_view %c1024, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    ktdp.store %rows, %out_at : tensor<2x64xf16>, !ktdp.access_tile<2x64xindex>
    return
  }
}
