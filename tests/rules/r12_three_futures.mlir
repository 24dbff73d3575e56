// SPDX-License-Identifier: MIT
// Three futures, delivered in another order: the one of %b is wrong.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %a = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %b = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %c = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<4x16xf16>
  }
  %r0 = ktdp.inter_tile_gather(%c) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  %r1 = ktdp.inter_tile_gather(%a) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  %r2 = ktdp.inter_tile_gather(%b) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<8x16xf16>
  return
}

// expect: error R12 @30:68-84 "axis 0 of the result has 8 elements, must have 16"
// expect-note: @13:29-45 "the partial type is this"
// expect-fixit: @30:68-84 "tensor<16x16xf16>"
