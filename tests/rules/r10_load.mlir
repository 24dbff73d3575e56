// SPDX-License-Identifier: MIT
// The combiner reads memory.
#producers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#consumers = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<16xf32>) {
  %z = arith.constant 0 : index
  %i = arith.constant dense<0.0> : tensor<16xf32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #producers
      -> !ktdp.tile_future<(tensor<16xf32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x : tensor<16xf32>
  }
  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #consumers,
      identity(%i : tensor<16xf32>)
      : !ktdp.tile_future<(tensor<16xf32>), groups = #groups> -> tensor<16xf32> {
    ^bb0(%a: tensor<16xf32>, %b: tensor<16xf32>):
      %v = ktdp.construct_memory_view %z, sizes: [16], strides: [1] {
          coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>,
          memory_space = #ktdp.memory_space<ct_local>
      } : memref<16xf32>
      %t = ktdp.construct_access_tile %v[%z] {
          access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>,
          access_tile_order = affine_map<(d0) -> (d0)>
      } : memref<16xf32> -> !ktdp.access_tile<16xindex>
      %m = ktdp.load %t : !ktdp.access_tile<16xindex> -> tensor<16xf32>
      %s = arith.addf %a, %m : tensor<16xf32>
      ktdp.yield_reduced %s : tensor<16xf32>
  }
  return
}

// expect: error R10 @19:12-38 "ktdp.construct_memory_view touches memory, a combiner is a pure function of its arguments"
// expect-note: @- "and 2 more such ops"
