// SPDX-License-Identifier: MIT
// An already completed sum: tiles 0..3 hold the finished 15 each. It is moved, not folded: the
// tiles rotate it among themselves and it stays 15. Folding it once more would give 60.
//
// GIVEN  tile 0 @0: f16 15*64
// GIVEN  tile 1 @0: f16 15*64
// GIVEN  tile 2 @0: f16 15*64
// GIVEN  tile 3 @0: f16 15*64
// EXPECT tile 0..3 @128: f16 15*64

#groups  = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#four    = affine_set<(t)[g] : (t >= 0, -t + 3 >= 0)>
#box1x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 0 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>
#next    = affine_set<(p)[c] : (p - (c + 1) mod 4 == 0)>

module attributes {grid = [32]} {
  func.func @completed_sum() {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %sum_view = ktdp.construct_memory_view %c0, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %sum_at = ktdp.construct_access_tile %sum_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    %sum = ktdp.load %sum_at : !ktdp.access_tile<1x64xindex> -> tensor<1x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #four
        -> !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %sum : tensor<1x64xf16>
    }
    %moved = ktdp.inter_tile_consume(%parts)
        consumer_tiles_per_group = #four,
        producer_dependency_per_consumer = #next
        : !ktdp.tile_future<(tensor<1x64xf16>), groups = #groups> -> tensor<1x64xf16>
    %out_view = ktdp.construct_memory_view %c64, sizes: [1, 64], strides: [64, 1] {
        coordinate_set = #box1x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<1x64xf16>
    %out_at = ktdp.construct_access_tile %out_view[%c0, %c0] {
        access_tile_set = #box1x64, access_tile_order = #id2
    } : memref<1x64xf16> -> !ktdp.access_tile<1x64xindex>
    ktdp.store %moved, %out_at : tensor<1x64xf16>, !ktdp.access_tile<1x64xindex>
    return
  }
}
