// SPDX-License-Identifier: MIT
// Dependency lists are numbered by the consumer: tiles 0 and 1 of group 0.
#producers = [[0, 1, 2, 3]]
#consumers = [[0, 1]]
#dep = [[0, 1], [1, 2]]
#groups = affine_set<(g) : (g == 0)>

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

// expect: error R4 @16:42-46 group=0 tile=3 "no consumer of group 0 takes what tile 3 produces"
// expect-note: @9:59-69 "producers are named here"
// expect: error R5 @16:42-46 group=0 tile=1 consumer=1 "tile 1 is claimed by consumers 0 and 1 of group 0, whose dependency sets have as many members as the group has producers and so mean a partition"
