// SPDX-License-Identifier: MIT
// 16 pieces of 1 x 64 become 8 x 128: factors 8 and 2.
#producers = affine_set<(i)[g] : (i - 16 * g >= 0, -i + 16 * g + 15 >= 0)>
#consumers = affine_set<(i)[g] : (i - 16 * g >= 0, -i + 16 * g + 15 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @f(%x: tensor<1x64xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<1x64xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<8x128xf16>
  return
}
