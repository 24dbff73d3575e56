// SPDX-License-Identifier: MIT
// The delivery names another partial type and other groups than the future.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>
#seven = affine_set<(g) : (g >= 0, -g + 6 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x32xf16>), groups = #seven> -> tensor<16x16xf16>
  return
}

// expect: error K6 @5:10-49 "the groups set differs from that of the future"
// expect-note: @4:11-50 "the future has this one"
// expect: error K6 @15:28-44 "partial type 0 is tensor<4x32xf16> here, tensor<4x16xf16> in the future"
// expect-note: @9:29-45 "the future is produced here"
// expect-fixit: @15:28-44 "tensor<4x16xf16>"
