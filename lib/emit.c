// SPDX-License-Identifier: MIT
/*
 * The KTIR of a relayout: what the tables say, as deliveries. Only the preferred spelling
 * is written; everything written is checked against the tables first (emit_check.c).
 */
#include "emit.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STEPS	4096u	/* terms of an address by tile */

/* A text defined once under a name: affine sets and maps. */
struct alias {
	const char *text;
	char name[16];
};

struct out {
	FILE *head, *body;	/* aliases; the function */
	char *head_text, *body_text;
	size_t head_len, body_len;
	const struct kt_class *c;
	struct kt_arena *a;
	const char *elem;	/* element type */
	struct alias *alias;
	uint32_t n_alias, cap_alias;
	uint32_t n_value;	/* numbers of SSA values */
	int64_t *consts;	/* index constants defined so far */
	uint32_t n_consts, cap_consts;
	bool tile_id;
	int err;
};

/* --- small things ------------------------------------------------------------------------- */

static const char *elem_name(const struct ktdev_relayout *rel)
{
	static const char *const known[] = { "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64",
					     "f8E4M3FN", "f8E5M2" };
	static const char *const opaque[] = { "", "i8", "i16", "i24", "i32", "i40", "i48", "i56",
					      "i64", "i72", "i80", "i88", "i96", "i104", "i112",
					      "i120", "i128" };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(known[i], rel->dtype))
			return known[i];
	return opaque[rel->elem_bytes];
}

/* The alias of a set or map; defines it at first use. */
static const char *alias_of(struct out *o, const char *prefix, const char *text)
{
	struct alias *v;
	uint32_t i;

	if (!text) {
		o->err = -ENOMEM;
		return "";
	}
	for (i = 0; i < o->n_alias; i++)
		if (!strcmp(o->alias[i].text, text))
			return o->alias[i].name;
	if (o->n_alias == o->cap_alias) {
		uint32_t cap = o->cap_alias ? 4 * o->cap_alias : 16;

		v = kt_alloc(o->a, cap * sizeof(*v));
		if (!v) {
			o->err = -ENOMEM;
			return "";
		}
		if (o->n_alias)
			memcpy(v, o->alias, o->n_alias * sizeof(*v));
		o->alias = v;
		o->cap_alias = cap;
	}
	v = &o->alias[o->n_alias];
	v->text = text;
	snprintf(v->name, sizeof(v->name), "#%s%u", prefix, o->n_alias++);
	fprintf(o->head, "%s = %s\n", v->name, text);
	return v->name;
}

static const char *flush_text(struct out *o, FILE *f, char **buf, size_t *len)
{
	char *s = NULL;

	if (fclose(f))
		o->err = -ENOMEM;
	else
		s = kt_strndup(o->a, *buf, *len);
	free(*buf);
	if (!s)
		o->err = -ENOMEM;
	return s ? s : "";
}

/* The box [0, size) as a coordinate set. */
static const char *box_set(struct out *o, const uint32_t *size, uint32_t rank)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);
	uint32_t a;

	if (!f) {
		o->err = -ENOMEM;
		return "";
	}
	fprintf(f, "affine_set<(");
	for (a = 0; a < rank; a++)
		fprintf(f, "%sd%u", a ? ", " : "", a);
	fprintf(f, ") : (");
	for (a = 0; a < rank; a++) {
		if (size[a] == 1)
			fprintf(f, "%sd%u == 0", a ? ", " : "", a);
		else
			fprintf(f, "%sd%u >= 0, -d%u + %u >= 0", a ? ", " : "", a, a, size[a] - 1);
	}
	fprintf(f, ")>");
	return alias_of(o, "box", flush_text(o, f, &buf, &len));
}

static const char *identity_map(struct out *o, uint32_t rank)
{
	char *buf = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&buf, &len);
	uint32_t a, k;

	if (!f) {
		o->err = -ENOMEM;
		return "";
	}
	fprintf(f, "affine_map<(");
	for (k = 0; k < 2; k++) {
		for (a = 0; a < rank; a++)
			fprintf(f, "%sd%u", a ? ", " : "", a);
		fprintf(f, k ? ")>" : ") -> (");
	}
	return alias_of(o, "id", flush_text(o, f, &buf, &len));
}

