// SPDX-License-Identifier: MIT
// Compute in the region: legal in older drafts, a warning.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      %z = arith.mulf %x, %x : tensor<4x16xf16>
      %y = arith.addf %z, %x : tensor<4x16xf16>
      ktdp.yield_partial %y : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: warning K4 @10:12-22 "arith.mulf in a producer region: compute belongs before the produce"
// expect-note: @- "and 1 more such ops"
