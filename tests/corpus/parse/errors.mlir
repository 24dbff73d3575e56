#a = affine_set<(i) : (i >)>
func.func @f(%i: index) {
  %a = arith.addi %i, %nope : index
  scf.for %k = %i to %i step %i {
    %c = arith.constant 1.5 : index
  }
  %e = ktdp.construct_memory_view %i,
      sizes = [4 4], strides: [1] : memref<4xf16>
  foo.use %e, "open
  return
}
}
