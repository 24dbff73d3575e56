// SPDX-License-Identifier: MIT
module attributes {grid = [34]} {
  func.func @f(%host: index) {
    %tile = ktdp.get_compute_tile_id : index
    %base0 = arith.addi %host, %tile : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [2, 2], strides: [2, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>, memory_space = #ktdp.memory_space<global>
    } : memref<2x2xi16>
    %s0_0 = arith.constant 0 : index
    %s0_1 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>
    } : memref<2x2xi16> -> !ktdp.access_tile<2x2xindex>
    %x1_0 = ktdp.load %at0 : !ktdp.access_tile<2x2xindex> -> tensor<2x2xi16>
    %c1 = arith.constant 0 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [4, 2, 8], strides: [16, 8, 1] {
        coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x2x8xbf16>
    %s1_0 = arith.constant 0 : index
    %s1_1 = arith.constant 0 : index
    %s1_2 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1, %s1_2] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 7 >= 0)>
    } : memref<4x2x8xbf16> -> !ktdp.access_tile<4x2x8xindex>
    %x0_0 = ktdp.load %at1 : !ktdp.access_tile<4x2x8xindex> -> tensor<4x2x8xbf16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 8 * g >= 0, -t + 0 + 8 * g + 6 >= 0, (t - 0 - 8 * g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<4x2x8xbf16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<4x2x8xbf16>
    }
    %r0 = ktdp.inter_tile_gather(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 8 * g >= 0, -t + 2 + 8 * g + 6 >= 0, (t - 2 - 8 * g) mod 3 == 0)>,
        gather_dimensions = [2],
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 0 - 8 * g >= 0, -p + 0 + 8 * g + 6 >= 0, (p - 0 - 8 * g) mod 2 == 0, (((p - 0 - 8 * g) floordiv 2) - ((c - 2 - 8 * g) floordiv 3)) mod 2 == 0)>
        : !ktdp.tile_future<(tensor<4x2x8xbf16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<4x2x16xbf16>
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 1 * g >= 0, -t + 1 + 1 * g + 0 >= 0, (t - 1 - 1 * g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<2x2xi16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<2x2xi16>
    }
    %r1 = ktdp.inter_tile_consume(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 1 - g >= 0, -t + 1 + g + 0 >= 0, (t - 1 - g) mod 4 == 0)>
        : !ktdp.tile_future<(tensor<2x2xi16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<2x2xi16>
    %c2 = arith.constant 503 : index
    %k2 = arith.constant 8 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [3, 2], strides: [2, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x2xi16>
    %s2_0 = arith.constant 0 : index
    %s2_1 = arith.constant 0 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0, %s2_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0)>
    } : memref<3x2xi16> -> !ktdp.access_tile<2x2xindex>
    ktdp.store %r1, %at2 : tensor<2x2xi16>, !ktdp.access_tile<2x2xindex>
    return
  }
}
