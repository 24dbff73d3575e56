// SPDX-License-Identifier: MIT
module attributes {grid = [32]} {
  func.func @f(%host: index) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %k0 = arith.constant 4 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [2, 2, 1, 7], strides: [14, 7, 7, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x2x1x7xbf16>
    %s0_0 = arith.constant 0 : index
    %s0_1 = arith.constant 0 : index
    %s0_2 = arith.constant 0 : index
    %s0_3 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1, %s0_2, %s0_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 6 >= 0)>
    } : memref<2x2x1x7xbf16> -> !ktdp.access_tile<2x2x1x7xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<2x2x1x7xindex> -> tensor<2x2x1x7xbf16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 0 >= 0, (t - 2 - g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<2x2x1x7xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<2x2x1x7xbf16>
    }
    %r0 = ktdp.inter_tile_gather(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 1 * g >= 0, -t + 2 + 1 * g + 0 >= 0, (t - 2 - 1 * g) mod 2 == 0)>,
        gather_dimensions = [2],
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 2 - g >= 0, -p + 2 + g + 0 >= 0, (p - 2 - g) mod 2 == 0, ((p - 2 - g) floordiv 2) floordiv 1 - ((c - 2 - 1 * g) floordiv 2) == 0)>
        : !ktdp.tile_future<(tensor<2x2x1x7xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<2x2x1x7xbf16>
    %c1 = arith.constant 166 : index
    %k1 = arith.constant 2 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [3, 2, 2, 9], strides: [1, 3, 54, 6] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 8 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x2x2x9xbf16>
    %s1_0 = arith.constant 1 : index
    %s1_1 = arith.constant 0 : index
    %s1_2 = arith.constant 1 : index
    %s1_3 = arith.constant 1 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1, %s1_2, %s1_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 0 >= 0, d3 >= 0, -d3 + 6 >= 0)>
    } : memref<3x2x2x9xbf16> -> !ktdp.access_tile<2x2x1x7xindex>
    ktdp.store %r0, %at1 : tensor<2x2x1x7xbf16>, !ktdp.access_tile<2x2x1x7xindex>
    return
  }
}
