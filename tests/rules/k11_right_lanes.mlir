// SPDX-License-Identifier: MIT
// stick: 1=64
// The same with a declared stick: the 64 lanes keep their extent, one factorisation is left.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<8x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<8x64xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8x64xf16>
  }
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #consumers,
      split_dimensions = [0, 1],
      concat_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<8x64xf16>), groups = #groups> -> tensor<8x64xf16>
  return
}