/* Name of an index constant; defines it at first use. */
static const char *index_const(struct out *o, int64_t v, char *name, size_t size)
{
	uint32_t i;

	snprintf(name, size, "%%c%" PRId64, v);
	for (i = 0; i < o->n_consts; i++)
		if (o->consts[i] == v)
			return name;
	if (o->n_consts == o->cap_consts) {
		uint32_t cap = o->cap_consts ? 4 * o->cap_consts : 16;
		int64_t *more = kt_alloc(o->a, cap * sizeof(*more));

		if (!more) {
			o->err = -ENOMEM;
			return name;
		}
		if (o->n_consts)
			memcpy(more, o->consts, o->n_consts * sizeof(*more));
		o->consts = more;
		o->cap_consts = cap;
	}
	o->consts[o->n_consts++] = v;
	fprintf(o->body, "    %s = arith.constant %" PRId64 " : index\n", name, v);
	return name;
}

static void dims(FILE *f, const uint32_t *v, uint32_t rank, const char *sep)
{
	uint32_t a;

	for (a = 0; a < rank; a++)
		fprintf(f, "%s%u", a ? sep : "", v[a]);
}

/* tensor<2x64xf16>, memref<...>, !ktdp.access_tile<...xindex> */
static const char *type_text(struct out *o, const char *kind, const uint32_t *shape, uint32_t rank,
			     const char *elem)
{
	char buf[256], *s;
	size_t used = (size_t)snprintf(buf, sizeof(buf), "%s<", kind);
	uint32_t a;

	for (a = 0; a < rank; a++)
		used += (size_t)snprintf(buf + used, sizeof(buf) - used, "%ux", shape[a]);
	snprintf(buf + used, sizeof(buf) - used, "%s>", elem);
	s = kt_strndup(o->a, buf, strlen(buf));
	if (!s)
		o->err = -ENOMEM;
	return s ? s : "";
}

/* --- addresses ---------------------------------------------------------------------------- */

/* An expression of the tile id as arith ops; returns the name of its value. */
static const char *arith(struct out *o, const struct kt_expr *e, char *name, size_t size)
{
	static const char *const ops[] = {
		[KT_EXPR_ADD] = "addi", [KT_EXPR_MUL] = "muli", [KT_EXPR_MOD] = "remsi",
		[KT_EXPR_FLOORDIV] = "floordivsi",
	};
	char l[32], r[32];

	if (e->kind == KT_EXPR_CONST)
		return index_const(o, e->value, name, size);
	if (e->kind == KT_EXPR_SYM) {
		if (!o->tile_id)
			fprintf(o->body, "    %%tile = ktdp.get_compute_tile_id : index\n");
		o->tile_id = true;
		snprintf(name, size, "%%tile");
		return name;
	}
	arith(o, e->lhs, l, sizeof(l));
	arith(o, e->rhs, r, sizeof(r));
	snprintf(name, size, "%%%u", o->n_value++);
	fprintf(o->body, "    %s = arith.%s %s, %s : index\n", name, ops[e->kind], l, r);
	return name;
}

/* Element address as an SSA value. */
static const char *address(struct out *o, const struct kt_tile_addr *at, char *name, size_t size)
{
	uint32_t elem = o->c->rel->elem_bytes, n = o->c->rel->cores, i, steps = 0;
	const struct kt_expr *tile, *e;
	int64_t *f;

	if (!at->per_tile)
		return index_const(o, (int64_t)(at->base / elem), name, size);
	f = malloc(n * sizeof(*f));
	tile = kt_e_sym(o->a, 0);
	if (!f || !tile) {
		free(f);
		o->err = -ENOMEM;
		return "";
	}
	for (i = 0; i < n; i++)
		f[i] = (int64_t)(at->per_tile[i] / elem);
	for (i = 1; i < n; i++)
		steps += f[i] != f[i - 1];
	e = kt_fit(o->a, f, n, tile);
	if (!e && steps > MAX_STEPS) {
		free(f);
		o->err = -ERANGE;
		return "";
	}
	if (!e)
		e = kt_fit_steps(o->a, f, n, tile);
	free(f);
	if (!e) {
		o->err = -ENOMEM;
		return "";
	}
	return arith(o, e, name, size);
}

