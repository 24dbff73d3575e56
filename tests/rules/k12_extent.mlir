// SPDX-License-Identifier: MIT
// The assembled extent leaves 63 bits.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4611686018427387904x1xi8>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4611686018427387904x1xi8>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4611686018427387904x1xi8>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4611686018427387904x1xi8>), groups = #groups> -> tensor<4x1xi8>
  return
}

// expect: error K12 @9:29-61 "the extents of this type leave 63 bits"
