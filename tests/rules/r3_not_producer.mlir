// SPDX-License-Identifier: MIT
// The dependency set reaches one tile beyond the producers, in every group.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 1 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#dep = affine_set<(p)[c, g] : (p - 4 * g >= 0, -p + 4 * g + 2 >= 0)>
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
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<12x16xf16>
  return
}

// expect: error R3 @16:42-46 group=0 tile=2 consumer=0 "consumer 0 of group 0 takes from tile 2, which does not produce in that group"
// expect-note: @9:59-69 "producers are named here"
// expect-note: @- "and 31 more such pairs of consumer and tile"
