// SPDX-License-Identifier: MIT
/*
 * Texts of this project's rules (K1-K13).
 */
#include "rules_text.h"
#include "rules_parts.h"

const char kt_why_K1[] =
	"The result is one value per tile. A tile that consumes in two groups would have two.";
const char kt_wrong_K1[] =
	QUADS SET1("five ", "i - 4 * g >= 0, -i + 4 * g + 4 >= 0, -i + 31 >= 0") GROUPS("6")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("five", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_K1[] =
	QUADS GROUPS("6") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K2[] =
	"A tile the target does not have holds nothing, and a group without producers or "
	"consumers moves nothing: both are slips in a set.";
const char kt_wrong_K2[] =
	QUADS GROUPS("8") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_K2[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K3[] =
	"Groups and tiles are enumerated when a program is compiled. A tile set without an end is "
	"cut to the device, which is noted; groups without an end have no number.";
const char kt_wrong_K3[] =
	QUADS "#groups = affine_set<(g) : (g >= 0)>\n"
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_K3[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K4[] =
	"The region says where a partial lies; the movement reads it from there. Compute belongs "
	"in front of the produce, and what changes memory or communicates is an error.";
const char kt_wrong_K4[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>")
	PRODUCE_BODY("quad", "tensor<4x16xf16>",
		     "      %y = arith.addf %x, %x : tensor<4x16xf16>\n"
		     YIELD("%y", "tensor<4x16xf16>"))
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_K4[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>")
	"  %y = arith.addf %x, %x : tensor<4x16xf16>\n"
	PRODUCE_BODY("quad", "tensor<4x16xf16>", YIELD("%y", "tensor<4x16xf16>"))
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K5[] =
	"The fold unit adds, multiplies, takes minima and maxima, ands, ors, xors, and finds "
	"argmin and argmax. Another combiner is good IR, but this target cannot run it.";
const char kt_wrong_K5[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>")
	REDUCE("quad", "16xf32", "      %s = arith.subf %a, %b : tensor<16xf32>\n") END;
const char kt_right_K5[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("quad", "16xf32", ADD("16xf32")) END;

const char kt_why_K6[] =
	"The parts of an op describe one movement and must agree: what is yielded, carried, "
	"combined and returned. A delivery never changes rank or element type.";
const char kt_wrong_K6[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<4x4x16xf16>") END;
const char kt_right_K6[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K7[] =
	"The dialect promises that the identity changes nothing, and the unit does not add it. "
	"With another constant the program says one thing and means another.";
const char kt_wrong_K7[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>")
	"  %i = arith.constant dense<1.0> : tensor<16xf32>\n"
	PRODUCE("quad", "tensor<16xf32>") REDUCE("quad", "16xf32", ADD("16xf32")) END;
const char kt_right_K7[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("quad", "16xf32", ADD("16xf32")) END;

const char kt_why_K8[] =
	"Movements are compiled to tables of addresses before they run. The base of a view of "
	"global memory may be an argument; that of a scratchpad view may not.";
const char kt_wrong_K8[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example(%base: index) {\n" INDEX("%zero", "0")
	VIEW("%v", "%base", "ct_local") ACCESS("%a", "%v") LOAD("%x", "%a")
	PRODUCE("quad", "tensor<64xf16>")
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;
const char kt_right_K8[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example() {\n" INDEX("%zero", "0")
	VIEW("%v", "%zero", "ct_local") ACCESS("%a", "%v") LOAD("%x", "%a")
	PRODUCE("quad", "tensor<64xf16>")
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;

const char kt_why_K9[] =
	"What a tile contributes lies in its own scratchpad. Reading another's is the movement "
	"itself, and belongs in the delivery.";
const char kt_wrong_K9[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example() {\n" INDEX("%zero", "0")
	PRODUCE_BODY("quad", "tensor<64xf16>",
		     VIEW("%v", "%zero", "ct_local, ct_id = 5") ACCESS("%a", "%v") LOAD("%x", "%a")
		     YIELD("%x", "tensor<64xf16>"))
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;
const char kt_right_K9[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example() {\n" INDEX("%zero", "0")
	PRODUCE_BODY("quad", "tensor<64xf16>",
		     VIEW("%v", "%zero", "ct_local") ACCESS("%a", "%v") LOAD("%x", "%a")
		     YIELD("%x", "tensor<64xf16>"))
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;

const char kt_why_K10[] =
	"A delivery is one movement of all its tiles at once. Under a branch that only some tiles "
	"take there is no such moment; loops of constant length are unrolled.";
const char kt_wrong_K10[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") INDEX("%four", "4")
	"  %t = ktdp.get_compute_tile_id : index\n"
	"  %c = arith.cmpi slt, %t, %four : index\n"
	"  scf.if %c {\n"
	PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>")
	"  }\n" END;
const char kt_right_K10[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") INDEX("%zero", "0") INDEX("%one", "1")
	INDEX("%two", "2")
	"  scf.for %k = %zero to %two step %one {\n"
	PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>")
	"  }\n" END;

const char kt_why_K11[] =
	"An axis that is both split and assembled may keep its extent for several reasons. Where "
	"the types do not say which, the boxes would be a guess: list fewer axes.";
const char kt_wrong_K11[] =
	QUADS GROUPS("7") FUNC("tensor<8x8xf16>") PRODUCE("quad", "tensor<8x8xf16>")
	DELIVER("all_to_all", "quad",
		",\n      split_dimensions = [0, 1], concat_dimensions = [0, 1]",
		"tensor<8x8xf16>", "tensor<8x8xf16>") END;
const char kt_right_K11[] =
	QUADS GROUPS("7") FUNC("tensor<8x8xf16>") PRODUCE("quad", "tensor<8x8xf16>")
	DELIVER("all_to_all", "quad",
		",\n      split_dimensions = [0], concat_dimensions = [0]",
		"tensor<8x8xf16>", "tensor<8x8xf16>") END;

const char kt_why_K12[] =
	"A set whose arithmetic divides by zero or leaves 64 bits has no members to speak of.";
const char kt_wrong_K12[] =
	QUADS SET1("even ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 0 == 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("even", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_K12[] =
	QUADS SET1("even ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 2 == 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("even", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_K13[] =
	"Everything a program places must lie inside the scratchpad, and apart from what is still "
	"needed. The finding names the bytes needed and those there are.";
const char kt_wrong_K13[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example() {\n" INDEX("%zero", "0")
	INDEX("%base", "-64")
	VIEW("%v", "%base", "ct_local") ACCESS("%a", "%v") LOAD("%x", "%a")
	PRODUCE("quad", "tensor<64xf16>")
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;
const char kt_right_K13[] =
	QUADS GROUPS("7") ROWS "\nfunc.func @example() {\n" INDEX("%zero", "0")
	INDEX("%base", "64")
	VIEW("%v", "%base", "ct_local") ACCESS("%a", "%v") LOAD("%x", "%a")
	PRODUCE("quad", "tensor<64xf16>")
	GATHER("quad", "0", "tensor<64xf16>", "tensor<256xf16>") END;
