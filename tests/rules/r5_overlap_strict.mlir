// SPDX-License-Identifier: MIT
// strict
// The same, where warnings are errors.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 2 >= 0)>
#dep = affine_set<(p)[c, g] : (p - c >= 0, -p + c + 1 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<8x16xf16>
  return
}

// expect: error R5 @17:42-46 group=0 tile=1 consumer=1 "consumers 0 and 1 of group 0 share tile 1 but not all of their producers"
// expect-note: @- "legal: each consumer's positions count in its own dependency set"
// expect-note: @- "and 1 more claims of a producer already taken in this group"