/* --- views, loads, stores ----------------------------------------------------------------- */

/* A view and an access tile on it; returns the number that names both. */
static uint32_t view_and_tile(struct out *o, const struct kt_tile_addr *at, const uint32_t *vsize,
			      const uint64_t *stride, const uint32_t *off, const uint32_t *size,
			      uint32_t rank)
{
	const char *mem = type_text(o, "memref", vsize, rank, o->elem);
	uint32_t a, id = o->n_value++, elem = o->c->rel->elem_bytes;
	char base[32], name[32];
	const char *set = box_set(o, vsize, rank);

	address(o, at, base, sizeof(base));
	for (a = 0; a < rank; a++)
		index_const(o, off ? off[a] : 0, name, sizeof(name));
	fprintf(o->body, "    %%v%u = ktdp.construct_memory_view %s, sizes: [", id, base);
	dims(o->body, vsize, rank, ", ");
	fprintf(o->body, "], strides: [");
	for (a = 0; a < rank; a++)
		fprintf(o->body, "%s%" PRIu64, a ? ", " : "", stride[a] / elem);
	fprintf(o->body, "] {\n        coordinate_set = %s, memory_space = "
			 "#ktdp.memory_space<ct_local>\n    } : %s\n",
		set, mem);
	fprintf(o->body, "    %%a%u = ktdp.construct_access_tile %%v%u[", id, id);
	for (a = 0; a < rank; a++)
		fprintf(o->body, "%s%%c%u", a ? ", " : "", off ? off[a] : 0);
	set = box_set(o, size, rank);
	fprintf(o->body, "] {\n        access_tile_set = %s, access_tile_order = %s\n"
		"    } : %s -> %s\n",
		set, identity_map(o, rank), mem,
		type_text(o, "!ktdp.access_tile", size, rank, "index"));
	return id;
}

static void put_load(struct out *o, const struct kt_move *m, uint32_t i)
{
	uint32_t id = view_and_tile(o, &m->src, m->select ? m->view_size : m->part, m->sstride,
				    m->select ? m->view_off : NULL, m->part, m->rank);

	fprintf(o->body, "    %%x%u = ktdp.load %%a%u : %s -> %s\n", i, id,
		type_text(o, "!ktdp.access_tile", m->part, m->rank, "index"),
		type_text(o, "tensor", m->part, m->rank, o->elem));
}

static void put_store(struct out *o, const struct kt_move *m, uint32_t i, uint32_t k)
{
	const struct kt_move_store *s = &m->stores[k];
	const char *whole = type_text(o, "tensor", m->result, m->rank, o->elem);
	const char *part = type_text(o, "tensor", s->size, m->rank, o->elem);
	bool slice = memcmp(s->size, m->result, m->rank * sizeof(*s->size)) != 0;
	uint32_t a, id;

	if (slice) {
		fprintf(o->body, "    %%s%u_%u = tensor.extract_slice %%r%u[", i, k, i);
		dims(o->body, s->start, m->rank, ", ");
		fprintf(o->body, "] [");
		dims(o->body, s->size, m->rank, ", ");
		fprintf(o->body, "] [");
		for (a = 0; a < m->rank; a++)
			fprintf(o->body, "%s1", a ? ", " : "");
		fprintf(o->body, "] : %s to %s\n", whole, part);
	}
	id = view_and_tile(o, &s->addr, s->size, s->stride, NULL, s->size, m->rank);
	if (slice)
		fprintf(o->body, "    ktdp.store %%s%u_%u, %%a%u : ", i, k, id);
	else
		fprintf(o->body, "    ktdp.store %%r%u, %%a%u : ", i, id);
	fprintf(o->body, "%s, %s\n", part,
		type_text(o, "!ktdp.access_tile", s->size, m->rank, "index"));
}

/* --- folds -------------------------------------------------------------------------------- */

struct combiner {
	uint8_t op;
	const char *real, *integer;	/* arith op */
	const char *f16, *bf16, *f32, *f64;	/* identity as bits */
};

