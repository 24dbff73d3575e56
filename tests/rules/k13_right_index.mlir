// SPDX-License-Identifier: MIT
// Indices take eight bytes each.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f() {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = ktdp.construct_memory_view %c0, sizes: [8], strides: [1] {
      memory_space = #ktdp.memory_space<ct_local>
  } : memref<8xindex>
  %a = ktdp.construct_access_tile %v[0] : memref<8xindex> -> <8xindex>
  %x = ktdp.load %a : <8xindex> -> tensor<8xindex>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<8xindex>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8xindex>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<8xindex>), groups = #groups> -> tensor<32xindex>
  %w = ktdp.construct_memory_view %c64, sizes: [32], strides: [1] {
      memory_space = #ktdp.memory_space<ct_local>
  } : memref<32xindex>
  %b = ktdp.construct_access_tile %w[0] : memref<32xindex> -> <32xindex>
  ktdp.store %r, %b : tensor<32xindex>, <32xindex>
  return
}
