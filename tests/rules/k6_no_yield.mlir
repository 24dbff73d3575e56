// SPDX-License-Identifier: MIT
// The producer region ends in something else.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      %z = arith.constant 0 : index
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K6 @10:12-26 "the producer region must end in ktdp.yield_partial"
