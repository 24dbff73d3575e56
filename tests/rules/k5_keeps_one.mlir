// SPDX-License-Identifier: MIT
// It yields its first argument: no fold.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xf32>) {
  %i = arith.constant dense<0.0> : tensor<16xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xf32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #consumers,
      identity(%i : tensor<16xf32>)
      : !ktdp.tile_future<(tensor<16xf32>), groups = #groups> -> tensor<16xf32> {
    ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
      ktdp.yield_reduced %a : tensor<16xf32>
  }
  return
}

// expect: unsupported K5 @18:26-28 "the combiner cannot run on the fold unit: what it yields is none of add, mul, min, max, and, or, xor, argmin and argmax"
