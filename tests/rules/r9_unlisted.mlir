// SPDX-License-Identifier: MIT
// An axis that is not listed changes.
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
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<2x8xf16>
  return
}

// expect: error R9 @15:68-83 "axis 1 is in no list and must keep its 16 elements, the result has 8"
// expect-fixit: @15:68-83 "tensor<2x16xf16>"
