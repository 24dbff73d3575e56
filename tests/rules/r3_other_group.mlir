// SPDX-License-Identifier: MIT
// A consumer takes from the first tile of the next group.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#dep = affine_set<(p)[c, g] : (p - 4 * g - 4 * (c mod 4 floordiv 3) - c mod 4 + 3 * (c mod 4 floordiv 3) == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 6 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #consumers,
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<4x16xf16>
  return
}

// expect: error R3 @15:42-46 group=0 tile=4 consumer=3 "consumer 3 of group 0 takes from tile 4, which does not produce in that group"
// expect-note: @9:59-69 "producers are named here"
// expect-note: @- "and 6 more such pairs of consumer and tile"
// expect: error R4 @15:42-46 group=0 tile=3 "no consumer of group 0 takes what tile 3 produces"
// expect-note: @9:59-69 "producers are named here"
// expect-note: @- "and 6 more producers nobody takes from"
