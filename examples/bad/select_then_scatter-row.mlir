// SPDX-License-Identifier: MIT
// Select, then scatter: tiles 28..31 hold 8 x 512 each, of which only the last row moves; each
// hands an eighth of it to 8 tiles. Tile 28 + g serves tiles 8g .. 8g + 7. The selection is the
// access tile, smaller than the view; it is not part of the delivery.
//
// BAD: the row before the last is selected. Same shape, same counts.
// No rule reaches this: caught by --check, tile 0 byte 8192.
//
// EXPECT tile 0 @8192: t28@7168+128
// EXPECT tile 1 @8192: t28@7296+128
// EXPECT tile 2 @8192: t28@7424+128
// EXPECT tile 3 @8192: t28@7552+128
// EXPECT tile 4 @8192: t28@7680+128
// EXPECT tile 5 @8192: t28@7808+128
// EXPECT tile 6 @8192: t28@7936+128
// EXPECT tile 7 @8192: t28@8064+128
// EXPECT tile 8 @8192: t29@7168+128
// EXPECT tile 9 @8192: t29@7296+128
// EXPECT tile 10 @8192: t29@7424+128
// EXPECT tile 11 @8192: t29@7552+128
// EXPECT tile 12 @8192: t29@7680+128
// EXPECT tile 13 @8192: t29@7808+128
// EXPECT tile 14 @8192: t29@7936+128
// EXPECT tile 15 @8192: t29@8064+128
// EXPECT tile 16 @8192: t30@7168+128
// EXPECT tile 17 @8192: t30@7296+128
// EXPECT tile 18 @8192: t30@7424+128
// EXPECT tile 19 @8192: t30@7552+128
// EXPECT tile 20 @8192: t30@7680+128
// EXPECT tile 21 @8192: t30@7808+128
// EXPECT tile 22 @8192: t30@7936+128
// EXPECT tile 23 @8192: t30@8064+128
// EXPECT tile 24 @8192: t31@7168+128
// EXPECT tile 25 @8192: t31@7296+128
// EXPECT tile 26 @8192: t31@7424+128
// EXPECT tile 27 @8192: t31@7552+128
// EXPECT tile 28 @8192: t31@7680+128
// EXPECT tile 29 @8192: t31@7808+128
// EXPECT tile 30 @8192: t31@7936+128
// EXPECT tile 31 @8192: t31@8064+128

#groups   = affine_set<(g) : (g >= 0, -g + 3 >= 0)>
#holder   = affine_set<(t)[g] : (t - g - 28 == 0)>
#eight    = affine_set<(t)[g] : (t - 8 * g >= 0, -t + 8 * g + 7 >= 0)>
#box8x512 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#box1x512 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 511 >= 0)>
#id2      = affine_map<(d0, d1) -> (d0, d1)>
#box1x64  = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @select_then_scatter_row() {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c4096 = arith.constant 4096 : index
    %last_view = ktdp.construct_memory_view %c0, sizes: [8, 512], strides: [512, 1] {
        coordinate_set = #box8x512, memory_space = #ktdp.memory_space<ct_local>
    } : memref<8x512xf16>
    %last_at = ktdp.construct_access_tile %last_view[%c6, %c0] {
        access_tile_set = #box1x512, access_tile_order = #id2
    } : memref<8x512xf16> -> !ktdp.access_tile<1x512xindex>
    %last = ktdp.load %last_at : !ktdp.access_tile<1x512xindex> -> tensor<1x512xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #holder
        -> !ktdp.tile_future<(tensor<1x512xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %last : tensor<1x512xf16>
    }
    %stick = ktdp.inter_tile_scatter(%parts)
        consumer_tiles_per_group = #eight,
        scatter_dimensions = [1]
        : !ktdp.tile_future<(tensor<1x512xf16>), groups = #groups> -> tensor<1x64xf16>
    %out_view = ktdp.construct_memory_view %c4096, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %stick, %out_at : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    return
  }
}
