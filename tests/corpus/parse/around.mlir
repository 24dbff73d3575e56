#m = affine_map<(d)[s] -> (d * 2 + s floordiv 3)>
func.func private @g(index) -> (index {a.b})
func.func @f(%t: tensor<4x8xf16>, %m: memref<8x8xf16, strided<[8, 1]>>, %i: index, %c: i1) -> index {
  %c0 = arith.constant 0 : index
  %h = arith.constant 0xFC00 : f16
  %d = arith.constant dense<-1.5> : tensor<4xf32>
  %e = arith.constant dense<[1, 2]> : tensor<2xi8>
  %a = affine.apply #m(%i)[%c0]
  %v = ktdp.construct_memory_view %c0, sizes: [%i, 8], strides: [8, 1] {memory_space = #ktdp.memory_space<ct_local, ct_id = 3>, coordinate_set = affine_set<(a, b) : (a >= 0, a <= 3, b >= 0, b <= 7)>} : memref<?x8xf16>
  %at = ktdp.construct_access_tile %v[%i, 0] {access_tile_order = affine_map<(a, b) -> (a, b)>} : memref<?x8xf16> -> <4x8xindex>
  %x = ktdp.load %at : <4x8xindex> -> tensor<4x8xf16>
  %y = tensor.extract_slice %x[0, %i] [4, 4] [1, 1] : tensor<4x8xf16> to tensor<4x4xf16>
  %l = scf.for %k = %c0 to %i step %i iter_args(%z = %t) -> (tensor<4x8xf16>) {
    affine.for %j = 0 to #m(%k)[%k] step 2 { foo.use %j, %z { x = [1, "a", {b}] } }
    %w = scf.if %c -> (i1) { scf.yield %c : i1 } else { scf.yield %c : i1 }
    scf.yield %z : tensor<4x8xf16>
  }
  %q:2 = foo.pair(%i) ({ ^b(%u: i8): foo.x %u }) : (index) -> (i8, i16)
  %r = linalg.reduce ins(%t : tensor<4x8xf16>) outs(%t : tensor<4x8xf16>) dimensions = [0] (%in: f16, %acc: f16) {
    %s = arith.addf %in, %acc fastmath<fast> : f16
    linalg.yield %s : f16
  }
  cf.br ^bb1(%q#1 : i16)
^bb1(%b: i16):
  ktdp.store %l, %at : tensor<4x8xf16>, <4x8xindex>
  %o = func.call @g(%i) : (index) -> index
  return %o : index loc("x":1:1)
}
// -----
#m = [0, 1]
func.func @f() attributes {grid = [4], a = #m} { return }
