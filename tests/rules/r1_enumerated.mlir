// SPDX-License-Identifier: MIT
// Enumerated sets: tile 4 is in both lists.
#producers = [[0, 2, 4], [4, 6, 8]]
#consumers = [[1], [3]]
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<12x16xf16>
  return
}

// expect: error R1 @8:59-69 group=1 tile=4 "tile 4 produces in group 0 and in group 1"
