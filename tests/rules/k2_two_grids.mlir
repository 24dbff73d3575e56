// SPDX-License-Identifier: MIT
// Each function has the tiles of its own grid.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>

func.func @small(%x: tensor<4x16xf16>) attributes {grid = [4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

func.func @large(%x: tensor<4x16xf16>) attributes {grid = [8]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K2 @7:59-69 group=1 tile=4 "producer 4 of group 1 is no tile of the target, which has tiles 0 to 3"
// expect: error K2 @12:62-72 group=1 tile=4 "consumer 4 of group 1 is no tile of the target, which has tiles 0 to 3"
