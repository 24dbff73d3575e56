// SPDX-License-Identifier: MIT
// No factors give this result: 3 rows cannot come from 8 in shares of four.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<8x8xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<8x8xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8x8xf16>
  }
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #consumers,
      split_dimensions = [0, 1],
      concat_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<8x8xf16>), groups = #groups> -> tensor<3x8xf16>
  return
}

// expect: error R12 @16:67-82 "no factors of axis 0 give this result with C = 4 consumers and P = 4 producers (result = partial / split factor * concat factor)"
