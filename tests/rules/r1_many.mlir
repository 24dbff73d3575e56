// SPDX-License-Identifier: MIT
// Six groups of the same two tiles: four pairs of groups are shown, the rest is counted.
#producers = affine_set<(i)[g] : (i >= 0, -i + 1 >= 0)>
#consumers = affine_set<(i)[g] : (i - g == 0)>
#groups = affine_set<(g) : (g >= 0, -g + 5 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #consumers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<8x16xf16>
  return
}

// expect: error R1 @8:59-69 group=1 tile=0 "tile 0 produces in group 0 and in group 1"
// expect: error R1 @8:59-69 group=2 tile=0 "tile 0 produces in group 0 and in group 2"
// expect: error R1 @8:59-69 group=3 tile=0 "tile 0 produces in group 0 and in group 3"
// expect: error R1 @8:59-69 group=4 tile=0 "tile 0 produces in group 0 and in group 4"
// expect-note: @- "and 2 more tiles that produce twice"
