// SPDX-License-Identifier: MIT
// A dependency set bounded by the device only.
#producers = affine_set<(i)[g] : (i - 16 * g >= 0, -i + 31 >= 0)>
#consumers = affine_set<(i)[g] : (i - 16 * g == 0)>
#dep = affine_set<(p)[c, g] : (p - 16 * g >= 0)>
#groups = affine_set<(g) : (g - 1 == 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0],
      producer_dependency_per_consumer = #dep
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<64x16xf16>
  return
}

// expect: note K3 @16:42-46 group=1 consumer=16 "for group 1 only the device bounds this set: taken as its members among tiles 0 to 31"
