// SPDX-License-Identifier: MIT
// The first consumer takes three pieces, the last one.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 3 - g mod 3 == 0)>
#dep = affine_set<(p)[c, g] : (p - c >= 0, -p + c + 2 >= 0, -p + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error R6 @16:42-46 group=0 consumer=3 "consumer 3 of group 0 takes from 1 of its producers, consumer 0 of group 0 from 3"
// expect-note: @- "and 7 more consumers that differ from the first"
