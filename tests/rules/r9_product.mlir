// SPDX-License-Identifier: MIT
// Both axes are halved: four shares, but there are eight consumers.
#producers = affine_set<(i)[g] : (i - 8 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 8 * g >= 0, -i + 8 * g + 7 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 3 >= 0)>

func.func @f(%x: tensor<8x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8x16xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<4x8xf16>
  return
}

// expect: error R9 @15:68-83 "the result splits axes 0, 1 by factors that multiply to 4, not to C = 8 consumers"
