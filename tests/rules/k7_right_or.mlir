// SPDX-License-Identifier: MIT
// The neutral value of an integer fold.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xi32>) {
  %i = arith.constant dense<0> : tensor<16xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xi32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xi32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #consumers,
      identity(%i : tensor<16xi32>)
      : !ktdp.tile_future<(tensor<16xi32>), groups = #groups> -> tensor<16xi32> {
    ^bb0(%a: tensor<16xi32>, %b: tensor<16xi32>):
      %s = arith.ori %a, %b : tensor<16xi32>
      ktdp.yield_reduced %s : tensor<16xi32>
  }
  return
}
