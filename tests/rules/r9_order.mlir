// SPDX-License-Identifier: MIT
// The list descends: the order of a list is the order of the odometer.
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
      scatter_dimensions = [1, 0]
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<4x8xf16>
  return
}

// expect: error R9 @14:32-33 "axis 0 of scatter_dimensions comes after a higher one: the first listed axis is the slowest, and lists ascend"
// expect-fixit: @14:28-34 "[0, 1]"
