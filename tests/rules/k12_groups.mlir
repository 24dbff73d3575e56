// SPDX-License-Identifier: MIT
// The arithmetic of the groups leaves 64 bits.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (9223372036854775807 * g + g + 9223372036854775807 >= 0, -g + 7 >= 0)>

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

// expect: error K12 @5:11-98 "the set cannot be evaluated in 64-bit arithmetic"
