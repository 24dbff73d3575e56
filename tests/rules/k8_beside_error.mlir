// SPDX-License-Identifier: MIT
// Another delivery of the function is wrong: the address is reported all the same.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%at: index) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %v = ktdp.construct_memory_view %at, sizes: [8], strides: [1] {
      memory_space = #ktdp.memory_space<ct_local>
  } : memref<8xf16>
  %a = ktdp.construct_access_tile %v[0] : memref<8xf16> -> <8xindex>
  %x = ktdp.load %a : <8xindex> -> tensor<8xf16>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<8xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8xf16>
  }
  %r = ktdp.inter_tile_gather(%f) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<8xf16>), groups = #groups> -> tensor<32xf16>
  %w = ktdp.construct_memory_view %c64, sizes: [32], strides: [1] {
      memory_space = #ktdp.memory_space<ct_local>
  } : memref<32xf16>
  %b = ktdp.construct_access_tile %w[0] : memref<32xf16> -> <32xindex>
  ktdp.store %r, %b : tensor<32xf16>, <32xindex>
  %f2 = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<8xf16>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<8xf16>
  }
  %r2 = ktdp.inter_tile_gather(%f2) consumer_tiles_per_group = #quad,
      gather_dimensions = [0]
      : !ktdp.tile_future<(tensor<8xf16>), groups = #groups> -> tensor<24xf16>
  return
}

// expect: error K8 @9:35-38 "the base of a scratchpad view is only known at run time"
// expect-note: @9:35-38 "the value comes from here"
// expect: error R12 @34:65-79 "axis 0 of the result has 24 elements, must have 32"
// expect-note: @28:29-42 "the partial type is this"
// expect-fixit: @34:65-79 "tensor<32xf16>"
