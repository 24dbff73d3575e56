// SPDX-License-Identifier: MIT
// Ten rows for four consumers.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<10x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<10x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<10x16xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0]
      : !ktdp.tile_future<(tensor<10x16xf16>), groups = #groups> -> tensor<3x16xf16>
  return
}

// expect: error R9 @14:28-31 "10 elements along axis 0 do not divide over C = 4 consumers"
