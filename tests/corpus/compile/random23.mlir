// SPDX-License-Identifier: MIT
module attributes {grid = [31]} {
  func.func @f(%host: index, %id2_0: tensor<3x2x4x3xi32>, %id2_1: tensor<3x2x4x3xi32>) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 247 : index
    %k0 = arith.constant 0 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [7], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<7xf32>
    %s0_0 = arith.constant 1 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>
    } : memref<7xf32> -> !ktdp.access_tile<5xindex>
    %x1_0 = ktdp.load %at0 : !ktdp.access_tile<5xindex> -> tensor<5xf32>
    %c1 = arith.constant 0 : index
    %k1 = arith.constant 7 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [1, 16, 2, 8], strides: [256, 16, 8, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x16x2x8xi16>
    %s1_0 = arith.constant 0 : index
    %s1_1 = arith.constant 0 : index
    %s1_2 = arith.constant 0 : index
    %s1_3 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1, %s1_2, %s1_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 15 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 7 >= 0)>
    } : memref<1x16x2x8xi16> -> !ktdp.access_tile<1x16x2x8xindex>
    %x0_0 = ktdp.load %at1 : !ktdp.access_tile<1x16x2x8xindex> -> tensor<1x16x2x8xi16>
    %c2 = arith.constant 148 : index
    %k2 = arith.constant 0 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [3, 9, 4, 6], strides: [36, 4, 1, 108] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 8 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 5 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x9x4x6xi64>
    %s2_0 = arith.constant 1 : index
    %s2_1 = arith.constant 0 : index
    %s2_2 = arith.constant 1 : index
    %s2_3 = arith.constant 1 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0, %s2_1, %s2_2, %s2_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 7 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>
    } : memref<3x9x4x6xi64> -> !ktdp.access_tile<2x8x3x4xindex>
    %x0_1 = ktdp.load %at2 : !ktdp.access_tile<2x8x3x4xindex> -> tensor<2x8x3x4xi64>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 2 * g >= 0, -t + 1 + 2 * g + 0 >= 0)>
        -> !ktdp.tile_future<(tensor<1x16x2x8xi16>, tensor<2x8x3x4xi64>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0, %x0_1 : tensor<1x16x2x8xi16>, tensor<2x8x3x4xi64>
    }
    %r0:2 = ktdp.inter_tile_all_to_all(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 1 - g >= 0, -t + 1 + g + 12 >= 0, (t - 1 - g) mod 4 == 0)>,
        split_dimensions = [1],
        concat_dimensions = [2]
        : !ktdp.tile_future<(tensor<1x16x2x8xi16>, tensor<2x8x3x4xi64>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> (tensor<1x4x2x8xi16>, tensor<2x2x3x4xi64>)
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - g >= 0, -t + 0 + g + 16 >= 0, (t - 0 - g) mod 4 == 0)>
        -> !ktdp.tile_future<(tensor<5xf32>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<5xf32>
    }
    %r1 = ktdp.inter_tile_all_to_all(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 0 >= 0, (t - 2 - g) mod 4 == 0)>,
        split_dimensions = [0],
        concat_dimensions = [0]
        : !ktdp.tile_future<(tensor<5xf32>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<25xf32>
    %part3 = tensor.extract_slice %r1[0] [15] [1] : tensor<25xf32> to tensor<15xf32>
    %c4 = arith.constant 1739 : index
    %k4 = arith.constant 0 : index
    %m4 = arith.muli %tile, %k4 : index
    %base4 = arith.addi %c4, %m4 : index
    %view4 = ktdp.construct_memory_view %base4, sizes: [18], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 17 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<18xf32>
    %s4_0 = arith.constant 2 : index
    %at4 = ktdp.construct_access_tile %view4[%s4_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 14 >= 0)>
    } : memref<18xf32> -> !ktdp.access_tile<15xindex>
    ktdp.store %part3, %at4 : tensor<15xf32>, !ktdp.access_tile<15xindex>
    %part5 = tensor.extract_slice %r1[15] [10] [1] : tensor<25xf32> to tensor<10xf32>
    %c6 = arith.constant 1725 : index
    %k6 = arith.constant 0 : index
    %m6 = arith.muli %tile, %k6 : index
    %base6 = arith.addi %c6, %m6 : index
    %view6 = ktdp.construct_memory_view %base6, sizes: [10], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<10xf32>
    %s6_0 = arith.constant 0 : index
    %at6 = ktdp.construct_access_tile %view6[%s6_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 9 >= 0)>
    } : memref<10xf32> -> !ktdp.access_tile<10xindex>
    ktdp.store %part5, %at6 : tensor<10xf32>, !ktdp.access_tile<10xindex>
    %c7 = arith.constant 1768 : index
    %k7 = arith.constant 0 : index
    %m7 = arith.muli %tile, %k7 : index
    %base7 = arith.addi %c7, %m7 : index
    %view7 = ktdp.construct_memory_view %base7, sizes: [3, 2, 4, 3], strides: [24, 12, 3, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x2x4x3xi32>
    %s7_0 = arith.constant 0 : index
    %s7_1 = arith.constant 0 : index
    %s7_2 = arith.constant 0 : index
    %s7_3 = arith.constant 0 : index
    %at7 = ktdp.construct_access_tile %view7[%s7_0, %s7_1, %s7_2, %s7_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>
    } : memref<3x2x4x3xi32> -> !ktdp.access_tile<3x2x4x3xindex>
    %x2_0 = ktdp.load %at7 : !ktdp.access_tile<3x2x4x3xindex> -> tensor<3x2x4x3xi32>
    %c8 = arith.constant 2944 : index
    %k8 = arith.constant 8 : index
    %m8 = arith.muli %tile, %k8 : index
    %base8 = arith.addi %c8, %m8 : index
    %view8 = ktdp.construct_memory_view %base8, sizes: [3, 2, 4, 3], strides: [24, 12, 3, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x2x4x3xi32>
    %s8_0 = arith.constant 0 : index
    %s8_1 = arith.constant 0 : index
    %s8_2 = arith.constant 0 : index
    %s8_3 = arith.constant 0 : index
    %at8 = ktdp.construct_access_tile %view8[%s8_0, %s8_1, %s8_2, %s8_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>
    } : memref<3x2x4x3xi32> -> !ktdp.access_tile<3x2x4x3xindex>
    %x2_1 = ktdp.load %at8 : !ktdp.access_tile<3x2x4x3xindex> -> tensor<3x2x4x3xi32>
    %fut2 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - g >= 0, -t + 0 + g + 3 >= 0, (t - 0 - g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<3x2x4x3xi32>, tensor<3x2x4x3xi32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x2_0, %x2_1 : tensor<3x2x4x3xi32>, tensor<3x2x4x3xi32>
    }
    %r2:2 = ktdp.inter_tile_reduce(%fut2)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - g >= 0, -t + 0 + g + 3 >= 0, (t - 0 - g) mod 3 == 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 0 - g >= 0, -p + 0 + g + 3 >= 0, (p - 0 - g) mod 3 == 0, ((p - 0 - g) floordiv 3) floordiv 1 - ((c - 0 - g) floordiv 3) == 0)>,
        identity(%id2_0 : tensor<3x2x4x3xi32>, %id2_1 : tensor<3x2x4x3xi32>)
        : !ktdp.tile_future<(tensor<3x2x4x3xi32>, tensor<3x2x4x3xi32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> (tensor<3x2x4x3xi32>, tensor<3x2x4x3xi32>)
    {
      ^bb0(%a0: tensor<3x2x4x3xi32>, %a1: tensor<3x2x4x3xi32>, %a2: tensor<3x2x4x3xi32>, %a3: tensor<3x2x4x3xi32>):
        %f0 = arith.addi %a0, %a2 : tensor<3x2x4x3xi32>
        %f1 = arith.addi %a1, %a3 : tensor<3x2x4x3xi32>
        ktdp.yield_reduced %f0, %f1 : tensor<3x2x4x3xi32>, tensor<3x2x4x3xi32>
    }
    %c9 = arith.constant 1858 : index
    %k9 = arith.constant 3 : index
    %m9 = arith.muli %tile, %k9 : index
    %base9 = arith.addi %c9, %m9 : index
    %view9 = ktdp.construct_memory_view %base9, sizes: [3, 2, 4, 3], strides: [24, 12, 3, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x2x4x3xi32>
    %s9_0 = arith.constant 0 : index
    %s9_1 = arith.constant 0 : index
    %s9_2 = arith.constant 0 : index
    %s9_3 = arith.constant 0 : index
    %at9 = ktdp.construct_access_tile %view9[%s9_0, %s9_1, %s9_2, %s9_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>
    } : memref<3x2x4x3xi32> -> !ktdp.access_tile<3x2x4x3xindex>
    ktdp.store %r2#0, %at9 : tensor<3x2x4x3xi32>, !ktdp.access_tile<3x2x4x3xindex>
    %c10 = arith.constant 3278 : index
    %k10 = arith.constant 0 : index
    %m10 = arith.muli %tile, %k10 : index
    %base10 = arith.addi %c10, %m10 : index
    %view10 = ktdp.construct_memory_view %base10, sizes: [5, 5, 5, 6], strides: [6, 30, 150, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 4 >= 0, d1 >= 0, -d1 + 4 >= 0, d2 >= 0, -d2 + 4 >= 0, d3 >= 0, -d3 + 5 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<5x5x5x6xi32>
    %s10_0 = arith.constant 2 : index
    %s10_1 = arith.constant 2 : index
    %s10_2 = arith.constant 0 : index
    %s10_3 = arith.constant 2 : index
    %at10 = ktdp.construct_access_tile %view10[%s10_0, %s10_1, %s10_2, %s10_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 3 >= 0, d3 >= 0, -d3 + 2 >= 0)>
    } : memref<5x5x5x6xi32> -> !ktdp.access_tile<3x2x4x3xindex>
    ktdp.store %r2#1, %at10 : tensor<3x2x4x3xi32>, !ktdp.access_tile<3x2x4x3xindex>
    %c11 = arith.constant 494 : index
    %k11 = arith.constant 0 : index
    %m11 = arith.muli %tile, %k11 : index
    %base11 = arith.addi %c11, %m11 : index
    %view11 = ktdp.construct_memory_view %base11, sizes: [1, 4, 2, 8], strides: [64, 16, 8, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x4x2x8xi16>
    %s11_0 = arith.constant 0 : index
    %s11_1 = arith.constant 0 : index
    %s11_2 = arith.constant 0 : index
    %s11_3 = arith.constant 0 : index
    %at11 = ktdp.construct_access_tile %view11[%s11_0, %s11_1, %s11_2, %s11_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 3 >= 0, d2 >= 0, -d2 + 1 >= 0, d3 >= 0, -d3 + 7 >= 0)>
    } : memref<1x4x2x8xi16> -> !ktdp.access_tile<1x4x2x8xindex>
    ktdp.store %r0#0, %at11 : tensor<1x4x2x8xi16>, !ktdp.access_tile<1x4x2x8xindex>
    %c12 = arith.constant 149 : index
    %k12 = arith.constant 0 : index
    %m12 = arith.muli %tile, %k12 : index
    %base12 = arith.addi %c12, %m12 : index
    %view12 = ktdp.construct_memory_view %base12, sizes: [2, 2, 3, 4], strides: [24, 12, 4, 1] {
        coordinate_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x2x3x4xi64>
    %s12_0 = arith.constant 0 : index
    %s12_1 = arith.constant 0 : index
    %s12_2 = arith.constant 0 : index
    %s12_3 = arith.constant 0 : index
    %at12 = ktdp.construct_access_tile %view12[%s12_0, %s12_1, %s12_2, %s12_3] {
        access_tile_set = affine_set<(d0, d1, d2, d3) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 1 >= 0, d2 >= 0, -d2 + 2 >= 0, d3 >= 0, -d3 + 3 >= 0)>
    } : memref<2x2x3x4xi64> -> !ktdp.access_tile<2x2x3x4xindex>
    ktdp.store %r0#1, %at12 : tensor<2x2x3x4xi64>, !ktdp.access_tile<2x2x3x4xindex>
    return
  }
}
