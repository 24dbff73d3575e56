// SPDX-License-Identifier: MIT
// A partial is a tensor.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: f32) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(f32), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : f32
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(f32), groups = #groups> -> f32
  return
}

// expect: error K6 @8:29-32 "a partial is a ranked tensor"
// expect: error K6 @14:55-58 "a result is a ranked tensor"