static const struct combiner combiners[] = {
	{ KTE_OP_ADD, "addf", "addi", "0.0", "0.0", "0.0", "0.0" },
	{ KTE_OP_MUL, "mulf", "muli", "1.0", "1.0", "1.0", "1.0" },
	{ KTE_OP_MIN, "minimumf", "minsi", "0x7C00", "0x7F80", "0x7F800000", "0x7FF0000000000000" },
	{ KTE_OP_MAX, "maximumf", "maxsi", "0xFC00", "0xFF80", "0xFF800000", "0xFFF0000000000000" },
	{ KTE_OP_AND, NULL, "andi", NULL, NULL, NULL, NULL },
	{ KTE_OP_OR, NULL, "ori", NULL, NULL, NULL, NULL },
	{ KTE_OP_XOR, NULL, "xori", NULL, NULL, NULL, NULL },
};

static const struct combiner *combiner(const struct out *o)
{
	uint32_t i = 0;

	while (combiners[i].op != o->c->rel->fold_op)
		i++;
	return &combiners[i];
}

static bool is_real(const struct out *o)
{
	return o->c->rel->kte_dtype >= KTE_DT_F16 && o->c->rel->kte_dtype <= KTE_DT_F64;
}

static void identity_value(const struct out *o, char *buf, size_t size)
{
	uint32_t bits = 8 * o->c->rel->elem_bytes;
	const struct combiner *k = combiner(o);
	int64_t v = 0;

	if (is_real(o)) {
		const char *const by[] = { [KTE_DT_F16] = k->f16, [KTE_DT_BF16] = k->bf16,
					   [KTE_DT_F32] = k->f32, [KTE_DT_F64] = k->f64 };

		snprintf(buf, size, "%s", by[o->c->rel->kte_dtype]);
		return;
	}
	if (k->op == KTE_OP_MUL)
		v = 1;
	else if (k->op == KTE_OP_AND)
		v = -1;
	else if (k->op == KTE_OP_MIN)
		v = INT64_MAX >> (64 - bits);
	else if (k->op == KTE_OP_MAX)
		v = INT64_MIN >> (64 - bits);
	snprintf(buf, size, "%" PRId64, v);
}

static void put_identity(struct out *o, const struct kt_move *m, uint32_t i)
{
	const char *t = type_text(o, "tensor", m->part, m->rank, o->elem);
	char v[40];

	identity_value(o, v, sizeof(v));
	fprintf(o->body, "    %%z%u = arith.constant %s : %s\n", i, v, o->elem);
	fprintf(o->body, "    %%e%u = tensor.empty() : %s\n", i, t);
	fprintf(o->body, "    %%n%u = linalg.fill ins(%%z%u : %s) outs(%%e%u : %s) -> %s\n", i, i,
		o->elem, i, t, t);
}

static void put_region(struct out *o, const struct kt_move *m)
{
	const char *t = type_text(o, "tensor", m->part, m->rank, o->elem);
	const struct combiner *k = combiner(o);

	fprintf(o->body, "    {\n      ^bb0(%%lhs: %s, %%rhs: %s):\n", t, t);
	fprintf(o->body, "        %%sum = arith.%s %%lhs, %%rhs : %s\n",
		is_real(o) ? k->real : k->integer, t);
	fprintf(o->body, "        ktdp.yield_reduced %%sum : %s\n    }\n", t);
}

/* --- deliveries --------------------------------------------------------------------------- */

static void axis_list(struct out *o, const char *name, const uint8_t *v, uint32_t n)
{
	uint32_t i;

	fprintf(o->body, ",\n        %s = [", name);
	for (i = 0; i < n; i++)
		fprintf(o->body, "%s%u", i ? ", " : "", v[i]);
	fputc(']', o->body);
}

