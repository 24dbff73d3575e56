// 10 rows do not divide over 4 consumers.
#all    = affine_set<(i)[g] : (i >= 0, -i + 3 >= 0)>
#one    = affine_set<(i)[g] : (i == 0)>
#groups = affine_set<(g) : (g == 0)>
module attributes {grid = [4]} {
	func.func @split_ten(%x: tensor<10x8xf16>) {
		%f = ktdp.inter_tile_produce producer_tiles_per_group = #one
			-> !ktdp.tile_future<(tensor<10x8xf16>), groups = #groups> {
		^bb0(%gid: index):
			ktdp.yield_partial %x : tensor<10x8xf16>
		}
		%r = ktdp.inter_tile_scatter(%f) consumer_tiles_per_group = #all, scatter_dimensions = [0]
			: !ktdp.tile_future<(tensor<10x8xf16>), groups = #groups> -> tensor<2x8xf16>
		return
	}
}
