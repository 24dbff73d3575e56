#s = affine_set<(d) : (d >= 0)>
module {
  func.func @f() {
    %x = arith.constant €
  }
