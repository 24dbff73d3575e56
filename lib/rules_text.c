// SPDX-License-Identifier: MIT
/*
 * Texts of the rules that hold for the ops of the drafts (R1-R14). Programs are put
 * together from a few parts: every one delivers between the tiles of eight groups of four.
 */
#include "rules_text.h"
#include "rules_parts.h"

const char kt_why_R1[] =
	"A producing tile has one partial per produce. If it stood in two groups, the position "
	"and the meaning of that partial would depend on who asks.";
const char kt_wrong_R1[] =
	SET1("five ", "i - 4 * g >= 0, -i + 4 * g + 4 >= 0, -i + 31 >= 0")
	SET1("first", "i - 4 * g == 0") GROUPS("6")
	FUNC("tensor<4x16xf16>") PRODUCE("five", "tensor<4x16xf16>")
	GATHER("first", "0", "tensor<4x16xf16>", "tensor<20x16xf16>") END;
const char kt_right_R1[] =
	QUADS SET1("first", "i - 4 * g == 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("first", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_R2[] =
	"The future orders one movement after the producers that feed it. A second delivery "
	"would read scratchpad that may already hold something else, and a future nobody "
	"delivers is work for nothing. Deliver once and use the result twice.";
const char kt_wrong_R2[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>") END;
const char kt_right_R2[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_R3[] =
	"A tile that does not produce in the group has no partial to give. The set of a consumer "
	"says whom it waits for, so naming such a tile would wait for something never signalled.";
const char kt_wrong_R3[] =
	SET1("pair", "i - 4 * g >= 0, -i + 4 * g + 1 >= 0") QUADS
	DEP("p - 4 * g >= 0, -p + 4 * g + 2 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("pair", "tensor<4x16xf16>")
	GATHER_DEP("quad", "0", "tensor<4x16xf16>", "tensor<12x16xf16>") END;
const char kt_right_R3[] =
	SET1("pair", "i - 4 * g >= 0, -i + 4 * g + 1 >= 0") QUADS
	DEP("p - 4 * g >= 0, -p + 4 * g + 1 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("pair", "tensor<4x16xf16>")
	GATHER_DEP("quad", "0", "tensor<4x16xf16>", "tensor<8x16xf16>") END;

const char kt_why_R4[] =
	"A partial nobody takes was computed for nothing, and is more often a mistake in the "
	"dependency set than intended.";
const char kt_wrong_R4[] =
	QUADS SET1("first", "i - 4 * g == 0")
	DEP("p - 4 * g >= 0, -p + 4 * g + 1 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("first", "0", "tensor<4x16xf16>", "tensor<8x16xf16>") END;
const char kt_right_R4[] =
	QUADS SET1("first", "i - 4 * g == 0")
	DEP("p - 4 * g >= 0, -p + 4 * g + 3 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("first", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_R5[] =
	"Sets that partition the producers give each piece one home; sets that are all the same "
	"give every consumer the whole. Anything between is legal, since positions count in the "
	"consumer's own set, but is easily a slip: two fragments then stand in two places.";
const char kt_wrong_R5[] =
	QUADS SET1("three", "i - 4 * g >= 0, -i + 4 * g + 2 >= 0")
	DEP("p - c >= 0, -p + c + 1 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("three", "0", "tensor<4x16xf16>", "tensor<8x16xf16>") END;
const char kt_right_R5[] =
	QUADS SET1("even ", "i - 4 * g >= 0, -i + 4 * g + 2 >= 0, i mod 2 == 0")
	DEP("p - c >= 0, -p + c + 1 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("even", "0", "tensor<4x16xf16>", "tensor<8x16xf16>") END;

const char kt_why_R6[] =
	"The result has one type. A consumer that takes from two producers and one that takes "
	"from three assemble tensors of different shapes.";
const char kt_wrong_R6[] =
	QUADS SET1("ends ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 3 - g mod 3 == 0")
	DEP("p - c >= 0, -p + c + 2 >= 0, -p + 4 * g + 3 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("ends", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;
const char kt_right_R6[] =
	QUADS SET1("ends ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0, i mod 3 - g mod 3 == 0")
	DEP("p - 4 * g >= 0, -p + 4 * g + 3 >= 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER_DEP("ends", "0", "tensor<4x16xf16>", "tensor<16x16xf16>") END;

const char kt_why_R7[] =
	"P and C shape the result, and the result has one type in all groups.";
const char kt_wrong_R7[] =
	SET1("most ", "i - 4 * g >= 0, -i + 4 * g + 3 >= 0, -i + 30 >= 0") QUADS GROUPS("7")
	FUNC("tensor<16xf32>") ZERO("16xf32") PRODUCE("most", "tensor<16xf32>")
	REDUCE_SCATTER("tensor<16xf32>", "16xf32", "4xf32") END;
const char kt_right_R7[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32") PRODUCE("quad", "tensor<16xf32>")
	REDUCE_SCATTER("tensor<16xf32>", "16xf32", "4xf32") END;

const char kt_why_R8[] =
	"consume and scatter copy one partial. With several producers nothing says which one a "
	"consumer gets; a dependency set of consume does.";
const char kt_wrong_R8[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	DELIVER("consume", "quad", "", "tensor<4x16xf16>", "tensor<4x16xf16>") END;
const char kt_right_R8[] =
	QUADS DEP("p - 8 * g - 3 + c == 0") GROUPS("7")
	FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	DELIVER("consume", "quad", ",\n      producer_dependency_per_consumer = #dep",
		"tensor<4x16xf16>", "tensor<4x16xf16>") END;

const char kt_why_R9[] =
	"Every consumer gets an equal share, a box of the partial. Extents that do not divide, or "
	"factors that do not multiply to the number of consumers, leave elements without a home.";
const char kt_wrong_R9[] =
	SET1("first", "i - 4 * g == 0") QUADS GROUPS("7")
	FUNC("tensor<10x16xf16>") PRODUCE("first", "tensor<10x16xf16>")
	SCATTER("quad", "0", "tensor<10x16xf16>", "tensor<3x16xf16>") END;
const char kt_right_R9[] =
	SET1("first", "i - 4 * g == 0") QUADS GROUPS("7")
	FUNC("tensor<12x16xf16>") PRODUCE("first", "tensor<12x16xf16>")
	SCATTER("quad", "0", "tensor<12x16xf16>", "tensor<3x16xf16>") END;

const char kt_why_R10[] =
	"The fold unit applies the combiner between any two contributions, on any tile. What it "
	"reads or writes besides its arguments would happen an unknown number of times.";
const char kt_wrong_R10[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>")
	REDUCE("quad", "16xf32",
	       "      %s = func.call @twice(%a) : (tensor<16xf32>) -> tensor<16xf32>\n") END
	"func.func private @twice(tensor<16xf32>) -> tensor<16xf32>\n";
const char kt_right_R10[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("quad", "16xf32", ADD("16xf32")) END;

const char kt_why_R11[] =
	"The identity stands in for a contribution, so it has the type of one. In a "
	"reduce_scatter that is not the type of the result.";
const char kt_wrong_R11[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("4xf32")
	PRODUCE("quad", "tensor<16xf32>")
	REDUCE_SCATTER("tensor<4xf32>", "16xf32", "4xf32") END;
const char kt_right_R11[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>")
	REDUCE_SCATTER("tensor<16xf32>", "16xf32", "4xf32") END;

const char kt_why_R12[] =
	"Pieces are put side by side along the listed axes, the first listed axis slowest. "
	"Factors that do not multiply to the number of producers leave holes or pile pieces up.";
const char kt_wrong_R12[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0, 1", "tensor<4x16xf16>", "tensor<8x16xf16>") END;
const char kt_right_R12[] =
	QUADS GROUPS("7") FUNC("tensor<4x16xf16>") PRODUCE("quad", "tensor<4x16xf16>")
	GATHER("quad", "0, 1", "tensor<4x16xf16>", "tensor<8x32xf16>") END;

const char kt_why_R13[] =
	"A reduce is defined among those who contribute. To bring the sum to another tile, reduce "
	"to one tile and consume its result from there. Copy ops and reduce_scatter take "
	"receiving-only tiles as they are.";
const char kt_wrong_R13[] =
	SET1("three", "i - 4 * g >= 0, -i + 4 * g + 2 >= 0") SET1("last ", "i - 4 * g - 3 == 0")
	GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("three", "tensor<16xf32>") REDUCE("last", "16xf32", ADD("16xf32")) END;
const char kt_right_R13[] =
	QUADS SET1("last ", "i - 4 * g - 3 == 0")
	GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("last", "16xf32", ADD("16xf32")) END;

const char kt_why_R14[] =
	"Reduce-to-one and all-reduce are the two reductions there are. A sum for some of the "
	"producers is a reduce to one of them and a consume.";
const char kt_wrong_R14[] =
	QUADS SET1("pair ", "i - 4 * g >= 0, -i + 4 * g + 1 >= 0")
	GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("pair", "16xf32", ADD("16xf32")) END;
const char kt_right_R14[] =
	QUADS GROUPS("7") FUNC("tensor<16xf32>") ZERO("16xf32")
	PRODUCE("quad", "tensor<16xf32>") REDUCE("quad", "16xf32", ADD("16xf32")) END;
