// SPDX-License-Identifier: MIT
// stick: 1=64
// Shares of one and a half sticks.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x384xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x384xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x384xf16>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [1]
      : !ktdp.tile_future<(tensor<4x384xf16>), groups = #groups> -> tensor<4x96xf16>
  return
}

// expect: error R9 @16:69-85 "pieces of 96 elements along axis 1 are no whole sticks of 64"
