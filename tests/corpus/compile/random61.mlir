// SPDX-License-Identifier: MIT
module attributes {grid = [37]} {
  func.func @f(%host: index) {
    %tile = ktdp.get_compute_tile_id : index
    %base0 = arith.addi %host, %tile : index
    %view0 = ktdp.construct_memory_view %base0, sizes: [5], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>, memory_space = #ktdp.memory_space<global>
    } : memref<5xi16>
    %s0_0 = arith.constant 0 : index
    %at0 = ktdp.construct_access_tile %view0[%s0_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>
    } : memref<5xi16> -> !ktdp.access_tile<5xindex>
    %x0_0 = ktdp.load %at0 : !ktdp.access_tile<5xindex> -> tensor<5xi16>
    %fut0 = ktdp.inter_tile_produce producer_tiles_per_group = affine_set<(t)[g] : (t - 1 - 1 * g >= 0, -t + 1 + 1 * g + 0 >= 0)>
        -> !ktdp.tile_future<(tensor<5xi16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %x0_0 : tensor<5xi16>
    }
    %r0 = ktdp.inter_tile_consume(%fut0)
        consumer_tiles_per_group = affine_set<(t)[g] : (t - 0 - g >= 0, -t + 0 + g + 20 >= 0, (t - 0 - g) mod 4 == 0)>
        : !ktdp.tile_future<(tensor<5xi16>), groups = affine_set<(g) : (g >= 0, -g + 2 >= 0)>> -> tensor<5xi16>
    %c1 = arith.constant 35 : index
    %k1 = arith.constant 0 : index
    %m1 = arith.muli %tile, %k1 : index
    %base1 = arith.addi %c1, %m1 : index
    %view1 = ktdp.construct_memory_view %base1, sizes: [6], strides: [1] {
        coordinate_set = affine_set<(d0) : (d0 >= 0, -d0 + 5 >= 0)>, memory_space = #ktdp.memory_space<ct_local>
    } : memref<6xi16>
    %s1_0 = arith.constant 1 : index
    %at1 = ktdp.construct_access_tile %view1[%s1_0] {
        access_tile_set = affine_set<(d0) : (d0 >= 0, -d0 + 4 >= 0)>
    } : memref<6xi16> -> !ktdp.access_tile<5xindex>
    ktdp.store %r0, %at1 : tensor<5xi16>, !ktdp.access_tile<5xindex>
    return
  }
}
