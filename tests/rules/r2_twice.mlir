// SPDX-License-Identifier: MIT
// Two deliveries of one future.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  %s = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [1]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<4x64xf16>
  return
}

// expect: error R2 @15:31-33 "the future %f is delivered more than once"
// expect-note: @12:31-33 "first used by this gather"
// expect-note: @- "the result of one delivery may have any number of uses"
