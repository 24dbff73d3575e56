// SPDX-License-Identifier: MIT
module attributes {grid = [25]} {
  func.func @f(%host: index) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %k0 = arith.constant 0 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [28], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 27 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<28xi32>
    %s0_0 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 27 >= 0)>
    } : memref<28xi32> -> !ktdp.access_tile<28xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<28xindex> -> tensor<28xi32>
    %c1 = arith.constant 284 : index
    %k1 = arith.constant 1 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [16], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<16xbf16>
    %s1_0 = arith.constant 0 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 15 >= 0)>
    } : memref<16xbf16> -> !ktdp.access_tile<16xindex>
    %x0_1 = ktdp.load %at1 : !ktdp.access_tile<16xindex> -> tensor<16xbf16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 0 - g >= 0, -t + 0 + g + 2 >= 0, (t - 0 - g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<28xi32>, tensor<16xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0, %x0_1 : tensor<28xi32>, tensor<16xbf16>
    }
    %r0:2 = ktdp.inter_tile_all_to_all(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - g >= 0, -t + 2 + g + 3 >= 0, (t - 2 - g) mod 1 == 0)>,
        split_dimensions = [0],
        concat_dimensions = [0],
        producer_dependency_per_consumer = affine_set<(p)[c, g] : (p - 0 - g >= 0, -p + 0 + g + 2 >= 0, (p - 0 - g) mod 2 == 0, (((p - 0 - g) floordiv 2) - ((c - 2 - g) floordiv 1)) mod 2 == 0)>
        : !ktdp.tile_future<(tensor<28xi32>, tensor<16xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> (tensor<7xi32>, tensor<4xbf16>)
    %c2 = arith.constant 2 : index
    %k2 = arith.constant 4 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [8], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 7 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<8xi32>
    %s2_0 = arith.constant 0 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 6 >= 0)>
    } : memref<8xi32> -> !ktdp.access_tile<7xindex>
    ktdp.store %r0#0, %at2 : tensor<7xi32>, !ktdp.access_tile<7xindex>
    %part3 = tensor.extract_slice %r0#1[0] [1] [1] : tensor<4xbf16> to tensor<1xbf16>
    %c4 = arith.constant 582 : index
    %k4 = arith.constant 0 : index
    %m4 = arith.muli %tile, %k4 : index
    %base4 = arith.addi %c4, %m4 : index
    %view4 = ktdp.construct_memory_view %base4, sizes: [1], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 0 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1xbf16>
    %s4_0 = arith.constant 0 : index
    %at4 = ktdp.construct_access_tile %view4[%s4_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 0 >= 0)>
    } : memref<1xbf16> -> !ktdp.access_tile<1xindex>
    ktdp.store %part3, %at4 : tensor<1xbf16>, !ktdp.access_tile<1xindex>
    %part5 = tensor.extract_slice %r0#1[1] [3] [1] : tensor<4xbf16> to tensor<3xbf16>
    %c6 = arith.constant 345 : index
    %k6 = arith.constant 8 : index
    %m6 = arith.muli %tile, %k6 : index
    %base6 = arith.addi %c6, %m6 : index
    %view6 = ktdp.construct_memory_view %base6, sizes: [3], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3xbf16>
    %s6_0 = arith.constant 0 : index
    %at6 = ktdp.construct_access_tile %view6[%s6_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 2 >= 0)>
    } : memref<3xbf16> -> !ktdp.access_tile<3xindex>
    ktdp.store %part5, %at6 : tensor<3xbf16>, !ktdp.access_tile<3xindex>
    return
  }
}
