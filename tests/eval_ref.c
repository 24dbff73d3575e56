// SPDX-License-Identifier: MIT
/*
 * The meaning of a random program, from its parameters: every producer's elements are
 * sent where the specification's odometer puts them (the library's evaluator asks the
 * other way round, where each result element comes from). Halves are decoded and
 * rounded by comparing with all their values.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rprog.h"

/* --- numbers ---------------------------------------------------------------------------- */

static double half_value(enum rp_type t, unsigned int bits)
{
	int man_bits = t == RP_F16 ? 10 : 7, bias = t == RP_F16 ? 15 : 127;
	int exp_mask = t == RP_F16 ? 31 : 255;
	int exp = (int)(bits >> man_bits) & exp_mask, man = (int)bits & ((1 << man_bits) - 1);
	double v;

	if (exp == exp_mask)
		v = man ? NAN : INFINITY;
	else if (exp == 0)
		v = man * pow(2, 1 - bias - man_bits);
	else
		v = (1 + man * pow(2, -man_bits)) * pow(2, exp - bias);
	return bits & 0x8000 ? -v : v;
}

/* The half nearest to @v: the last one not above it or its neighbour. */
static unsigned int half_bits(enum rp_type t, double v)
{
	unsigned int inf = t == RP_F16 ? 0x7c00 : 0x7f80, lo = 0, hi = inf, mid;
	unsigned int sign = signbit(v) ? 0x8000 : 0;
	double a = fabs(v), below, above;

	if (isnan(v))
		return t == RP_F16 ? 0x7e00 : 0x7fc0;
	if (isinf(v))
		return sign | inf;
	while (lo + 1 < hi) {
		mid = (lo + hi) / 2;
		if (half_value(t, mid) <= a)
			lo = mid;
		else
			hi = mid;
	}
	below = half_value(t, lo);
	above = hi == inf ? pow(2, t == RP_F16 ? 16 : 128) : half_value(t, hi);
	if (a - below > above - a || (a - below == above - a && (lo & 1)))
		lo = hi;
	return sign | lo;
}

static bool is_float(enum rp_type t)
{
	return t <= RP_F64;
}

static double load_float(enum rp_type t, const uint8_t *p)
{
	uint16_t h;
	float f;
	double d;

	switch (t) {
	case RP_F16:
	case RP_BF16:
		memcpy(&h, p, 2);
		return half_value(t, h);
	case RP_F32:
		memcpy(&f, p, 4);
		return f;
	default:
		memcpy(&d, p, 8);
		return d;
	}
}

static void store_float(enum rp_type t, double v, uint8_t *p)
{
	uint64_t nan64 = 0x7ff8000000000000ull;
	uint32_t nan32 = 0x7fc00000;
	uint16_t h;
	float f = (float)v;

	switch (t) {
	case RP_F16:
	case RP_BF16:
		h = (uint16_t)half_bits(t, v);
		memcpy(p, &h, 2);
		break;
	case RP_F32:
		memcpy(p, isnan(v) ? (void *)&nan32 : (void *)&f, 4);
		break;
	default:
		memcpy(p, isnan(v) ? (void *)&nan64 : (void *)&v, 8);
	}
}

static double fold_float(enum rp_type t, enum rp_fold op, double a, double b)
{
	switch (op) {
	case RP_ADD:
		return t == RP_F64 ? a + b : (double)((float)a + (float)b);
	case RP_MUL:
		return t == RP_F64 ? a * b : (double)((float)a * (float)b);
	case RP_MAXNUM:
	case RP_MINNUM:
		if (isnan(a))
			return b;
		if (isnan(b))
			return a;
		break;
	default:
		if (isnan(a) || isnan(b))
			return NAN;
	}
	if (a == b)	/* zeros: -0 is the smaller */
		return (op == RP_MAX || op == RP_MAXNUM) == (signbit(a) != 0) ? b : a;
	return (op == RP_MAX || op == RP_MAXNUM) == (a < b) ? b : a;
}

