// SPDX-License-Identifier: MIT
// Ten columns for four consumers, and rows that do not fit either.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<2x10xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<2x10xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<2x10xf16>
  }
  %r = ktdp.inter_tile_all_to_all(%f) consumer_tiles_per_group = #consumers,
      split_dimensions = [1],
      concat_dimensions = [0]
      : !ktdp.tile_future<(tensor<2x10xf16>), groups = #groups> -> tensor<9x3xf16>
  return
}

// expect: error R9 @14:26-29 "10 elements along axis 1 do not divide over C = 4 consumers"
// expect: error R12 @16:68-83 "axis 0 is assembled from pieces of 2 elements to 9, which is no multiple"
// expect-note: @9:29-45 "the partial type is this"
