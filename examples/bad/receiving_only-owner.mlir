// SPDX-License-Identifier: MIT
// Receivers that are not producers, on non-adjacent producers: {mb:16} on the even cores to
// {mb:8} held by four. Producers are tiles 4g and 4g + 2, all of 4g .. 4g + 3 receive.
//
// BAD: a wrong owner map with equal counts. The odd tiles are named.
// No rule reaches this: caught by --check, tile 0 byte 512.
//
// EXPECT tile 0..3 @512: t0@0+512 t2@0+512
// EXPECT tile 4..7 @512: t4@0+512 t6@0+512
// EXPECT tile 8..11 @512: t8@0+512 t10@0+512
// EXPECT tile 12..15 @512: t12@0+512 t14@0+512
// EXPECT tile 16..19 @512: t16@0+512 t18@0+512
// EXPECT tile 20..23 @512: t20@0+512 t22@0+512
// EXPECT tile 24..27 @512: t24@0+512 t26@0+512
// EXPECT tile 28..31 @512: t28@0+512 t30@0+512

#groups    = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#producers = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0, t mod 2 == 1)>
#consumers = affine_set<(t)[g] : (t - 4 * g >= 0, -t + 4 * g + 3 >= 0)>
#box4x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2       = affine_map<(d0, d1) -> (d0, d1)>
#box8x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 7 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @receiving_only_owner() {
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
        producer_tiles_per_group = #producers
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<4x64xf16>
    }
    %whole = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #consumers,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<8x64xf16>
    %out_view = ktdp.construct_memory_view %c256, sizes: [8, 64], strides: [64, 1] {
        coordinate_set = #box8x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<8x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box8x64, access_tile_order = #id2
    } : memref<8x64xf16> -> !ktdp.access_tile<8x64xindex>
    ktdp.store %whole, %out_at : tensor<8x64xf16>, !ktdp.access_tile<8x64xindex>
    return
  }
}
