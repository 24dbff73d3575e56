// SPDX-License-Identifier: MIT
// Eight rows for four consumers are two rows each.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<8x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8x16xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0]
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<4x16xf16>
  return
}

// expect: error R9 @15:68-84 "axis 0 of the result has 4 elements, must have 2"
// expect-note: @9:29-45 "the partial type is this"
// expect-fixit: @15:68-84 "tensor<2x16xf16>"
