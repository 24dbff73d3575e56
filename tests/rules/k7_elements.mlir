// SPDX-License-Identifier: MIT
// One element of the constant is not neutral.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4xf32>) {
  %i = arith.constant dense<[0.0, 0.0, 1.0, 0.0]> : tensor<4xf32>
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

// expect: error K7 @14:16-18 "the identity is not neutral for add"
// expect-note: @7:23-66 "its value comes from here"
// expect-note: @- "0.0 is neutral for add"
