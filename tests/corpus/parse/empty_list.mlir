#a = affine_set<(i) : (i >= 0)>
module { func.func @f() attributes {producer_tiles_per_group = []} { return } }
