// SPDX-License-Identifier: MIT
// A scatter takes no dependency set.
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
      scatter_dimensions = [0],
      producer_dependency_per_consumer = affine_set<(p)[c] : (p - c == 0)>
      : !ktdp.tile_future<(tensor<8x16xf16>), groups = #groups> -> tensor<2x16xf16>
  return
}

// expect: error K6 @15:7-39 "scatter takes no producer_dependency_per_consumer"
