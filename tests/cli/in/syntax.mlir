// A syntax error: the value is missing.
module {
  func.func @f() {
    %a = arith.constant : index
    return
  }
}
