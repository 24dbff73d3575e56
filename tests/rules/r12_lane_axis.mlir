// SPDX-License-Identifier: MIT
// stick: 2=32
// The factor falls on the lanes of a declared stick.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<2x16x32xf32>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<2x16x32xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<2x16x32xf32>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0, 2]
      : !ktdp.tile_future<(tensor<2x16x32xf32>), groups = #groups> -> tensor<2x16x128xf32>
  return
}

// expect: error R12 @16:71-91 "axis 2 is declared as the 32 lanes of a stick and keeps its extent: the factor 4 falls on the axis that counts sticks"
