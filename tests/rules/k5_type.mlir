// SPDX-License-Identifier: MIT
// The unit has no 8-bit floats.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xf8E4M3FN>) {
  %i = arith.constant dense<0.0> : tensor<16xf8E4M3FN>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xf8E4M3FN>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xf8E4M3FN>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #consumers,
      identity(%i : tensor<16xf8E4M3FN>)
      : !ktdp.tile_future<(tensor<16xf8E4M3FN>), groups = #groups> -> tensor<16xf8E4M3FN> {
    ^bb0(%a: tensor<16xf8E4M3FN>, %b: tensor<16xf8E4M3FN>):
      %s = arith.addf %a, %b : tensor<16xf8E4M3FN>
      ktdp.yield_reduced %s : tensor<16xf8E4M3FN>
  }
  return
}

// expect: unsupported K5 @19:26-28 "the combiner cannot run on the fold unit: the fold unit does not take this element type"
