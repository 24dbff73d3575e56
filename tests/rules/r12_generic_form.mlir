// SPDX-License-Identifier: MIT
// The generic form of an op is the same op.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r = "ktdp.inter_tile_gather"(%f) {consumer_tiles_per_group = #producers, gather_dimensions = [0]}
      : (!ktdp.tile_future<(tensor<4x16xf16>), groups = #groups>) -> tensor<12x16xf16>
  return
}

// expect: error R12 @13:70-87 "axis 0 of the result has 12 elements, must have 16"
// expect-note: @8:29-45 "the partial type is this"
// expect-fixit: @13:70-87 "tensor<16x16xf16>"
