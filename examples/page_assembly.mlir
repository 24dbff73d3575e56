// SPDX-License-Identifier: MIT
// Four pieces on cores 0..3, all four needed in order by cores 0, 8, 16 and 24: a gather to
// mostly receiving-only cores.
//
// EXPECT tile 0,8,16,24 @2048: t0@0+128 t1@0+128 t2@0+128 t3@0+128

#groups    = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#consumers = affine_set<(t)[g] : (t >= 0, -t + 31 >= 0, t mod 8 == 0)>
#producers = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#box1x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2       = affine_map<(d0, d1) -> (d0, d1)>
#box4x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @page_assembly() {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #producers
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %page = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #consumers,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %page, %out_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
