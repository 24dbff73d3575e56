// SPDX-License-Identifier: MIT
module attributes {grid = [35]} {
  func.func @f(%host: index, %id1_0: tensor<4xi8>) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %k0 = arith.constant 0 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [6, 5, 3, 4], strides: [12, 72, 1, 3] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 4 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<6x5x3x4xf32>
    %s0_0 = arith.constant 1 : index
    %s0_1 = arith.constant 0 : index
    %s0_2 = arith.constant 1 : index
    %s0_3 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1, %s0_2, %s0_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 3 >= 0)>
    } : memref<6x5x3x4xf32> -> !ktdp.access_tile<4x4x2x4xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<4x4x2x4xindex> -> tensor<4x4x2x4xf32>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 14 * g >= 0, -t + 0 + 14 * g + 12 >= 0, (t - 0 - 14 * g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<4x4x2x4xf32>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<4x4x2x4xf32>
    }
    %r0 = ktdp.inter_tile_consume(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 19 * g >= 0, -t + 2 + 19 * g + 18 >= 0, (t - 2 - 19 * g) mod 2 == 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 0 - 14 * g >= 0, -p + 0 + 14 * g + 12 >= 0, (p - 0 - 14 * g) mod 3 == 0, (((p - 0 - 14 * g) floordiv 3) - ((c - 2 - 19 * g) floordiv 2) - 4) mod 5 == 0)>
        : !ktdp.tile_future<(tensor<4x4x2x4xf32>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<4x4x2x4xf32>
    %c1 = arith.constant 364 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [4, 4, 2, 4], strides: [32, 8, 4, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x4x2x4xf32>
    %s1_0 = arith.constant 0 : index
    %s1_1 = arith.constant 0 : index
    %s1_2 = arith.constant 0 : index
    %s1_3 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1, %s1_2, %s1_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 3 >= 0)>
    } : memref<4x4x2x4xf32> -> !ktdp.access_tile<4x4x2x4xindex>
    ktdp.store %r0, %at1 : tensor<4x4x2x4xf32>, !ktdp.access_tile<4x4x2x4xindex>
    %c2 = arith.constant 2024 : index
    %k2 = arith.constant 0 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [7], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<7xi8>
    %s2_0 = arith.constant 2 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
    } : memref<7xi8> -> !ktdp.access_tile<4xindex>
    %x1_0 = ktdp.load %at2 : !ktdp.access_tile<4xindex> -> tensor<4xi8>
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 7 * g >= 0, -t + 0 + 7 * g + 6 >= 0, (t - 0 - 7 * g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<4xi8>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<4xi8>
    }
    %r1 = ktdp.inter_tile_reduce(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 7 * g >= 0, -t + 0 + 7 * g + 0 >= 0, (t - 0 - 7 * g) mod 2 == 0)>,
        identity(%id1_0 : tensor<4xi8>)
        : !ktdp.tile_future<(tensor<4xi8>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<4xi8>
    {
      ^bb0(%a0: tensor<4xi8>, %a1: tensor<4xi8>):
        %f0 = arith.andi %a0, %a1 : tensor<4xi8>
        ktdp.yield_reduced %f0 : tensor<4xi8>
    }
    %part3 = tensor.extract_slice %r1[0] [3] [1] : tensor<4xi8> to tensor<3xi8>
    %c4 = arith.constant 2300 : index
    %k4 = arith.constant 0 : index
    %m4 = arith.muli %tile, %k4 : index
    %base4 = arith.addi %c4, %m4 : index
    %view4 = ktdp.construct_memory_view %base4, sizes: [3], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3xi8>
    %s4_0 = arith.constant 0 : index
    %at4 = ktdp.construct_access_tile %view4[%s4_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>
    } : memref<3xi8> -> !ktdp.access_tile<3xindex>
    ktdp.store %part3, %at4 : tensor<3xi8>, !ktdp.access_tile<3xindex>
    %part5 = tensor.extract_slice %r1[3] [1] [1] : tensor<4xi8> to tensor<1xi8>
    %c6 = arith.constant 2095 : index
    %k6 = arith.constant 4 : index
    %m6 = arith.muli %tile, %k6 : index
    %base6 = arith.addi %c6, %m6 : index
    %view6 = ktdp.construct_memory_view %base6, sizes: [1], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 0 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1xi8>
    %s6_0 = arith.constant 0 : index
    %at6 = ktdp.construct_access_tile %view6[%s6_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 0 >= 0)>
    } : memref<1xi8> -> !ktdp.access_tile<1xindex>
    ktdp.store %part5, %at6 : tensor<1xi8>, !ktdp.access_tile<1xindex>
    return
  }
}
