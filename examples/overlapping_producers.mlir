// SPDX-License-Identifier: MIT
// Source pieces shared by overlapping sets: each of tiles 0..3 takes its own row and its
// right neighbour's (a ring). Legal: positions come from the consumer's own set, so tile 3
// receives row 0 before row 3. Rule R5 warns, since a partition may have been meant.
//
// EXPECT tile 0 @128: t0@0+128 t1@0+128
// EXPECT tile 1 @128: t1@0+128 t2@0+128
// EXPECT tile 2 @128: t2@0+128 t3@0+128
// EXPECT tile 3 @128: t0@0+128 t3@0+128

#groups  = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#ring    = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#pair    = affine_set<(p)[c] : (p >= 0, -p + 3 >= 0, -((p - c) mod 4) + 1 >= 0)>
#box1x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#box2x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @overlapping_producers() {
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
        producer_tiles_per_group = #ring
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %rows = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #ring,
        gather_dimensions = [0],
        producer_dependency_per_consumer = #pair
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<2x64xf16>
    %out_view = ktdp.construct_memory_view %c64, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    ktdp.store %rows, %out_at : tensor<2x64xf16>, !ktdp.access_tile<2x64xindex>
    return
  }
}