static int64_t load_int(enum rp_type t, const uint8_t *p)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (t) {
	case RP_I8:
		memcpy(&i8, p, 1);
		return i8;
	case RP_I16:
		memcpy(&i16, p, 2);
		return i16;
	case RP_I32:
		memcpy(&i32, p, 4);
		return i32;
	default:
		memcpy(&i64, p, 8);
		return i64;
	}
}

static int64_t fold_int(enum rp_type t, enum rp_fold op, int64_t a, int64_t b)
{
	uint64_t mask = t == RP_I64 ? ~0ull : (1ull << (8 * rp_bytes(t))) - 1;
	uint64_t ua = (uint64_t)a & mask, ub = (uint64_t)b & mask, r;

	switch (op) {
	case RP_ADD:
		r = ua + ub;
		break;
	case RP_MUL:
		r = ua * ub;
		break;
	case RP_MAX:
		return a > b ? a : b;
	case RP_MIN:
		return a < b ? a : b;
	case RP_MAXU:
		r = ua > ub ? ua : ub;
		break;
	case RP_MINU:
		r = ua < ub ? ua : ub;
		break;
	case RP_AND:
		r = ua & ub;
		break;
	case RP_OR:
		r = ua | ub;
		break;
	default:
		r = ua ^ ub;
	}
	return load_int(t, (const uint8_t *)&r);
}

/* --- boxes --------------------------------------------------------------------------------- */

static size_t volume(const int64_t *shape, unsigned int rank)
{
	size_t v = 1;
	unsigned int a;

	for (a = 0; a < rank; a++)
		v *= (size_t)shape[a];
	return v;
}

static void unravel(size_t i, const int64_t *shape, unsigned int rank, int64_t *x)
{
	unsigned int a;

	for (a = rank; a-- > 0; i /= (size_t)shape[a])
		x[a] = (int64_t)(i % (size_t)shape[a]);
}

static size_t ravel(const int64_t *x, const int64_t *shape, unsigned int rank)
{
	size_t i = 0;
	unsigned int a;

	for (a = 0; a < rank; a++)
		i = i * (size_t)shape[a] + (size_t)x[a];
	return i;
}

static uint8_t *byte_at(struct ref_state *s, const struct rp_place *pl, int tile, unsigned int rank,
			unsigned int elem, const int64_t *x)
{
	int64_t at = 0;
	unsigned int a;

	for (a = 0; a < rank; a++)
		at += (x[a] + pl->at[a]) * pl->stride[a];
	return s->pad[tile] + pl->base + tile * pl->per_tile + at * elem;
}

/* --- the program's events -------------------------------------------------------------------- */

static void load_role(const struct rprog *p, struct ref_state *s, int k, unsigned int r)
{
	const struct rp_delivery *d = &p->d[k];
	const struct rp_role *role = &d->roles[r];
	unsigned int elem = rp_bytes(role->type);
	int64_t x[RP_MAX_RANK];
	size_t i, n = volume(role->piece, d->rank);
	int g, j;

	if (role->global)
		return;
	for (g = 0; g < d->groups; g++)
		for (j = 0; j < d->producers.n; j++) {
			int t = rp_tile(&d->producers, g, j);
			struct ref_value *v = &s->partial[k][r][t];

			v->bytes = n * elem;
			v->data = malloc(v->bytes);
			if (role->chain) {
				memcpy(v->data, s->result[role->chain - 1][0][t].data, v->bytes);
				continue;
			}
			for (i = 0; i < n; i++) {
				unravel(i, role->piece, d->rank, x);
				memcpy(v->data + i * elem,
				       byte_at(s, &role->src, t, d->rank, elem, x), elem);
			}
		}
}

static void load_delivery(const struct rprog *p, struct ref_state *s, int k)
{
	unsigned int r;

	for (r = 0; r < p->d[k].n_roles; r++)
		load_role(p, s, k, r);
}

