// SPDX-License-Identifier: MIT
// A gather has no region.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16> {
    ^bb0(%a: tensor<4x16xf16>, %b: tensor<4x16xf16>):
      ktdp.yield_reduced %a : tensor<4x16xf16>
  }
  return
}

// expect: error K6 @14:86-17:4 "gather takes no region"
