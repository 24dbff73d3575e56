// SPDX-License-Identifier: MIT
// Of two listed axes one is split into pieces that do not divide it.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<8x12xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<8x12xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8x12xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<8x12xf16>), groups = #groups> -> tensor<3x6xf16>
  return
}

// expect: error R9 @15:68-83 "axis 0 is split from 8 to 3 elements, which is no whole share"
// expect-note: @9:29-45 "the partial type is this"
