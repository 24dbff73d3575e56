// SPDX-License-Identifier: MIT
// Logical order opposite to tile order: tile 1 holds the first half of the rows and tile 0 the
// second. An assembly follows ascending tile ids, so the reorder is written where it belongs:
// two stores of slices of one result at swapped bases. It moves nothing twice.
//
// EXPECT tile 0..1 @512: t1@0+256 t0@0+256

#groups  = affine_set<(g) : (g >= 0, -g + 0 >= 0)>
#pair    = affine_set<(t)[g] : (t >= 0, -t + 1 >= 0)>
#box2x64 = affine_set<(d0, d1) : (d0 >= 0, -d0 + 1 >= 0, d1 >= 0, -d1 + 63 >= 0)>
#id2     = affine_map<(d0, d1) -> (d0, d1)>

module attributes {grid = [32]} {
  func.func @logical_order() {
    %c0 = arith.constant 0 : index
    %c256 = arith.constant 256 : index
    %c384 = arith.constant 384 : index
    %mine_view = ktdp.construct_memory_view %c0, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %mine_at = ktdp.construct_access_tile %mine_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    %mine = ktdp.load %mine_at : !ktdp.access_tile<2x64xindex> -> tensor<2x64xf16>
    %parts = ktdp.inter_tile_produce
        producer_tiles_per_group = #pair
        -> !ktdp.tile_future<(tensor<2x64xf16>), groups = #groups>
    {
      ^bb0(%gid: index):
        ktdp.yield_partial %mine : tensor<2x64xf16>
    }
    %both = ktdp.inter_tile_gather(%parts)
        consumer_tiles_per_group = #pair,
        gather_dimensions = [0]
        : !ktdp.tile_future<(tensor<2x64xf16>), groups = #groups> -> tensor<4x64xf16>
    %from0 = tensor.extract_slice %both[0, 0] [2, 64] [1, 1] : tensor<4x64xf16> to tensor<2x64xf16>
    %from1 = tensor.extract_slice %both[2, 0] [2, 64] [1, 1] : tensor<4x64xf16> to tensor<2x64xf16>
    %second_view = ktdp.construct_memory_view %c384, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %second_at = ktdp.construct_access_tile %second_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    ktdp.store %from0, %second_at : tensor<2x64xf16>, !ktdp.access_tile<2x64xindex>
    %first_view = ktdp.construct_memory_view %c256, sizes: [2, 64], strides: [64, 1] {
        coordinate_set = #box2x64, memory_space = #ktdp.memory_space<ct_local>
    } : memref<2x64xf16>
    %first_at = ktdp.construct_access_tile %first_view[%c0, %c0] {
        access_tile_set = #box2x64, access_tile_order = #id2
    } : memref<2x64xf16> -> !ktdp.access_tile<2x64xindex>
    ktdp.store %from1, %first_at : tensor<2x64xf16>, !ktdp.access_tile<2x64xindex>
    return
  }
}