/* Whether producer number @j is one that consumer number @c takes from. */
static bool takes(const struct rp_delivery *d, int c, int j)
{
	switch (d->dep) {
	case RP_DEP_ROTATE:
		return j == (c + d->dep_arg) % d->producers.n;
	case RP_DEP_BLOCK:
		return j / d->dep_arg == c;
	case RP_DEP_CLASS:
		return j % d->dep_arg == c % d->dep_arg;
	default:
		return true;
	}
}

/* The digits of @l over the listed axes, the last listed the fastest. */
static void digits(const int64_t *factor, const unsigned int *axes, unsigned int n, int l,
		   int64_t *out)
{
	unsigned int i;

	memset(out, 0, RP_MAX_RANK * sizeof(*out));
	for (i = n; i-- > 0;) {
		out[axes[i]] = l % factor[axes[i]];
		l /= (int)factor[axes[i]];
	}
}

/* Send producer number @l (position among those taken) to consumer number @c. */
static void send(const struct rp_delivery *d, unsigned int r, const struct ref_value *from, int l,
		 int c, struct ref_value *to, bool first)
{
	const struct rp_role *role = &d->roles[r];
	bool fold = d->kind == RP_REDUCE || d->kind == RP_REDUCE_SCATTER;
	unsigned int elem = rp_bytes(role->type), a;
	int64_t put[RP_MAX_RANK], share[RP_MAX_RANK], x[RP_MAX_RANK], y[RP_MAX_RANK];
	size_t i, n = volume(role->piece, d->rank);

	digits(d->concat, d->concat_axes, d->n_concat, l, put);
	digits(d->split, d->split_axes, d->n_split, c, share);
	for (i = 0; i < n; i++) {
		uint8_t *at;
		const uint8_t *e = from->data + i * elem;

		unravel(i, role->piece, d->rank, x);
		for (a = 0; a < d->rank; a++) {
			int64_t w = role->piece[a] / d->split[a];

			if (x[a] / w != share[a])
				break;
			y[a] = x[a] % w + put[a] * w;
		}
		if (a < d->rank)
			continue;
		at = to->data + ravel(y, role->result, d->rank) * elem;
		if (!fold) {
			memcpy(at, e, elem);
		} else if (is_float(role->type)) {
			/* accumulators are doubles beside the result, see deliver() */
			double *acc = (double *)(to->data + to->bytes) + ravel(y, role->result,
									       d->rank);
			double v = load_float(role->type, e);

			*acc = first ? v : fold_float(role->type, role->fold, *acc, v);
			store_float(role->type, *acc, at);
		} else {
			int64_t v = load_int(role->type, e);

			if (!first)
				v = fold_int(role->type, role->fold, load_int(role->type, at), v);
			memcpy(at, &v, elem);
		}
	}
}

static bool keeps_left(int pred, double l, double r, int64_t li, int64_t ri)
{
	bool nan = isnan(l) || isnan(r);

	switch (pred) {
	case 0:
		return !nan && l > r;
	case 1:
		return !nan && l >= r;
	case 2:
		return !nan && l < r;
	case 3:
		return !nan && l <= r;
	case 4:
		return nan || l > r;
	case 5:
		return nan || l >= r;
	case 6:
		return nan || l < r;
	case 7:
		return nan || l <= r;
	case 8:
		return li > ri;
	case 9:
		return li >= ri;
	case 10:
		return li < ri;
	default:
		return li <= ri;
	}
}