static void put_delivery(struct out *o, const struct kt_move *m, uint32_t i)
{
	static const char *const names[] = { "consume", "scatter", "gather", "all_to_all", "reduce",
					     "reduce_scatter" };
	const char *part = type_text(o, "tensor", m->part, m->rank, o->elem);
	const char *result = type_text(o, "tensor", m->result, m->rank, o->elem);
	bool fold = m->kind == KT_MOVE_REDUCE || m->kind == KT_MOVE_REDUCE_SCATTER;
	struct kt_set_texts t;
	const char *groups;

	o->err = kt_move_sets(m, o->c->rel->cores, o->a, &t);
	if (o->err)
		return;
	groups = alias_of(o, "groups", t.groups);
	if (fold)
		put_identity(o, m, i);
	fprintf(o->body, "    %%f%u = ktdp.inter_tile_produce\n"
		"        producer_tiles_per_group = %s\n",
		i, alias_of(o, "tiles", t.producers));
	fprintf(o->body, "        -> !ktdp.tile_future<(%s), groups = %s>\n    {\n", part, groups);
	fprintf(o->body, "      ^bb0(%%gid: index):\n"
		"        ktdp.yield_partial %%x%u : %s\n    }\n",
		i, part);
	fprintf(o->body, "    %%r%u = ktdp.inter_tile_%s(%%f%u)\n"
		"        consumer_tiles_per_group = %s",
		i, names[m->kind], i, alias_of(o, "tiles", t.consumers));
	if (m->kind == KT_MOVE_GATHER)
		axis_list(o, "gather_dimensions", m->concat, m->n_concat);
	if (m->kind == KT_MOVE_SCATTER || m->kind == KT_MOVE_REDUCE_SCATTER)
		axis_list(o, "scatter_dimensions", m->split, m->n_split);
	if (m->kind == KT_MOVE_ALL_TO_ALL) {
		axis_list(o, "split_dimensions", m->split, m->n_split);
		axis_list(o, "concat_dimensions", m->concat, m->n_concat);
	}
	if (t.dep)
		fprintf(o->body, ",\n        producer_dependency_per_consumer = %s",
			alias_of(o, "dep", t.dep));
	if (fold)
		fprintf(o->body, ",\n        identity(%%n%u : %s)", i, part);
	fprintf(o->body, "\n        : !ktdp.tile_future<(%s), groups = %s> -> %s\n", part, groups,
		result);
	if (fold)
		put_region(o, m);
}

static void put_moves(struct out *o)
{
	const struct kt_moves *v = &o->c->moves;
	bool early = v->staged_loads && v->n > 1;
	uint32_t i, k;

	for (i = 0; early && i < v->n; i++)
		put_load(o, &v->v[i], i);
	for (i = 0; i < v->n && !o->err; i++) {
		if (!early)
			put_load(o, &v->v[i], i);
		put_delivery(o, &v->v[i], i);
		for (k = 0; !early && k < v->v[i].n_stores; k++)
			put_store(o, &v->v[i], i, k);
	}
	for (i = 0; early && i < v->n && !o->err; i++)
		for (k = 0; k < v->v[i].n_stores; k++)
			put_store(o, &v->v[i], i, k);
}

/* Every address and stride must be whole elements. */
static bool whole_elements(const struct kt_class *c)
{
	uint32_t elem = c->rel->elem_bytes, i, k, s, t;

	for (i = 0; i < c->moves.n; i++) {
		const struct kt_move *m = &c->moves.v[i];

		for (s = 0; s <= m->n_stores; s++) {
			const struct kt_tile_addr *at = s ? &m->stores[s - 1].addr : &m->src;

			if (at->base % elem)
				return false;
			for (t = 0; at->per_tile && t < c->rel->cores; t++)
				if (at->per_tile[t] % elem)
					return false;
		}
		for (k = 0; k < m->rank; k++)
			if (m->sstride[k] % elem)
				return false;
	}
	return true;
}

/* One line of comment from a sentence that may hold anything. */
static void put_comment(FILE *f, const char *s)
{
	fputs("// ", f);
	for (; *s; s++)
		fputc((unsigned char)*s < 0x20 ? ' ' : *s, f);
	fputc('\n', f);
}

static int write_all(const struct kt_class *c, const struct ktdev_classification *top,
		     char **text)
{
	struct out o = { .c = c };
	struct kt_arena arena = {0};
	int ret;

	o.a = &arena;
	o.elem = elem_name(c->rel);
	o.head = open_memstream(&o.head_text, &o.head_len);
	o.body = open_memstream(&o.body_text, &o.body_len);
	if (!o.head || !o.body) {
		if (o.head)
			fclose(o.head);
		free(o.head_text);
		return -ENOMEM;
	}
	put_comment(o.head, c->rel->name && *c->rel->name ? c->rel->name : "relayout");
	put_comment(o.head, top->reason);
	fprintf(o.body, "\nmodule attributes {grid = [%u]} {\n  func.func @relayout() {\n",
		c->rel->cores);
	put_moves(&o);
	fprintf(o.body, "    return\n  }\n}\n");
	ret = fclose(o.body) ? -ENOMEM : o.err;
	if (!ret)
		fwrite(o.body_text, 1, o.body_len, o.head);
	if (fclose(o.head))
		ret = -ENOMEM;
	free(o.body_text);
	kt_arena_fini(&arena);
	if (ret) {
		free(o.head_text);
		return ret;
	}
	*text = o.head_text;
	return 0;
}

