// SPDX-License-Identifier: MIT
// The operand does not come from a produce of this function.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%f: !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups>) {
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K6 @7:31-33 "gather delivers the future of an inter_tile_produce of this function"
