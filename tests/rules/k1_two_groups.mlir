// SPDX-License-Identifier: MIT
// Tile 0 receives in every group.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - g >= 0, -i + g + 1 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K1 @13:62-72 group=1 tile=1 consumer=1 "tile 1 consumes in group 0 and in group 1"
// expect: error K1 @13:62-72 group=2 tile=2 consumer=2 "tile 2 consumes in group 1 and in group 2"
// expect-note: @- "the result on such a tile would have two meanings"
