/* SPDX-License-Identifier: MIT */
/*
 * Inside the parser. Floors, from the ground: parse_core (tokens, errors, names),
 * parse_set, parse_alias, parse_type, parse_attr, parse_op (operands, regions, lists), then
 * the families of operations (parse_ktdp, parse_std, parse_other, parse_generic), then
 * parse_func, parse (modules, dispatch). What must call upward goes through
 * kt_parser.one_op and .alias_body.
 *
 * Functions that return bool return false after an error was reported; the operation
 * being read is then given up and reading goes on at the next one.
 */
#ifndef KT_PARSE_H
#define KT_PARSE_H

#include "lex.h"
#include "module.h"

#define KT_PARSE_MAX_ERRORS	200
#define KT_PARSE_MAX_NESTING	256
#define KT_PARSE_KNOWN_TYPES	64	/* a power of two */
/* Memory of a module: enough for real text, and a bound for hostile text. */
#define KT_PARSE_MEMORY(len)	((10u << 20) + 5 * (size_t)(len))

struct kt_parser;

/* How an operation is written. */
enum kt_syntax {
	KT_SYN_OTHER, KT_SYN_INTER_TILE, KT_SYN_TERMINATOR, KT_SYN_TILE_ID, KT_SYN_VIEW,
	KT_SYN_ACCESS, KT_SYN_LOAD, KT_SYN_STORE, KT_SYN_SLICE, KT_SYN_CONSTANT, KT_SYN_ARITH,
	KT_SYN_APPLY, KT_SYN_FOR, KT_SYN_AFFINE_FOR, KT_SYN_IF, KT_SYN_CALL, KT_SYN_FUNC,
	KT_SYN_MODULE,
};

struct kt_op_info {
	const char *name;
	enum kt_op_kind kind;
	enum kt_syntax syntax;
};

struct kt_alias {
	struct kt_sym *sym;
	struct kt_alias *next;		/* all, newest first */
	struct kt_range at;		/* the name in its definition */
	uint32_t body, end;		/* of the definition's right side; end 0: not read */
	uint32_t part;			/* of the file, between "// -----" lines */
	enum { KT_ALIAS_SEEN, KT_ALIAS_BUSY, KT_ALIAS_DONE, KT_ALIAS_BAD } state;
	struct kt_attr attr;		/* '#' */
	const struct kt_type *type;	/* '!' */
};

/* A distinct name in the text, sigil included. */
struct kt_sym {
	const char *text;
	uint32_t hash, len;
	const struct kt_op_info *info;	/* operation names; NULL: not looked up */
	/* names of attributes: the one in use now (NULL: not looked up), and what it takes */
	const char *canonical;
	bool is_list, is_set;
	uint32_t n_values;
	struct kt_value **values;	/* '%': what it means here; NULL: nothing */
	uint32_t scope;			/* '@': module in which it is defined */
	struct kt_alias *alias;		/* '#', '!' */
};

/* Names to forget at the end of a region. */
struct kt_undo {
	struct kt_sym *sym;
	struct kt_value **hidden;	/* while a function is read that does not see it */
};

struct kt_grid {
	unsigned int n;
	int64_t dims[KT_MAX_RANK];
};

struct kt_parser {
	struct ktdev_module *mod;
	struct kt_arena *a;
	const struct kt_source *src;
	struct ktdev_report *rep;
	struct kt_lex lex;
	struct kt_tok tok;		/* the next one */
	uint32_t prev_end;		/* end of the last one taken */
	unsigned int depth;		/* open braces */
	unsigned int nesting;
	unsigned int n_errors;
	int err;			/* -ENOMEM; stops everything */
	bool stop;			/* too many errors, out of memory */
	size_t budget;
	/* names */
	struct kt_sym **table;
	uint32_t n_syms, table_size;
	struct kt_undo *undo;
	size_t n_undo, cap_undo, undo_base;
	struct kt_alias *aliases;
	uint32_t part, scanned_part;
	bool scanned;
	/* lists whose length is not known yet */
	char *scratch;
	size_t scratch_used, scratch_cap;
	/* functions found */
	struct kt_func **funcs;
	size_t n_funcs, cap_funcs;
	uint32_t scope, n_scopes;	/* module being read; 0: the file */
	unsigned int in_func;
	struct kt_grid grid;		/* of the module being read */
	struct kt_value *unknown;	/* stands for what is not defined */
	const struct kt_type *index_type, *i1_type;
	/* shaped types by their text: most are written more than once */
	struct kt_known_type {
		uint32_t off, len;
		const struct kt_type *type;
	} known_types[KT_PARSE_KNOWN_TYPES];
	/* the last wrong use that was reported */
	const struct kt_value *mismatch;
	const struct kt_type *mismatch_type;
	/* upward calls */
	bool (*one_op)(struct kt_parser *p, struct kt_block *b);
	bool (*alias_body)(struct kt_parser *p, struct kt_alias *al);
};

