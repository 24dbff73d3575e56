// SPDX-License-Identifier: MIT
// The grid says eight tiles.
module attributes {grid = [2, 4]} {
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
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
}

// expect: error K2 @8:59-69 group=2 tile=8 "producer 8 of group 2 is no tile of the target, which has tiles 0 to 7"
// expect: error K2 @13:62-72 group=2 tile=8 "consumer 8 of group 2 is no tile of the target, which has tiles 0 to 7"
