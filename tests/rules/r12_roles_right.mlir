// SPDX-License-Identifier: MIT
// Two roles, the same factors.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x8xf32>, %y: tensor<4x8xi32>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x8xf32>, tensor<4x8xi32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x, %y : tensor<4x8xf32>, tensor<4x8xi32>
  }
  %r:2 = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0, 1]
      : !ktdp.tile_future<(tensor<4x8xf32>, tensor<4x8xi32>), groups = #groups> -> (tensor<8x16xf32>, tensor<8x16xi32>)
  return
}
