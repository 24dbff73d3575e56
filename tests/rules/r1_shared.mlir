// SPDX-License-Identifier: MIT
// The last tile of a group is the first of the next one.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 4 >= 0, -i + 31 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<20x16xf16>
  return
}

// expect: error R1 @8:59-69 group=1 tile=4 "tile 4 produces in group 0 and in group 1"
// expect: error R1 @8:59-69 group=2 tile=8 "tile 8 produces in group 1 and in group 2"
