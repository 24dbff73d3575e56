// SPDX-License-Identifier: MIT
// Broadcast: the first tile of each of 8 groups hands its 4 x 64 block to all 4 tiles of
// the group, itself included.
//
// BAD: a wrong owner with equal counts. The second tile of each group sends.
// No rule reaches this: caught by --check, tile 0 byte 512.
//
// EXPECT tile 0..3 @512: t0@0+512
// EXPECT tile 4..7 @512: t4@0+512
// EXPECT tile 8..11 @512: t8@0+512
// EXPECT tile 12..15 @512: t12@0+512
// EXPECT tile 16..19 @512: t16@0+512
// EXPECT tile 20..23 @512: t20@0+512
// EXPECT tile 24..27 @512: t24@0+512
// EXPECT tile 28..31 @512: t28@0+512

#groups  = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#leader  = affine_set<(t)[g] : (t - 4 * g - 1 == 0)>
#members = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box4x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @broadcast_owner() {
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
        producer_tiles_per_group = #leader
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %block : tensor<4x64xf16>
    }
    %copy = ktdp.inter_tile_consume(%parts)
        consumer_tiles_per_group = #members
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
