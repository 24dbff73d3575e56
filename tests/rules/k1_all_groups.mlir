// SPDX-License-Identifier: MIT
// The consumers do not depend on the group: what else is wrong in the later groups is said too.
#producers = affine_set<(i)[g] : (i - 4 * g - 1 >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i >= 0, -i + 23 >= 0)>
#dep = affine_set<(p)[c] : (p - c == 0)>
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
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<4x16xf16>
  return
}

// expect: error K1 @14:62-72 group=1 tile=0 consumer=0 "tile 0 consumes in group 0 and in group 1"
// expect: error K1 @14:62-72 group=2 tile=0 consumer=0 "tile 0 consumes in group 0 and in group 2"
// expect: error K1 @14:62-72 group=3 tile=0 consumer=0 "tile 0 consumes in group 0 and in group 3"
// expect: error K1 @14:62-72 group=4 tile=0 consumer=0 "tile 0 consumes in group 0 and in group 4"
// expect-note: @- "the result on such a tile would have two meanings"
// expect-note: @- "and 72 more tiles that consume twice"
// expect: error R3 @16:42-46 group=0 tile=0 consumer=0 "consumer 0 of group 0 takes from tile 0, which does not produce in that group"
// expect-note: @9:59-69 "producers are named here"
// expect-note: @- "and 173 more such pairs of consumer and tile"
// expect: error R4 @16:42-46 group=6 tile=25 "no consumer of group 6 takes what tile 25 produces"
// expect-note: @9:59-69 "producers are named here"
// expect-note: @- "and 5 more producers nobody takes from"
