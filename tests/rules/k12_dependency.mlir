// SPDX-License-Identifier: MIT
// The arithmetic of a dependency set leaves 64 bits for the consumer of group 1.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g == 0)>
#dep = affine_set<(p)[c, g] : (p - 4 * g >= 0, -p + 4 * g + 3 >= 0, 9223372036854775807 * c + p >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K12 @16:42-46 group=1 consumer=4 "the set cannot be evaluated in 64-bit arithmetic"
