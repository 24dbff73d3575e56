// SPDX-License-Identifier: MIT
// Every element is listed, and neutral.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4xf32>) {
  %i = arith.constant dense<[0.0, -0.0, 0.0, 0x00000000]> : tensor<4xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4xf32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad,
      identity(%i : tensor<4xf32>)
      : !ktdp.tile_future<(tensor<4xf32>), groups = #groups> -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
      %s = arith.addf %a, %b : tensor<4xf32>
      ktdp.yield_reduced %s : tensor<4xf32>
  }
  return
}
