// SPDX-License-Identifier: MIT
// Each consumer takes from two producers.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#dep = affine_set<(p)[c, g] : (p - 4 * g - 2 * (c mod 4 floordiv 2) >= 0, -p + 4 * g + 2 * (c mod 4 floordiv 2) + 1 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_consume(%f) consumer_tiles_per_group = #consumers,
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<4x16xf16>
  return
}

// expect: error R8 @15:42-46 group=0 tile=1 consumer=0 "consumer 0 of group 0 takes from 2 producers, consume takes from one"
// expect-note: @- "and 31 more consumers with several sources"
