// SPDX-License-Identifier: MIT
module attributes {grid = [35]} {
  func.func @f(%host: index) {
    %tile = ktdp.get_compute_tile_id : index
    %base0 = arith.addi %host, %tile : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [4, 7], strides: [7, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 6 >= 0)>, memory_space = #ktdp.memory_space<global>
    } : memref<4x7xi16>
    %s0_0 = arith.constant 0 : index
    %s0_1 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 6 >= 0)>
    } : memref<4x7xi16> -> !ktdp.access_tile<4x7xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<4x7xindex> -> tensor<4x7xi16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 9 >= 0, (t - 2 - g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<4x7xi16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<4x7xi16>
    }
    %r0 = ktdp.inter_tile_consume(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 15 * g >= 0, -t + 2 + 15 * g + 14 >= 0, (t - 2 - 15 * g) mod 2 == 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 2 - g >= 0, -p + 2 + g + 9 >= 0, (p - 2 - g) mod 3 == 0, (((p - 2 - g) floordiv 3) - ((c - 2 - 15 * g) floordiv 2) - 2) mod 4 == 0)>
        : !ktdp.tile_future<(tensor<4x7xi16>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<4x7xi16>
    %c1 = arith.constant 82 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [1, 5], strides: [5, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 4 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x5xi32>
    %s1_0 = arith.constant 0 : index
    %s1_1 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 4 >= 0)>
    } : memref<1x5xi32> -> !ktdp.access_tile<1x5xindex>
    %x1_0 = ktdp.load %at1 : !ktdp.access_tile<1x5xindex> -> tensor<1x5xi32>
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 3 * g >= 0, -t + 2 + 3 * g + 2 >= 0)>
        -> !ktdp.tile_future<(tensor<1x5xi32>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<1x5xi32>
    }
    %r1 = ktdp.inter_tile_consume(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 12 * g >= 0, -t + 1 + 12 * g + 10 >= 0, (t - 1 - 12 * g) mod 2 == 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 2 - 3 * g >= 0, -p + 2 + 3 * g + 2 >= 0, ((p - 2 - 3 * g) - ((c - 1 - 12 * g) floordiv 2) - 2) mod 3 == 0)>
        : !ktdp.tile_future<(tensor<1x5xi32>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1x5xi32>
    %c2 = arith.constant 393 : index
    %k2 = arith.constant 7 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [6, 50], strides: [50, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 5 >= 0, d1 >= 0, -d1 + 49 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<6x50xf32>
    %s2_0 = arith.constant 2 : index
    %s2_1 = arith.constant 2 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0, %s2_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 47 >= 0)>
    } : memref<6x50xf32> -> !ktdp.access_tile<4x48xindex>
    %x2_0 = ktdp.load %at2 : !ktdp.access_tile<4x48xindex> -> tensor<4x48xf32>
    %fut2 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 2 * g >= 0, -t + 0 + 2 * g + 0 >= 0, (t - 0 - 2 * g) mod 3 == 0)>
        -> !ktdp.tile_future<(tensor<4x48xf32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x2_0 : tensor<4x48xf32>
    }
    %r2 = ktdp.inter_tile_scatter(%fut2)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 15 >= 0, (t - 2 - g) mod 3 == 0)>,
        scatter_dimensions = [0, 1]
        : !ktdp.tile_future<(tensor<4x48xf32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<4x8xf32>
    %c3 = arith.constant 949 : index
    %k3 = arith.constant 0 : index
    %m3 = arith.muli %tile, %k3 : index
    %base3 = arith.addi %c3, %m3 : index
    %view3 = ktdp.construct_memory_view %base3, sizes: [4, 8], strides: [8, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x8xf32>
    %s3_0 = arith.constant 0 : index
    %s3_1 = arith.constant 0 : index
    %at3 = ktdp.construct_access_tile %view3[%s3_0, %s3_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 7 >= 0)>
    } : memref<4x8xf32> -> !ktdp.access_tile<4x8xindex>
    ktdp.store %r2, %at3 : tensor<4x8xf32>, !ktdp.access_tile<4x8xindex>
    %part4 = tensor.extract_slice %r0[0, 0] [1, 7] [1, 1] : tensor<4x7xi16> to tensor<1x7xi16>
    %c5 = arith.constant 124 : index
    %k5 = arith.constant 0 : index
    %m5 = arith.muli %tile, %k5 : index
    %base5 = arith.addi %c5, %m5 : index
    %view5 = ktdp.construct_memory_view %base5, sizes: [3, 9], strides: [1, 4] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 8 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x9xi16>
    %s5_0 = arith.constant 2 : index
    %s5_1 = arith.constant 1 : index
    %at5 = ktdp.construct_access_tile %view5[%s5_0, %s5_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 6 >= 0)>
    } : memref<3x9xi16> -> !ktdp.access_tile<1x7xindex>
    ktdp.store %part4, %at5 : tensor<1x7xi16>, !ktdp.access_tile<1x7xindex>
    %part6 = tensor.extract_slice %r0[1, 0] [3, 7] [1, 1] : tensor<4x7xi16> to tensor<3x7xi16>
    %c7 = arith.constant 61 : index
    %k7 = arith.constant 0 : index
    %m7 = arith.muli %tile, %k7 : index
    %base7 = arith.addi %c7, %m7 : index
    %view7 = ktdp.construct_memory_view %base7, sizes: [4, 10], strides: [1, 4] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 9 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x10xi16>
    %s7_0 = arith.constant 1 : index
    %s7_1 = arith.constant 2 : index
    %at7 = ktdp.construct_access_tile %view7[%s7_0, %s7_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 6 >= 0)>
    } : memref<4x10xi16> -> !ktdp.access_tile<3x7xindex>
    ktdp.store %part6, %at7 : tensor<3x7xi16>, !ktdp.access_tile<3x7xindex>
    %part8 = tensor.extract_slice %r1[0, 0] [1, 2] [1, 1] : tensor<1x5xi32> to tensor<1x2xi32>
    %c9 = arith.constant 100 : index
    %k9 = arith.constant 8 : index
    %m9 = arith.muli %tile, %k9 : index
    %base9 = arith.addi %c9, %m9 : index
    %view9 = ktdp.construct_memory_view %base9, sizes: [3, 3], strides: [3, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x3xi32>
    %s9_0 = arith.constant 1 : index
    %s9_1 = arith.constant 0 : index
    %at9 = ktdp.construct_access_tile %view9[%s9_0, %s9_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 1 >= 0)>
    } : memref<3x3xi32> -> !ktdp.access_tile<1x2xindex>
    ktdp.store %part8, %at9 : tensor<1x2xi32>, !ktdp.access_tile<1x2xindex>
    %part10 = tensor.extract_slice %r1[0, 2] [1, 3] [1, 1] : tensor<1x5xi32> to tensor<1x3xi32>
    %c11 = arith.constant 89 : index
    %k11 = arith.constant 0 : index
    %m11 = arith.muli %tile, %k11 : index
    %base11 = arith.addi %c11, %m11 : index
    %view11 = ktdp.construct_memory_view %base11, sizes: [1, 3], strides: [3, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x3xi32>
    %s11_0 = arith.constant 0 : index
    %s11_1 = arith.constant 0 : index
    %at11 = ktdp.construct_access_tile %view11[%s11_0, %s11_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 2 >= 0)>
    } : memref<1x3xi32> -> !ktdp.access_tile<1x3xindex>
    ktdp.store %part10, %at11 : tensor<1x3xi32>, !ktdp.access_tile<1x3xindex>
    return
  }
}
