/* SPDX-License-Identifier: MIT */
/*
 * Parts the example programs of the rules are put together from.
 */
#ifndef KT_RULES_PARTS_H
#define KT_RULES_PARTS_H

#define SET1(name, constraints)	"#" name " = affine_set<(i)[g] : (" constraints ")>\n"
#define QUADS			SET1("quad ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0")
#define DEP(constraints)	"#dep   = affine_set<(p)[c, g] : (" constraints ")>\n"
#define GROUPS(last)		"#groups = affine_set<(g) : (g >= 0, -g + " last " >= 0)>\n"

#define FUNC(type)		"\nfunc.func @example(%x: " type ") {\n"
#define END			"  return\n}\n"

#define FUTURE(type)		"!ktdp.tile_future<(" type "), groups = #groups>"

#define PRODUCE_BODY(tiles, type, body) \
	"  %f = ktdp.inter_tile_produce producer_tiles_per_group = #" tiles "\n" \
	"      -> " FUTURE(type) " {\n" \
	"    ^bb0(%gid: index):\n" \
	body \
	"  }\n"
#define YIELD(value, type)	"      ktdp.yield_partial " value " : " type "\n"
#define PRODUCE(tiles, type)	PRODUCE_BODY(tiles, type, YIELD("%x", type))

#define DELIVER(op, tiles, attrs, from, to) \
	"  %r = ktdp.inter_tile_" op "(%f) consumer_tiles_per_group = #" tiles attrs "\n" \
	"      : " FUTURE(from) " -> " to "\n"
#define GATHER(tiles, dims, from, to) \
	DELIVER("gather", tiles, ",\n      gather_dimensions = [" dims "]", from, to)
#define GATHER_DEP(tiles, dims, from, to) \
	DELIVER("gather", tiles, ",\n      gather_dimensions = [" dims "]," \
		" producer_dependency_per_consumer = #dep", from, to)
#define SCATTER(tiles, dims, from, to) \
	DELIVER("scatter", tiles, ",\n      scatter_dimensions = [" dims "]", from, to)

#define ZERO(shape)	"  %i = arith.constant dense<0.0> : tensor<" shape ">\n"
#define ADD(shape) \
	"      %s = arith.addf %a, %b : tensor<" shape ">\n"
#define COMBINER(shape, body) \
	"    ^bb0(%a: tensor<" shape ">, %b: tensor<" shape ">):\n" \
	body \
	"      ktdp.yield_reduced %s : tensor<" shape ">\n" \
	"  }\n"
#define REDUCE(tiles, shape, body) \
	"  %r = ktdp.inter_tile_reduce(%f) consumer_tiles_per_group = #" tiles ",\n" \
	"      identity(%i : tensor<" shape ">)\n" \
	"      : " FUTURE("tensor<" shape ">") " -> tensor<" shape "> {\n" \
	COMBINER(shape, body)
#define REDUCE_SCATTER(identity, from, to) \
	"  %r = ktdp.inter_tile_reduce_scatter(%f) consumer_tiles_per_group = #quad,\n" \
	"      scatter_dimensions = [0], identity(%i : " identity ")\n" \
	"      : " FUTURE("tensor<" from ">") " -> tensor<" to "> {\n" \
	COMBINER(from, ADD(from))

/* A view of the executing tile's scratchpad at %at and the tile read through it. */
#define ROWS			"#rows = affine_set<(d0) : (d0 >= 0, -d0 + 63 >= 0)>\n" \
				"#id   = affine_map<(d0) -> (d0)>\n"
#define VIEW(name, base, space) \
	"  " name " = ktdp.construct_memory_view " base ", sizes: [64], strides: [1] {\n" \
	"      coordinate_set = #rows, memory_space = #ktdp.memory_space<" space ">\n" \
	"  } : memref<64xf16>\n"
#define ACCESS(name, view) \
	"  " name " = ktdp.construct_access_tile " view "[%zero] {\n" \
	"      access_tile_set = #rows, access_tile_order = #id\n" \
	"  } : memref<64xf16> -> !ktdp.access_tile<64xindex>\n"
#define LOAD(name, access) \
	"  " name " = ktdp.load " access " : !ktdp.access_tile<64xindex> -> tensor<64xf16>\n"
#define STORE(value, access) \
	"  ktdp.store " value ", " access " : tensor<64xf16>, !ktdp.access_tile<64xindex>\n"
#define INDEX(name, value)	"  " name " = arith.constant " value " : index\n"

#endif /* KT_RULES_PARTS_H */
