// SPDX-License-Identifier: MIT
// stick: 1=64
// 64 lanes of f32 are no stick.
#producers = affine_set<(i)[g] : (i - 4 * g == 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x128xf32>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x128xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x128xf32>
  }
  %r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [1]
      : !ktdp.tile_future<(tensor<4x128xf32>), groups = #groups> -> tensor<4x32xf32>
  return
}

// expect: error K6 @14:8-31 "the declared stick of 64 lanes on axis 1 fits no partial: a stick is 128 bytes"
