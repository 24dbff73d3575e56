func.func @f() attributes {
  a = affine_set<(i)[g, h, k] : (i - 4 * g >= 0, -i + 4 * (g + 1) - 1 >= 0, i mod 2 == 0)>,
  b = affine_set<(i) : ((i floordiv 4) mod 3 == 1, i ceildiv 5 <= 9, -i mod 7 - 2 >= 0)>,
  c = affine_set<(i, j, k) : (i + j >= k, i >= 0, j >= 0, k == 2 * i, i <= 9, j <= 9)>,
  d = affine_set<(i) : (i - 3 * (i floordiv 3) == 1)>, e = affine_set<() : ()>,
  f = affine_set<(i) : (9223372036854775807 * i >= -9223372036854775807, i mod 0 == 0)> } {
  return
}
