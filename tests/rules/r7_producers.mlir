// SPDX-License-Identifier: MIT
// The last group has three producers.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0, -i + 30 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error R7 @8:59-69 group=7 "group 7 has 3 producers, group 0 has 4"
// expect-note: @13:8-30 "the result of gather has one type in all groups"
// expect: error R6 @8:59-69 group=7 consumer=28 "consumer 28 of group 7 takes from 3 of its producers, consumer 0 of group 0 from 4"
// expect-note: @- "and 3 more consumers that differ from the first"
