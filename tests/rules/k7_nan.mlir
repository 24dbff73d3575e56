// SPDX-License-Identifier: MIT
// A NaN is neutral only where numbers are preferred.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xf32>) {
  %z = arith.constant 0x7FC00000 : f32
  %i = tensor.splat %z : tensor<16xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xf32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #consumers,
      identity(%i : tensor<16xf32>)
      : !ktdp.tile_future<(tensor<16xf32>), groups = #groups> -> tensor<16xf32> {
    ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
      %s = arith.maximumf %a, %b : tensor<16xf32>
      ktdp.yield_reduced %s : tensor<16xf32>
  }
  return
}

// expect: error K7 @16:16-18 "the identity is not neutral for max"
// expect-note: @8:23-33 "its value comes from here"
// expect-fixit: @8:23-33 "0xFF800000"
