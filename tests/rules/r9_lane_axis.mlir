// SPDX-License-Identifier: MIT
// stick: 2=64
// The lane axis of a physicalised tensor is split.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<2x16x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<2x16x64xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<2x16x64xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [2]
      : !ktdp.tile_future<(tensor<2x16x64xf16>), groups = #groups> -> tensor<2x16x16xf16>
  return
}

// expect: error R9 @16:71-90 "axis 2 is declared as the 64 lanes of a stick and keeps its extent: the factor 4 falls on the axis that counts sticks"
