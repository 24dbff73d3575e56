// SPDX-License-Identifier: MIT
// More groups than tiles can feed.
#producers = affine_set<(i)[g] : (i - g == 0)>
#consumers = affine_set<(i)[g] : (i - g == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 999 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<4x16xf16>
  return
}

// expect: error K2 @5:11-52 "more than 128 groups on 32 tiles: they cannot all have producers"
