// SPDX-License-Identifier: MIT
module attributes {grid = [13]} {
  func.func @f(%host: index, %id1_0: tensor<5xf16>, %id2_0: tensor<2xi32>) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %k0 = arith.constant 0 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [2, 3, 8], strides: [24, 8, 1] {
        coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x3x8xf32>
    %s0_0 = arith.constant 0 : index
    %s0_1 = arith.constant 0 : index
    %s0_2 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1, %s0_2] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 7 >= 0)>
    } : memref<2x3x8xf32> -> !ktdp.access_tile<2x3x8xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<2x3x8xindex> -> tensor<2x3x8xf32>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 2 * g >= 0, -t + 1 + 2 * g + 0 >= 0, (t - 1 - 2 * g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<2x3x8xf32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<2x3x8xf32>
    }
    %r0 = ktdp.inter_tile_scatter(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 1 * g >= 0, -t + 0 + 1 * g + 0 >= 0)>,
        scatter_dimensions = [0]
        : !ktdp.tile_future<(tensor<2x3x8xf32>), groups = affine_set<(g) : (g >= 0, -g + 1 >= 0)>> -> tensor<2x3x8xf32>
    %c1 = arith.constant 58 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [3, 6, 10], strides: [1, 3, 18] {
        coordinate_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 5 >= 0, d2 >= 0, -d2 + 9 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x6x10xf32>
    %s1_0 = arith.constant 0 : index
    %s1_1 = arith.constant 2 : index
    %s1_2 = arith.constant 1 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0, %s1_1, %s1_2] {
        access_tile_set = affine_set<(d0, d1, d2) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0, d2 >= 0, -d2 + 7 >= 0)>
    } : memref<3x6x10xf32> -> !ktdp.access_tile<2x3x8xindex>
    ktdp.store %r0, %at1 : tensor<2x3x8xf32>, !ktdp.access_tile<2x3x8xindex>
    %c2 = arith.constant 476 : index
    %k2 = arith.constant 1 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [5], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<5xf16>
    %s2_0 = arith.constant 0 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>
    } : memref<5xf16> -> !ktdp.access_tile<5xindex>
    %x1_0 = ktdp.load %at2 : !ktdp.access_tile<5xindex> -> tensor<5xf16>
    %fut1 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 5 * g >= 0, -t + 0 + 5 * g + 4 >= 0, (t - 0 - 5 * g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<5xf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x1_0 : tensor<5xf16>
    }
    %r1 = ktdp.inter_tile_reduce(%fut1)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - 5 * g >= 0, -t + 0 + 5 * g + 0 >= 0, (t - 0 - 5 * g) mod 2 == 0)>,
        identity(%id1_0 : tensor<5xf16>)
        : !ktdp.tile_future<(tensor<5xf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<5xf16>
    {
      ^bb0(%a0: tensor<5xf16>, %a1: tensor<5xf16>):
        %f0 = arith.maxnumf %a0, %a1 : tensor<5xf16>
        ktdp.yield_reduced %f0 : tensor<5xf16>
    }
    %c3 = arith.constant 527 : index
    %k3 = arith.constant 2 : index
    %m3 = arith.muli %tile, %k3 : index
    %base3 = arith.addi %c3, %m3 : index
    %view3 = ktdp.construct_memory_view %base3, sizes: [7], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<7xf16>
    %s3_0 = arith.constant 2 : index
    %at3 = ktdp.construct_access_tile %view3[%s3_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>
    } : memref<7xf16> -> !ktdp.access_tile<5xindex>
    ktdp.store %r1, %at3 : tensor<5xf16>, !ktdp.access_tile<5xindex>
    %c4 = arith.constant 283 : index
    %k4 = arith.constant 3 : index
    %m4 = arith.muli %tile, %k4 : index
    %base4 = arith.addi %c4, %m4 : index
    %view4 = ktdp.construct_memory_view %base4, sizes: [3], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3xi32>
    %s4_0 = arith.constant 1 : index
    %at4 = ktdp.construct_access_tile %view4[%s4_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
    } : memref<3xi32> -> !ktdp.access_tile<2xindex>
    %x2_0 = ktdp.load %at4 : !ktdp.access_tile<2xindex> -> tensor<2xi32>
    %fut2 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 1 * g >= 0, -t + 2 + 1 * g + 0 >= 0)>
        -> !ktdp.tile_future<(tensor<2xi32>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x2_0 : tensor<2xi32>
    }
    %r2 = ktdp.inter_tile_reduce(%fut2)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 1 * g >= 0, -t + 2 + 1 * g + 0 >= 0)>,
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 2 - 1 * g >= 0, -p + 2 + 1 * g + 0 >= 0)>,
        identity(%id2_0 : tensor<2xi32>)
        : !ktdp.tile_future<(tensor<2xi32>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<2xi32>
    {
      ^bb0(%a0: tensor<2xi32>, %a1: tensor<2xi32>):
        %f0 = arith.muli %a0, %a1 : tensor<2xi32>
        ktdp.yield_reduced %f0 : tensor<2xi32>
    }
    %c5 = arith.constant 326 : index
    %k5 = arith.constant 0 : index
    %m5 = arith.muli %tile, %k5 : index
    %base5 = arith.addi %c5, %m5 : index
    %view5 = ktdp.construct_memory_view %base5, sizes: [2], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2xi32>
    %s5_0 = arith.constant 0 : index
    %at5 = ktdp.construct_access_tile %view5[%s5_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 1 >= 0)>
    } : memref<2xi32> -> !ktdp.access_tile<2xindex>
    ktdp.store %r2, %at5 : tensor<2xi32>, !ktdp.access_tile<2xindex>
    return
  }
}