static int refuse(struct ktdev_report *rep, const struct kt_class *c, const char *why)
{
	struct kt_range none = { 0, 0 };
	struct kt_source src;

	if (kt_source_init(&src, c->rel->name, "", 0))
		return -ENOMEM;
	kt_diag_pointer(kt_diag(rep, &src, none, KT_RULE_NONE, KTDEV_UNSUPPORTED, "%s", why), "%s",
			"");
	kt_source_fini(&src);
	return -EOPNOTSUPP;
}

int ktdev_emit(const struct ktdev_relayout *rel, enum ktdev_elect elect, struct ktdev_report *rep,
	       char **text)
{
	struct ktdev_classification *cls;
	const struct kt_class *c;
	int ret;

	*text = NULL;
	ret = ktdev_classify(rel, elect, &cls);
	if (ret)
		return ret;
	c = (const struct kt_class *)cls;
	while (c->then)
		c = c->then;
	if (c->undetermined) {
		ret = refuse(rep, c, c->row == KT_ROW_G3 ? c->pub.reason :
			     "a source region has several holders and a consumer is none of them: "
			     "elect a producer (lowest or nearest)");
	} else if (!whole_elements(c)) {
		ret = refuse(rep, c, "an address is no whole number of elements: not in KTIR");
	} else if (c->beyond) {
		ret = refuse(rep, c, "more transfers than can be listed, or places beyond 2^63");
	} else {
		ret = kt_moves_check(c);
		if (!ret)
			ret = refuse(rep, c, "no delivery was found that says these tables");
		else if (ret > 0)
			ret = write_all(c, cls, text);
		if (ret == -ERANGE)
			ret = refuse(rep, c, "the tiles follow no pattern, and as lists the sets would be too long");
	}
	ktdev_classification_free(cls);
	return ret;
}

/* --- sets for people ---------------------------------------------------------------------- */

int ktdev_classification_sets(const struct ktdev_classification *cls, uint32_t i,
			      struct ktdev_op_sets *out)
{
	static const char *const names[] = { "consume", "scatter", "gather", "all_to_all", "reduce",
					     "reduce_scatter" };
	const struct kt_class *c = (const struct kt_class *)cls;
	struct kt_arena arena = {0};
	struct kt_set_texts t;
	size_t n[4], used = 0;
	const char *v[4];
	uint32_t k;
	int ret;

	memset(out, 0, sizeof(*out));
	while (c->then)
		c = c->then;
	if (i >= c->moves.n)
		return -ERANGE;
	ret = kt_move_sets(&c->moves.v[i], c->rel->cores, &arena, &t);
	v[0] = t.groups;
	v[1] = t.producers;
	v[2] = t.consumers;
	v[3] = t.dep;
	for (k = 0; !ret && k < 4; k++) {
		n[k] = v[k] ? strlen(v[k]) + 1 : 0;
		used += n[k];
	}
	if (!ret)
		out->memory = malloc(used);
	if (out->memory) {
		char *at = out->memory;

		for (k = 0; k < 4; k++) {
			memcpy(at, v[k] ? v[k] : "", n[k]);
			v[k] = n[k] ? at : NULL;
			at += n[k];
		}
		out->op = names[c->moves.v[i].kind];
		out->groups = v[0];
		out->producers = v[1];
		out->consumers = v[2];
		out->dep = v[3];
	} else {
		ret = -ENOMEM;
	}
	kt_arena_fini(&arena);
	return ret;
}

void ktdev_op_sets_free(struct ktdev_op_sets *sets)
{
	free(sets->memory);
	memset(sets, 0, sizeof(*sets));
}
