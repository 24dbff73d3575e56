// SPDX-License-Identifier: MIT
// Two-axis assembly: 4 tiles hold the quarters of a 4 x 128 matrix, row of quarters by row;
// position l goes to quarter (l floordiv 2, l mod 2): first listed axis slowest.
//
// BAD: two fragments would be reversed. The list is written in descending order, as if that
// could make the second axis the slow one. Caught by rule R12 (the form of the list).
//
// EXPECT tile 0..3 @256: t0@0+128 t1@0+128 t0@128+128 t1@128+128 t2@0+128 t3@0+128 t2@128+128 t3@128+128

#groups   = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#four     = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#box2x64  = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2      = affine_map<(d0, d1) -> (d0, d1)>
#box4x128 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 127 >= 0)>

module attributes {grid = [32]} {
  func.func @two_axis_assembly_list() {
    %c0 = arith.constant 0 : index
    %c128 = arith.constant 128 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<2x64xindex> -> tensor<2x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #four
        -> !ktdp.tile_future<(tensor<2x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<2x64xf16>
    }
    %whole = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #four,
        gather_dimensions = [1, 0]
        : !ktdp.tile_future<(tensor<2x64xf16>), groups = #groups> -> tensor<4x128xf16>
    %out_view = ktdp.construct_memory_view %c128, sizes: [4, 128], strides: [128, 1] {
        coordinate_set = #box4x128, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x128xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box4x128, access_tile_order = #id2
    } : memref<4x128xf16> -> !ktdp.access_tile<4x128xindex>
    ktdp.store %whole, %out_at : tensor<4x128xf16>, !ktdp.access_tile<4x128xindex>
    return
  }
}
