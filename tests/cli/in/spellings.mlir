func.func @f(%t: tensor<4xf16>) attributes {grid = [4]} {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = [0, 1]
      -> !ktdp.tile_future<tensor<4xf16>, groups = [0]> {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<4xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = [3], gather_dimension = 0
      : <(tensor<4xf16>), groups = [0]> -> tensor<8xf16>
  return
}
