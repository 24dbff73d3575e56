// SPDX-License-Identifier: MIT
// The first group has three producers: the sum would differ in what it adds.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i - 1 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xf32>) {
  %i = arith.constant dense<0.0> : tensor<16xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xf32>
  }
  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #consumers,
      scatter_dimensions = [0],
      identity(%i : tensor<16xf32>)
      : !ktdp.tile_future<(tensor<16xf32>), groups = #groups> -> tensor<4xf32> {
    ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
      %s = arith.addf %a, %b : tensor<16xf32>
      ktdp.yield_reduced %s : tensor<16xf32>
  }
  return
}

// expect: error R7 @9:59-69 group=1 "group 1 has 4 producers, group 0 has 3"
// expect-note: @14:8-38 "the result of reduce_scatter has one type in all groups"
// expect-note: @- "and 6 more groups that differ from the first"