/* One consumer's values and their indices, element by element. */
static void choose(const struct rprog *p, struct ref_state *s, int k, int g, int c)
{
	const struct rp_delivery *d = &p->d[k];
	int to = rp_tile(&d->consumers, g, c), j;
	enum rp_type vt = d->roles[0].type, it = d->roles[1].type;
	unsigned int ve = rp_bytes(vt), ie = rp_bytes(it), a;
	int64_t share[RP_MAX_RANK], y[RP_MAX_RANK];
	size_t i, n = volume(d->roles[0].result, d->rank), at;

	digits(d->split, d->split_axes, d->n_split, c, share);
	for (i = 0; i < n; i++) {
		const uint8_t *v = NULL, *x = NULL, *nv, *nx;

		unravel(i, d->roles[0].result, d->rank, y);
		for (a = 0; a < d->rank; a++)
			y[a] += share[a] * d->roles[0].result[a];
		at = ravel(y, d->roles[0].piece, d->rank);
		for (j = 0; j < d->producers.n; j++) {
			int t = rp_tile(&d->producers, g, j);

			if (!takes(d, c, j))
				continue;
			nv = s->partial[k][0][t].data + at * ve;
			nx = s->partial[k][1][t].data + at * ie;
			if (v && keeps_left(d->arg - 1, is_float(vt) ? load_float(vt, v) : 0,
					    is_float(vt) ? load_float(vt, nv) : 0,
					    is_float(vt) ? 0 : load_int(vt, v),
					    is_float(vt) ? 0 : load_int(vt, nv)))
				continue;
			v = nv;
			x = nx;
		}
		if (is_float(vt))
			store_float(vt, load_float(vt, v), s->result[k][0][to].data + i * ve);
		else
			memcpy(s->result[k][0][to].data + i * ve, v, ve);
		memcpy(s->result[k][1][to].data + i * ie, x, ie);
	}
}

static void deliver(const struct rprog *p, struct ref_state *s, int k)
{
	const struct rp_delivery *d = &p->d[k];
	unsigned int r;
	int g, c, j;

	for (r = 0; r < d->n_roles; r++)
		for (g = 0; g < d->groups; g++)
			for (c = 0; c < d->consumers.n; c++) {
				struct ref_value *to =
					&s->result[k][r][rp_tile(&d->consumers, g, c)];
				size_t n = volume(d->roles[r].result, d->rank);
				int l = 0;

				to->bytes = (n * rp_bytes(d->roles[r].type) + 7) & ~(size_t)7;
				to->data = calloc(1, to->bytes + n * sizeof(double));
				for (j = 0; j < d->producers.n; j++) {
					if (d->arg || !takes(d, c, j))
						continue;
					send(d, r, &s->partial[k][r][rp_tile(&d->producers, g, j)],
					     l, c, to, l == 0);
					l++;
				}
				if (d->arg && r == 1)
					choose(p, s, k, g, c);
			}
}

static void store_delivery(const struct rprog *p, struct ref_state *s, int k)
{
	const struct rp_delivery *d = &p->d[k];
	int64_t x[RP_MAX_RANK];
	unsigned int r;
	size_t i;
	int t;

	for (r = 0; r < d->n_roles; r++) {
		const struct rp_role *role = &d->roles[r];
		unsigned int elem = rp_bytes(role->type), half;

		if (role->store == RP_STORE_NONE)
			continue;
		for (t = 0; t < p->tiles; t++) {
			const struct ref_value *v = &s->result[k][r][t];

			for (i = 0; v->data && i < volume(role->result, d->rank); i++) {
				unravel(i, role->result, d->rank, x);
				half = role->store == RP_STORE_SLICES &&
				       x[role->cut_axis] >= role->cut;
				if (half)
					x[role->cut_axis] -= role->cut;
				memcpy(byte_at(s, &role->dst[half], t, d->rank, elem, x),
				       v->data + i * elem, elem);
			}
		}
	}
}

void ref_run(const struct rprog *p, struct ref_state *s)
{
	int k;

	for (k = 0; k < p->n; k++)
		if (p->d[k].early)
			load_delivery(p, s, k);
	for (k = 0; k < p->n; k++) {
		if (!p->d[k].early)
			load_delivery(p, s, k);
		deliver(p, s, k);
		if (!p->d[k].late_store)
			store_delivery(p, s, k);
	}
	for (k = 0; k < p->n; k++)
		if (p->d[k].late_store)
			store_delivery(p, s, k);
}

void ref_fini(struct ref_state *s)
{
	int k, r, t;

	for (k = 0; k < RP_MAX_DELIVERIES; k++)
		for (r = 0; r < 2; r++)
			for (t = 0; t < RP_MAX_TILES; t++) {
				free(s->partial[k][r][t].data);
				free(s->result[k][r][t].data);
			}
}
