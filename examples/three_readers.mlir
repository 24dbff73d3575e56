// SPDX-License-Identifier: MIT
// One delivery, three readers: the result of one gather is stored at three places. The pieces
// cross the ring once per destination tile; the copies are the same delivery.
//
// EXPECT tile 4 @2048: t0@0+128 t1@0+128 t2@0+128 t3@0+128
// EXPECT tile 4 @4096: t0@0+128 t1@0+128 t2@0+128 t3@0+128
// EXPECT tile 4 @6144: t0@0+128 t1@0+128 t2@0+128 t3@0+128

#groups    = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#producers = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#consumer  = affine_set<(t)[g] : (t - 4 == 0)>
#box1x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2       = affine_map<(d0, d1) -> (d0, d1)>
#box4x64   = affine_set<(d0, d1) : (d0 >= 0, -d0 + 3 >= 0, d1 >= 0, -d1 + 63 >= 0)>

module attributes {grid = [32]} {
  func.func @three_readers() {
    %c0 = arith.constant 0 : index
    %c1024 = arith.constant 1024 : index
    %c2048 = arith.constant 2048 : index
    %c3072 = arith.constant 3072 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #producers
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<1x64xf16>
    }
    %rows = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #consumer,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %reader0_view = ktdp.construct_memory_view %c1024, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %reader0_at = ktdp.construct_access_tile %reader0_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows, %reader0_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    %reader1_view = ktdp.construct_memory_view %c2048, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %reader1_at = ktdp.construct_access_tile %reader1_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows, %reader1_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    %reader2_view = ktdp.construct_memory_view %c3072, sizes: [4, 64], strides: [64, 1] {
        coordinate_set = #box4x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<4x64xf16>
    %reader2_at = ktdp.construct_access_tile %reader2_view[%c0, %c0] {
        access_tile_set = #box4x64, access_tile_order = #id2
    } : memref<4x64xf16> -> !ktdp.access_tile<4x64xindex>
    ktdp.store %rows, %reader2_at : tensor<4x64xf16>, !ktdp.access_tile<4x64xindex>
    return
  }
}