/* --- parse_core.c --- */

void *kt_parse_alloc_slow(struct kt_parser *p, size_t bytes);
bool kt_parse_error(struct kt_parser *p, struct kt_range at, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As kt_parse_error(), for the notes and fix-its of the caller. */
struct kt_diag *kt_parse_diag(struct kt_parser *p, struct kt_range at, enum kt_rule rule,
			      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* A note about an old spelling, with its replacement. */
void kt_parse_old(struct kt_parser *p, struct kt_range at, const char *replacement,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool kt_parse_expected(struct kt_parser *p, const char *what);
/* The token behind the next one. */
struct kt_tok kt_parse_peek(const struct kt_parser *p);
bool kt_parse_unexpected(struct kt_parser *p, uint8_t kind);
/* Skip a balanced group that starts at the next token: (), [], {}, <>. */
bool kt_parse_skip_group(struct kt_parser *p);
bool kt_parse_too_deep(struct kt_parser *p);
/* Value of an integer token; *big when it does not fit 64 bits. */
uint64_t kt_parse_digits(const struct kt_parser *p, struct kt_tok t, bool *big);
bool kt_parse_int(struct kt_parser *p, int64_t *out);	/* with sign; consumes */
bool kt_parse_number(struct kt_parser *p, double *out);	/* a FLOAT token; consumes */
char *kt_parse_text(struct kt_parser *p, struct kt_range at);
char *kt_parse_string(struct kt_parser *p, struct kt_tok t);	/* unescaped */

bool kt_parse_grow_table(struct kt_parser *p);		/* once before the first name */
/* 8 bytes behind @s + @len are read too, with any content. */
struct kt_sym *kt_parse_intern(struct kt_parser *p, const char *s, uint32_t len);
struct kt_sym *kt_parse_sym(struct kt_parser *p);	/* of the next token */
bool kt_parse_define(struct kt_parser *p, struct kt_sym *sym, struct kt_value **vals, uint32_t n,
		     struct kt_range at);
void kt_parse_forget(struct kt_parser *p, size_t mark);

/* The scratch stack: push elements, then take all above a mark into the arena. */
bool kt_parse_grow(struct kt_parser *p, size_t size);
void *kt_parse_take(struct kt_parser *p, size_t mark, size_t size, unsigned int *n);

/* Read again from another place of the text, and come back. */
struct kt_mark {
	struct kt_lex lex;
	struct kt_tok tok;
	uint32_t prev_end;
	unsigned int depth;
};

struct kt_mark kt_parse_mark(const struct kt_parser *p);
void kt_parse_seek(struct kt_parser *p, uint32_t off);
void kt_parse_back(struct kt_parser *p, const struct kt_mark *m);

static inline const char *kt_tok_text(const struct kt_parser *p, struct kt_tok t)
{
	return p->lex.text + t.off;
}

static inline struct kt_range kt_tok_range(struct kt_tok t)
{
	return (struct kt_range){ t.off, t.end };
}

static inline void kt_parse_advance(struct kt_parser *p)
{
	p->prev_end = p->tok.end;
	if (p->tok.kind == '{')
		p->depth++;
	else if (p->tok.kind == '}' && p->depth)
		p->depth--;
	kt_lex_next(&p->lex, &p->tok);
}

static inline bool kt_parse_accept(struct kt_parser *p, uint8_t kind)
{
	if (p->tok.kind != kind)
		return false;
	kt_parse_advance(p);
	return true;
}

static inline bool kt_parse_expect(struct kt_parser *p, uint8_t kind)
{
	return kt_parse_accept(p, kind) || kt_parse_unexpected(p, kind);
}

/* One level deeper; false over the limit. */
static inline bool kt_parse_enter(struct kt_parser *p)
{
	return ++p->nesting <= KT_PARSE_MAX_NESTING || kt_parse_too_deep(p);
}

static inline void kt_parse_leave(struct kt_parser *p)
{
	p->nesting--;
}

/* @word is a literal, so that the comparison is of known length. */
static inline bool kt_parse_is_word(const struct kt_parser *p, const char *word)
{
	return p->tok.kind == KT_T_IDENT && p->tok.end - p->tok.off == __builtin_strlen(word) &&
	       !__builtin_memcmp(kt_tok_text(p, p->tok), word, __builtin_strlen(word));
}

static inline bool kt_parse_accept_word(struct kt_parser *p, const char *word)
{
	if (!kt_parse_is_word(p, word))
		return false;
	kt_parse_advance(p);
	return true;
}

/* From a place to the end of the last token taken. */
static inline struct kt_range kt_since(const struct kt_parser *p, uint32_t off)
{
	return (struct kt_range){ off, p->prev_end > off ? p->prev_end : off };
}

/* The budget is looked at when a new block is needed. */
static inline void *kt_parse_alloc(struct kt_parser *p, size_t bytes)
{
	struct kt_arena_block *b = p->a->head;

	if (!b || bytes + 7 < bytes || b->cap - b->used < ((bytes + 7) & ~(size_t)7))
		return kt_parse_alloc_slow(p, bytes);
	return kt_alloc(p->a, bytes);
}

static inline bool kt_parse_push(struct kt_parser *p, const void *elem, size_t size)
{
	if (p->scratch_used + size > p->scratch_cap && !kt_parse_grow(p, size))
		return false;
	__builtin_memcpy(p->scratch + p->scratch_used, elem, size);
	p->scratch_used += size;
	return true;
}

static inline bool kt_is(const struct kt_parser *p, uint8_t kind)
{
	return p->tok.kind == kind;
}

/* --- parse_set.c --- */

struct kt_set *kt_parse_affine_set(struct kt_parser *p);	/* at "affine_set" */
struct kt_map *kt_parse_affine_map(struct kt_parser *p);	/* at "affine_map" */
/* [0, 2] or [[0, 2], [4, 6]] */
struct kt_set *kt_parse_enumerated(struct kt_parser *p);
/* The same from an attribute: what an alias stands for. NULL after an error. */
const struct kt_set *kt_parse_list_set(struct kt_parser *p, const struct kt_attr *list);

/* --- parse_alias.c --- */

/* The alias of the next token ('#x' or '!x'), read if need be; NULL after an error. */
struct kt_alias *kt_parse_alias_use(struct kt_parser *p);
bool kt_parse_alias_def(struct kt_parser *p);		/* at "#x =" */

/* --- parse_type.c --- */

/* @shorthand: kind meant by a bare "<...>" */
const struct kt_type *kt_parse_type(struct kt_parser *p, enum kt_type_kind shorthand);
bool kt_parse_at_type(const struct kt_parser *p);
/* T, T, ... or (T, ...); onto the scratch stack */
bool kt_parse_types(struct kt_parser *p, enum kt_type_kind shorthand, bool parens);
/* 8 bytes of @s may be read, as behind all names */
struct kt_type *kt_parse_scalar(struct kt_parser *p, const char *s, uint32_t len);

/* --- parse_attr.c --- */

/* @typed: a ": T" behind a number belongs to it */
bool kt_parse_attr(struct kt_parser *p, struct kt_attr *out, bool typed);
/* { a = 1, b } or < { ... } >; onto the scratch stack */
bool kt_parse_dict(struct kt_parser *p);
/* name = value: put under its canonical name */
bool kt_parse_entry(struct kt_parser *p, bool typed);
bool kt_parse_space(struct kt_parser *p, struct kt_op *op);	/* memory_space -> op fields */

/* --- parse_op.c --- */

bool kt_parse_operand(struct kt_parser *p, struct kt_operand *o);
bool kt_parse_operands(struct kt_parser *p);		/* %a, %b; onto the scratch stack */
void kt_parse_check_type(struct kt_parser *p, const struct kt_operand *o, const struct kt_type *t);
bool kt_parse_check_types(struct kt_parser *p, const struct kt_operand *o, unsigned int n,
			  const struct kt_type *const *types, unsigned int n_types,
			  struct kt_range at);
struct kt_value *kt_parse_new_value(struct kt_parser *p, const char *name,
				    const struct kt_type *type, struct kt_range at);
bool kt_parse_set_results(struct kt_parser *p, struct kt_op *op,
			  const struct kt_type *const *types, unsigned int n, struct kt_range at);
bool kt_parse_index(struct kt_parser *p, struct kt_index *out);
bool kt_parse_index_list(struct kt_parser *p, struct kt_index_list *out);	/* [..] */
/* Operands of dynamic entries; onto the scratch stack */
bool kt_parse_push_dynamic(struct kt_parser *p, const struct kt_index_list *l);
bool kt_parse_push_operand(struct kt_parser *p, const struct kt_value *v, struct kt_range at);
/* A region; @args are arguments its op gives it */
bool kt_parse_region(struct kt_parser *p, struct kt_op *op, struct kt_region *r,
		     struct kt_value **args, unsigned int n_args);
/* At '{': does a region follow rather than a dictionary? */
bool kt_parse_at_region(const struct kt_parser *p);
/* (%a: T, ...) */
bool kt_parse_block_args(struct kt_parser *p, struct kt_block *b);
/* Optional {...} and loc(...) behind an operation */
bool kt_parse_trailer(struct kt_parser *p, struct kt_op *op);
bool kt_parse_loc(struct kt_parser *p);
void kt_parse_add_attr(struct kt_parser *p, struct kt_op *op, const struct kt_attr *at);
bool kt_parse_take_attrs(struct kt_parser *p, struct kt_op *op, size_t mark);
/* At the first token of an operation? */
bool kt_parse_at_op(const struct kt_parser *p);

/* --- the families --- */

bool kt_parse_inter_tile(struct kt_parser *p, struct kt_op *op);
bool kt_parse_terminator(struct kt_parser *p, struct kt_op *op);
bool kt_parse_tile_id(struct kt_parser *p, struct kt_op *op);
bool kt_parse_view(struct kt_parser *p, struct kt_op *op);
bool kt_parse_access(struct kt_parser *p, struct kt_op *op);
bool kt_parse_load(struct kt_parser *p, struct kt_op *op);
bool kt_parse_store(struct kt_parser *p, struct kt_op *op);

bool kt_parse_slice(struct kt_parser *p, struct kt_op *op);
bool kt_parse_constant(struct kt_parser *p, struct kt_op *op);
bool kt_parse_arith(struct kt_parser *p, struct kt_op *op);
bool kt_parse_apply(struct kt_parser *p, struct kt_op *op);
bool kt_parse_for(struct kt_parser *p, struct kt_op *op);
bool kt_parse_if(struct kt_parser *p, struct kt_op *op);
bool kt_parse_call(struct kt_parser *p, struct kt_op *op);
/* Result type of an arith or index operation from its operands'. */
const struct kt_type *kt_parse_arith_result(struct kt_parser *p, const struct kt_op *op,
					    const struct kt_type *t);

bool kt_parse_other(struct kt_parser *p, struct kt_op *op);
/* Behind the quoted name. */
bool kt_parse_generic(struct kt_parser *p, struct kt_op *op, enum kt_syntax syntax);

/* --- parse_func.c --- */

/* Behind the word func; @off: where it starts. */
bool kt_parse_func(struct kt_parser *p, uint32_t off);
bool kt_parse_generic_func(struct kt_parser *p, struct kt_op *op, uint32_t off);
/* grid = [..] among attributes, if it is there */
bool kt_parse_grid(struct kt_parser *p, const struct kt_attr *attrs, unsigned int n,
		   struct kt_grid *out);
void kt_parse_set_grid(struct kt_func *f, const struct kt_grid *g);

#endif /* KT_PARSE_H */
