// SPDX-License-Identifier: MIT
// A misspelt dependency set would turn the exchange into an all-gather.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad {note = "any name may stand in braces"}
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0],
      producer_dependency_per_consumr = affine_set<(p)[c] : (p - c == 0)>,
      hurry
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  %f2 = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r2 = ktdp.inter_tile_gather(%f2) consumer_tiles_per_group = #quad,
      gather_dimensions = [0] {my.consumer = 1, producer_dependencies = [[0]]}
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}

// expect: error K6 @14:7-38 "gather takes no producer_dependency_per_consumr"
// expect: error K6 @15:7-12 "gather takes no hurry"
// expect: error K6 @23:49-70 "gather takes no producer_dependencies"
