// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Element types and fold operations: names, sizes, and which go together.
 */
#include "kte_table.h"

static const struct {
	const char *name;
	uint8_t bytes;
	bool is_float;
} dtypes[KTE_DT_COUNT] = {
	[KTE_DT_OPAQUE]	= { "opaque", 0, false },
	[KTE_DT_F16]	= { "f16", 2, true },
	[KTE_DT_BF16]	= { "bf16", 2, true },
	[KTE_DT_F32]	= { "f32", 4, true },
	[KTE_DT_F64]	= { "f64", 8, true },
	[KTE_DT_I8]	= { "i8", 1, false },
	[KTE_DT_I16]	= { "i16", 2, false },
	[KTE_DT_I32]	= { "i32", 4, false },
	[KTE_DT_I64]	= { "i64", 8, false },
};

static const char *const op_names[KTE_OP_COUNT] = {
	[KTE_OP_COPY]	= "copy",
	[KTE_OP_ADD]	= "add",
	[KTE_OP_MUL]	= "mul",
	[KTE_OP_MIN]	= "min",
	[KTE_OP_MAX]	= "max",
	[KTE_OP_AND]	= "and",
	[KTE_OP_OR]	= "or",
	[KTE_OP_XOR]	= "xor",
	[KTE_OP_ARGMIN]	= "argmin",
	[KTE_OP_ARGMAX]	= "argmax",
};

unsigned int kte_dtype_bytes(uint32_t dtype)
{
	return dtype < KTE_DT_COUNT ? dtypes[dtype].bytes : 0;
}

const char *kte_dtype_name(uint32_t dtype)
{
	return dtype < KTE_DT_COUNT ? dtypes[dtype].name : "unknown";
}

const char *kte_op_name(uint32_t op)
{
	return op < KTE_OP_COUNT ? op_names[op] : "unknown";
}

/* The mode bits an order (min, max and their arg forms) takes for a value type. */
static bool order_mode_valid(uint32_t mode, bool is_float, bool with_index)
{
	uint32_t tie = mode & KTE_MODE_TIE_MASK;
	uint32_t allowed = KTE_MODE_TIE_MASK;

	allowed |= is_float ? KTE_MODE_NAN_MASK | KTE_MODE_ZERO_ORDERED : KTE_MODE_UNSIGNED;
	if (tie >= KTE_MODE_TIE_LOWER && with_index)
		allowed |= KTE_MODE_INDEX_UNSIGNED;
	else if (tie > KTE_MODE_TIE_LAST)
		return false;
	return !(mode & ~allowed);
}

bool kte_fold_valid(uint32_t op, uint32_t mode, uint32_t dtype, uint32_t index_dtype)
{
	bool is_float, index_int;

	if (op == KTE_OP_COPY)
		return true;
	if (op >= KTE_OP_COUNT || dtype >= KTE_DT_COUNT || dtype == KTE_DT_OPAQUE ||
	    index_dtype >= KTE_DT_COUNT)
		return false;
	is_float = dtypes[dtype].is_float;
	index_int = index_dtype != KTE_DT_OPAQUE && !dtypes[index_dtype].is_float;
	switch (op) {
	case KTE_OP_ADD:
	case KTE_OP_MUL:
		return !mode;
	case KTE_OP_AND:
	case KTE_OP_OR:
	case KTE_OP_XOR:
		return !mode && !is_float;
	case KTE_OP_MIN:
	case KTE_OP_MAX:
		return order_mode_valid(mode, is_float, false);
	default:
		return index_int && order_mode_valid(mode, is_float, true);
	}
}
