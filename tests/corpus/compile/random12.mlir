// SPDX-License-Identifier: MIT
module attributes {grid = [22]} {
  func.func @f(%host: index, %id0_0: tensor<2x7xbf16>) {
    %tile = ktdp.get_compute_tile_id : index
    %c0 = arith.constant 0 : index
    %k0 = arith.constant 4 : index
    %m0 = arith.muli %tile, %k0 : index
    %base0 = arith.addi %c0, %m0 : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [3, 9], strides: [1, 5] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 2 >= 0, d1 >= 0, -d1 + 8 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<3x9xbf16>
    %s0_0 = arith.constant 0 : index
    %s0_1 = arith.constant 2 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0, %s0_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 6 >= 0)>
    } : memref<3x9xbf16> -> !ktdp.access_tile<2x7xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<2x7xindex> -> tensor<2x7xbf16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 1 * g >= 0, -t + 1 + 1 * g + 0 >= 0, (t - 1 - 1 * g) mod 2 == 0)>
        -> !ktdp.tile_future<(tensor<2x7xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<2x7xbf16>
    }
    %r0 = ktdp.inter_tile_reduce_scatter(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 2 - 2 * g >= 0, -t + 2 + 2 * g + 1 >= 0)>,
        scatter_dimensions = [0, 1],
        identity(%id0_0 : tensor<2x7xbf16>)
        : !ktdp.tile_future<(tensor<2x7xbf16>), groups = affine_set<(g) : (g >= 0, -g + 0 >= 0)>> -> tensor<1x7xbf16>
    {
      ^bb0(%a0: tensor<2x7xbf16>, %a1: tensor<2x7xbf16>):
        %f0 = arith.minimumf %a0, %a1 : tensor<2x7xbf16>
        ktdp.yield_reduced %f0 : tensor<2x7xbf16>
    }
    %part1 = tensor.extract_slice %r0[0, 0] [1, 6] [1, 1] : tensor<1x7xbf16> to tensor<1x6xbf16>
    %c2 = arith.constant 150 : index
    %k2 = arith.constant 0 : index
    %m2 = arith.muli %tile, %k2 : index
    %base2 = arith.addi %c2, %m2 : index
    %view2 = ktdp.construct_memory_view %base2, sizes: [2, 7], strides: [7, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 6 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x7xbf16>
    %s2_0 = arith.constant 1 : index
    %s2_1 = arith.constant 0 : index
    %at2 = ktdp.construct_access_tile %view2[%s2_0, %s2_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 5 >= 0)>
    } : memref<2x7xbf16> -> !ktdp.access_tile<1x6xindex>
    ktdp.store %part1, %at2 : tensor<1x6xbf16>, !ktdp.access_tile<1x6xindex>
    %part3 = tensor.extract_slice %r0[0, 6] [1, 1] [1, 1] : tensor<1x7xbf16> to tensor<1x1xbf16>
    %c4 = arith.constant 136 : index
    %k4 = arith.constant 0 : index
    %m4 = arith.muli %tile, %k4 : index
    %base4 = arith.addi %c4, %m4 : index
    %view4 = ktdp.construct_memory_view %base4, sizes: [2, 3], strides: [3, 1] {
        coordinate_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 2 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x3xbf16>
    %s4_0 = arith.constant 0 : index
    %s4_1 = arith.constant 1 : index
    %at4 = ktdp.construct_access_tile %view4[%s4_0, %s4_1] {
        access_tile_set = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 0 >= 0)>
    } : memref<2x3xbf16> -> !ktdp.access_tile<1x1xindex>
    ktdp.store %part3, %at4 : tensor<1x1xbf16>, !ktdp.access_tile<1x1xindex>
    return
  }
}
