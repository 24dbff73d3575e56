// SPDX-License-Identifier: MIT
// Two axes: 4 x 2 shares of 2 x 8 elements.
#producers = affine_set<(i)[g] : (i - 8 * g - 5 == 0)>
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
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<2x8xf16>
  return
}
