// SPDX-License-Identifier: MIT
// Two axes in both lists and the types unchanged: three factorisations.
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
      : !ktdp.tile_future<(tensor<8x8xf16>), groups = #groups> -> tensor<8x8xf16>
  return
}

// expect: error K11 @16:67-82 "the declared types admit 3 factorisations of the axes in both lists"
// expect-note: @- "candidate: axis 0 / 1, axis 1 / 4, axis 0 * 1, axis 1 * 4"
// expect-note: @- "candidate: axis 0 / 2, axis 1 / 2, axis 0 * 2, axis 1 * 2"
// expect-note: @- "candidate: axis 0 / 4, axis 1 / 1, axis 0 * 4, axis 1 * 1"
