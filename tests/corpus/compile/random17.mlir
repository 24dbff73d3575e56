// SPDX-License-Identifier: MIT
module attributes {grid = [23]} {
  func.func @f(%host: index, %id1_0: tensor<1x5xi16>) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 146 : index
    %k0 = arith.constant 0 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [3, 6, 7], strides: [6, 1, 18] {
        coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 5 >= 0, d2 >= 0, -d2 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x6x7xi16>
    %s0_0 = arith.constant 2 : index
    %s0_1 = arith.constant 1 : index
    %s0_2 = arith.constant 2 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1, %s0_2] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 3 >= 0)>
    } : memref<3x6x7xi16> -> !ktdp.access_tile<1x4x4xindex>
    %x2_0 = ktdp.load %at0 : !ktdp.access_tile<1x4x4xindex> -> tensor<1x4x4xi16>
    %c1 = arith.constant 0 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [6], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<6xf64>
    %s1_0 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>
    } : memref<6xf64> -> !ktdp.access_tile<6xindex>
    %x0_0 = ktdp.load %at1 : !ktdp.access_tile<6xindex> -> tensor<6xf64>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - g >= 0, -t + 1 + g + 8 >= 0, (t - 1 - g) mod 4 == 0)>
        -> !ktdp.tile_future<(tensor<6xf64>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<6xf64>
    }
    %r0 = ktdp.inter_tile_consume(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 3 * g >= 0, -t + 0 + 3 * g + 2 >= 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 1 - g >= 0, -p + 1 + g + 8 >= 0, (p - 1 - g) mod 4 == 0, (((p - 1 - g) floordiv 4) - (c - 0 - 3 * g) - 1) mod 3 == 0)>
        : !ktdp.tile_future<(tensor<6xf64>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<6xf64>
    %part2 = tensor.extract_slice %r0[0] [4] [1] : tensor<6xf64> to tensor<4xf64>
    %c3 = arith.constant 15 : index
    %k3 = arith.constant 0 : index
    %m3 = arith.muli %tile, %k3 : index
    %base3 = arith.addi %c3, %m3 : index
    %view3 = ktdp.construct_memory_view %base3, sizes: [4], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4xf64>
    %s3_0 = arith.constant 0 : index
    %at3 = ktdp.construct_access_tile %view3[%s3_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 3 >= 0)>
    } : memref<4xf64> -> !ktdp.access_tile<4xindex>
    ktdp.store %part2, %at3 : tensor<4xf64>, !ktdp.access_tile<4xindex>
    %part4 = tensor.extract_slice %r0[4] [2] [1] : tensor<6xf64> to tensor<2xf64>
    %c5 = arith.constant 13 : index
    %k5 = arith.constant 0 : index
    %m5 = arith.muli %tile, %k5 : index
    %base5 = arith.addi %c5, %m5 : index
    %view5 = ktdp.construct_memory_view %base5, sizes: [2], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2xf64>
    %s5_0 = arith.constant 0 : index
    %at5 = ktdp.construct_access_tile %view5[%s5_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
    } : memref<2xf64> -> !ktdp.access_tile<2xindex>
    ktdp.store %part4, %at5 : tensor<2xf64>, !ktdp.access_tile<2xindex>
    %c6 = arith.constant 110 : index
    %k6 = arith.constant 0 : index
    %m6 = arith.muli %tile, %k6 : index
    %base6 = arith.addi %c6, %m6 : index
    %view6 = ktdp.construct_memory_view %base6, sizes: [2, 5], strides: [1, 2] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 4 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x5xi16>
    %s6_0 = arith.constant 0 : index
    %s6_1 = arith.constant 0 : index
    %at6 = ktdp.construct_access_tile %view6[%s6_0, %s6_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 4 >= 0)>
    } : memref<2x5xi16> -> !ktdp.access_tile<1x5xindex>
    %x1_0 = ktdp.load %at6 : !ktdp.access_tile<1x5xindex> -> tensor<1x5xi16>
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 3 * g >= 0, -t + 1 + 3 * g + 1 >= 0)>
        -> !ktdp.tile_future<(tensor<1x5xi16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<1x5xi16>
    }
    %r1 = ktdp.inter_tile_reduce(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 3 * g >= 0, -t + 1 + 3 * g + 1 >= 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 1 - 3 * g >= 0, -p + 1 + 3 * g + 1 >= 0)>,
        identity(%id1_0 : tensor<1x5xi16>)
        : !ktdp.tile_future<(tensor<1x5xi16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<1x5xi16>
    {
      ^bb0(%a0: tensor<1x5xi16>, %a1: tensor<1x5xi16>):
        %f0 = arith.muli %a0, %a1 : tensor<1x5xi16>
        ktdp.yield_reduced %f0 : tensor<1x5xi16>
    }
    %c7 = arith.constant 124 : index
    %k7 = arith.constant 0 : index
    %m7 = arith.muli %tile, %k7 : index
    %base7 = arith.addi %c7, %m7 : index
    %view7 = ktdp.construct_memory_view %base7, sizes: [1, 5], strides: [5, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 4 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x5xi16>
    %s7_0 = arith.constant 0 : index
    %s7_1 = arith.constant 0 : index
    %at7 = ktdp.construct_access_tile %view7[%s7_0, %s7_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 4 >= 0)>
    } : memref<1x5xi16> -> !ktdp.access_tile<1x5xindex>
    ktdp.store %r1, %at7 : tensor<1x5xi16>, !ktdp.access_tile<1x5xindex>
    %fut2 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 5 * g >= 0, -t + 2 + 5 * g + 3 >= 0, (t - 2 - 5 * g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<1x4x4xi16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x2_0 : tensor<1x4x4xi16>
    }
    %r2 = ktdp.inter_tile_consume(%fut2)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 1 >= 0, (t - 2 - g) mod 1 == 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 2 - 5 * g >= 0, -p + 2 + 5 * g + 3 >= 0, (p - 2 - 5 * g) mod 3 == 0, (((p - 2 - 5 * g) floordiv 3) - ((c - 2 - g) floordiv 1) - 0) mod 2 == 0)>
        : !ktdp.tile_future<(tensor<1x4x4xi16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1x4x4xi16>
    %c8 = arith.constant 147 : index
    %k8 = arith.constant 0 : index
    %m8 = arith.muli %tile, %k8 : index
    %base8 = arith.addi %c8, %m8 : index
    %view8 = ktdp.construct_memory_view %base8, sizes: [2, 6, 7], strides: [1, 14, 2] {
        coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 5 >= 0, d2 >= 0, -d2 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x6x7xi16>
    %s8_0 = arith.constant 0 : index
    %s8_1 = arith.constant 1 : index
    %s8_2 = arith.constant 2 : index
    %at8 = ktdp.construct_access_tile %view8[%s8_0, %s8_1, %s8_2] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 3 >= 0)>
    } : memref<2x6x7xi16> -> !ktdp.access_tile<1x4x4xindex>
    ktdp.store %r2, %at8 : tensor<1x4x4xi16>, !ktdp.access_tile<1x4x4xindex>
    return
  }
}
