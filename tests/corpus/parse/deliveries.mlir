// All deliveries in one function, roles, dependency sets, enumerated sets, old names.
#p = affine_set<(p)[g] : (p - 4 * g >= 0, -p + 4 * g + 3 >= 0)>
#d = affine_set<(p)[c, g] : (p - 4 * g >= 0, p - 4 * g <= 3, (p - c) mod 2 == 0)>
#g = affine_set<(g) : (g >= 0, g <= 3)>
!f = !ktdp.tile_future<(tensor<4x8xf32>), groups = #g>
module attributes {grid = [2, 8]} {
func.func @f(%t: tensor<4x8xf32>, %i: index) {
  %f0 = ktdp.inter_tile_produce producer_tiles_per_group = #p -> !f {
  ^bb0(%gid: index):
    ktdp.yield_partial %t : tensor<4x8xf32>
  }
  %r0 = ktdp.inter_tile_consume(%f0) consumer_tiles_per_group = #p, producer_dependency_per_consumer = #d : !f -> tensor<4x8xf32>
  %f1:1 = ktdp.inter_tile_produce producer_tiles_per_group = [[0, 1], [4, 5]] : tensor<4x8xf32>, index -> <(tensor<4x8xf32>, index), groups = [0, 1]> { ^bb0(%gid: index): ktdp.yield_partial %t, %i : tensor<4x8xf32>, index }
  %r1 = ktdp.inter_tile_gather(%f0) gather_dim = 0, consumer_tiles_per_group = #p : !ktdp.tile_future<tensor<4x8xf32>, #g> -> tensor<16x8xf32>
  %r2 = ktdp.inter_tile_all_to_all(%f0) consumer_tiles_per_group = #p, split_dimensions = [1], concat_dimensions = [0] : !f -> tensor<16x2xf32>
  %r3 = ktdp.inter_tile_scatter(%f0) {consumer_tiles_per_group = #p, scatter_dimensions = [1]} : !f -> tensor<4x2xf32>
  %r4 = ktdp.inter_tile_reduce_scatter(%f0) consumer_tiles_per_group = #p, scatter_dimensions = [0], identity(%t : tensor<4x8xf32>) : !f -> tensor<1x8xf32> {
  ^bb0(%a: tensor<4x8xf32>, %b: tensor<4x8xf32>):
    %c = arith.cmpf ogt, %a, %b : tensor<4x8xf32>
    %s = arith.select %c, %a, %b : tensor<4x8xi1>, tensor<4x8xf32>
    ktdp.yield_reduced %s : tensor<4x8xf32>
  }
  return
}
}
