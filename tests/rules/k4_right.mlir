// SPDX-License-Identifier: MIT
// Index arithmetic, a view, an access tile, a load.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<4x16xf16>) {
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> {
    ^bb0(%gid: index):
      %zero = arith.constant 0 : index
      %step = arith.constant 64 : index
      %base = arith.muli %gid, %step : index
      %v = ktdp.construct_memory_view %base, sizes: [4, 16], strides: [16, 1] {
          coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>,
          memory_space = #ktdp.memory_space<ct_local>
      } : memref<4x16xf16>
      %t = ktdp.construct_access_tile %v[%zero, %zero] {
          access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 15 >= 0)>,
          access_tile_order = affine_map<(d0, d1) -> (d0, d1)>
      } : memref<4x16xf16> -> !ktdp.access_tile<4x16xindex>
      %y = ktdp.load %t : !ktdp.access_tile<4x16xindex> -> tensor<4x16xf16>
      ktdp.yield_partial %y : tensor<4x16xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #producers,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<4x16xf16>), groups = #groups> -> tensor<16x16xf16>
  return
}
