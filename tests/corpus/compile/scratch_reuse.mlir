// SPDX-License-Identifier: MIT
// Scratch reuse over two iterations: the second gather lands where the first one did, after the
// first result was moved on. Iteration i takes row i of each of four tiles, gathers at element
// 1024, and broadcasts tile 0's assembly to element 2048 + 256 i.
//
// EXPECT tile 0..3 @4096: t0@0+128 t1@0+128 t2@0+128 t3@0+128
// EXPECT tile 0..3 @4608: t0@128+128 t1@128+128 t2@128+128 t3@128+128

#groups  = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#four    = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#zero    = affine_set<(t)[g] : (t == 0)>
#box2x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#box1x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#box4x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @scratch_reuse() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %c2304 = arith.constant 2304 : index
    %row0_view = ktdp.construct_memory_view %c0, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %row0_at = ktdp.construct_access_tile %row0_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
    %row0 = ktdp.load %row0_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts0 = ktdp.inter_tile_produce
        producer_tiles_per_group = #four
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %row0 : tensor<1x64xf16>
    }
    %rows0 = ktdp.inter_tile_gather(%parts0)
        consumer_tiles_per_group = #zero,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %scratch0_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %scratch0_at = ktdp.construct_access_tile %scratch0_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows0, %scratch0_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    %page0_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %page0_at = ktdp.construct_access_tile %page0_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %page0 = ktdp.load %page0_at : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %whole0 = ktdp.inter_tile_produce
        producer_tiles_per_group = #zero
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %page0 : tensor<4x64xf16>
    }
    %copy0 = ktdp.inter_tile_consume(%whole0)
        consumer_tiles_per_group = #four
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out0_view = ktdp.construct_memory_view %c2048, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out0_at = ktdp.construct_access_tile %out0_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %copy0, %out0_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    %row1_view = ktdp.construct_memory_view %c0, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %row1_at = ktdp.construct_access_tile %row1_view[%c1, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<1x64xindex>
    %row1 = ktdp.load %row1_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts1 = ktdp.inter_tile_produce
        producer_tiles_per_group = #four
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %row1 : tensor<1x64xf16>
    }
    %rows1 = ktdp.inter_tile_gather(%parts1)
        consumer_tiles_per_group = #zero,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %scratch1_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %scratch1_at = ktdp.construct_access_tile %scratch1_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows1, %scratch1_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    %page1_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %page1_at = ktdp.construct_access_tile %page1_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    %page1 = ktdp.load %page1_at : !ktdp.access_tile<4x64xindex> -> tensor<4x64xf16>
    %whole1 = ktdp.inter_tile_produce
        producer_tiles_per_group = #zero
        -> !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %page1 : tensor<4x64xf16>
    }
    %copy1 = ktdp.inter_tile_consume(%whole1)
        consumer_tiles_per_group = #four
        : !ktdp.tile_future<(tensor<4x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %out1_view = ktdp.construct_memory_view %c2304, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %out1_at = ktdp.construct_access_tile %out1_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %copy1, %out1_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
