// SPDX-License-Identifier: MIT
// Two roles: the larger value with its index, the lower index of equals.
#quad = affine_set<(i)[g] : (i - 4 * g >= 0, -i + 4 * g + 3 >= 0)>
#groups = affine_set<(g) : (g >= 0, -g + 7 >= 0)>

func.func @f(%x: tensor<8xf32>, %y: tensor<8xi32>) {
  %low = arith.constant dense<0xFF800000> : tensor<8xf32>
  %any = arith.constant dense<2147483647> : tensor<8xi32>
  %f = ktdp.inter_tile_produce producer_tiles_per_group = #quad
      -> !ktdp.tile_future<(tensor<8xf32>, tensor<8xi32>), groups = #groups> {
    ^bb0(%gid: index):
      ktdp.yield_partial %x, %y : tensor<8xf32>, tensor<8xi32>
  }
  %r:2 = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #quad,
      identity(%low, %any : tensor<8xf32>, tensor<8xi32>)
      : !ktdp.tile_future<(tensor<8xf32>, tensor<8xi32>), groups = #groups> -> (tensor<8xf32>, tensor<8xi32>) {
    ^bb0(%l0: tensor<8xf32>, %l1: tensor<8xi32>, %r0: tensor<8xf32>, %r1: tensor<8xi32>):
      %g = arith.cmpf ogt, %l0, %r0 : tensor<8xf32>
      %q = arith.cmpf oeq, %l0, %r0 : tensor<8xf32>
      %w = arith.cmpi slt, %l1, %r1 : tensor<8xi32>
      %h = arith.andi %q, %w : tensor<8xi1>
      %c = arith.ori %g, %h : tensor<8xi1>
      %v = arith.select %c, %l0, %r0 : tensor<8xi1>, tensor<8xf32>
      %k = arith.select %c, %l1, %r1 : tensor<8xi1>, tensor<8xi32>
      ktdp.yield_reduced %v, %k : tensor<8xf32>, tensor<8xi32>
  }
  return
}
