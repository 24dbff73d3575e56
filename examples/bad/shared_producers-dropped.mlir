// SPDX-License-Identifier: MIT
// Source pieces shared by several receivers, said with explicit sets that are identical:
// tiles 0..3 hold one row each, tiles 4..7 all take the four rows. This is an all-gather to
// receiving-only tiles; the sets add nothing and are legal.
//
// BAD: a piece is dropped. The sets leave out tile 3.
// Caught by rule R4.
//
// EXPECT tile 4..7 @128: t0@0+128 t1@0+128 t2@0+128 t3@0+128

#groups    = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#producers = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#consumers = affine_set<(t)[g] : (t - 4 >= 0, -t + 7 >= 0)>
#four      = affine_set<(p)[c] : (p >= 0, -p + 2 >= 0)>
#box1x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2       = affine_map<(d0, d1) -> (d0, d1)>
#box3x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @shared_producers_dropped() {
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
        producer_tiles_per_group = #producers
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %rows = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #consumers,
        gather_dimensions = [0],
        producer_dependency_per_consumer = #four
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<3x64xf16>
    %out_view = ktdp.construct_memory_view %c64, sizes: [3, 64], strides: [64, 1] {
        coordinate_set = #box3x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box3x64, access_tile_order = #id2
    } : memref<3x64xf16> -> !ktdp.access_tile<3x64xindex>
    ktdp.store %rows, %out_at : tensor<3x64xf16>, !ktdp.access_tile<3x64xindex>
    return
  }
}
