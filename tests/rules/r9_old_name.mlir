// SPDX-License-Identifier: MIT
// An older name of the list, and a number for a list: read, noted, and checked.
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
      scatter_dim = 2
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<4x8xf16>
  return
}

// expect: note - @14:7-22 "older spelling of 'scatter_dimensions'"
// expect-fixit: @14:7-22 "scatter_dimensions = [2]"
// expect: error R9 @14:21-22 "axis 2 of scatter_dimensions is no axis of the partial type"
