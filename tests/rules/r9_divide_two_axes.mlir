// SPDX-License-Identifier: MIT
// 3 x 5 elements for four consumers.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<3x5xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<3x5xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<3x5xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<3x5xf16>), groups = #groups> -> tensor<1x5xf16>
  return
}

// expect: error R9 @14:28-34 "15 elements along axes 0, 1 do not divide over C = 4 consumers"
