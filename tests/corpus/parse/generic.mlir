"builtin.module"() ({
  "func.func"() <{sym_name = "f"}> ({
  ^bb0(%t: tensor<4x8xf16>, %i: index):
    %f = "ktdp.inter_tile_produce"() ({
    ^bb0(%g: index):
      "ktdp.yield_partial"(%t) : (tensor<4x8xf16>) -> ()
    }) {producer_tiles_per_group = affine_set<(i)[g] : (i == g)>} : () -> !ktdp.tile_future<(tensor<4x8xf16>), groups = [0, 1]>
    %r = "ktdp.inter_tile_reduce"(%f, %t) ({
    ^bb0(%a: tensor<4x8xf16>, %b: tensor<4x8xf16>):
      "ktdp.yield_reduced"(%a) : (tensor<4x8xf16>) -> ()
    }) {consumer_tiles_per_group = affine_set<(i)[g] : (i == g)>, operandSegmentSizes = array<i32: 1, 1>} : (!ktdp.tile_future<(tensor<4x8xf16>), groups = [0, 1]>, tensor<4x8xf16>) -> tensor<4x8xf16>
    %v = "ktdp.construct_memory_view"(%i, %i) {static_sizes = array<i64: 4, 8>, static_strides = array<i64: -9223372036854775808, 1>, memory_space = #ktdp.memory_space<global>} : (index, index) -> memref<4x8xf16>
    %p = "arith.cmpi"(%i, %i) {predicate = 2 : i64} : (index, index) -> i1
    "func.return"() : () -> ()
  }) {function_type = () -> ()} : () -> ()
}) {grid = [4]} : () -> ()
