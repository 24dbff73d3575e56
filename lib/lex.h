/* SPDX-License-Identifier: MIT */
/*
 * Tokens of KTIR text, one at a time.
 */
#ifndef KT_LEX_H
#define KT_LEX_H

#include "diag.h"

/* Single characters are their own kind. */
enum kt_tok_kind {
	KT_T_EOF = 0,
	KT_T_BAD = 1,		/* lex.problem says what is wrong */
	KT_T_IDENT = 128,	/* arith.constant */
	KT_T_VALUE,		/* %x */
	KT_T_RESULT,		/* #0 behind a value */
	KT_T_HASH,		/* #alias, #ktdp.memory_space */
	KT_T_BANG,		/* !alias, !ktdp.tile_future */
	KT_T_CARET,		/* ^bb0 */
	KT_T_AT,		/* @name, @"name" */
	KT_T_INT,		/* 12, 0x1f */
	KT_T_FLOAT,		/* 1.0, 1.0e-5 */
	KT_T_STRING,
	KT_T_ARROW,		/* -> */
	KT_T_GE, KT_T_LE, KT_T_EQEQ,
	KT_T_COLONS,		/* :: */
};

struct kt_tok {
	uint8_t kind;
	bool first;		/* on its line */
	uint32_t off, end;
};

struct kt_lex {
	const char *text;	/* KT_SOURCE_PAD zero bytes follow */
	uint32_t len, pos;
	uint32_t split;		/* end of the last "// -----" line; 0: none */
	const char *problem;
};

void kt_lex_init(struct kt_lex *lex, const char *text, uint32_t len);
void kt_lex_next(struct kt_lex *lex, struct kt_tok *tok);

#endif /* KT_LEX_H */
