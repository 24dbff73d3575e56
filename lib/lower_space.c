// SPDX-License-Identifier: MIT
/*
 * Index spaces of deliveries and their entries.
 */
#include <errno.h>
#include <string.h>

#include "lower.h"

bool kt_lw_shape_of(const struct kt_role *role, struct kt_lw_shape *sh)
{
	unsigned int a;

	memset(sh, 0, sizeof(*sh));
	sh->vrank = role->partial->rank;
	sh->rank = sh->vrank ? sh->vrank : 1;
	for (a = 0; a < sh->vrank; a++) {
		sh->piece[a] = role->partial->shape[a];
		sh->share[a] = sh->piece[a] / role->split[a];
		sh->which[a] = KT_LW_NONE;
		if (role->split[a] > 1 && role->concat[a] > 1)
			sh->which[a] = sh->rank++;
	}
	return sh->rank <= KTE_MAX_RANK;
}

int kt_lw_too_large(struct kt_lw *lw, const struct kt_delivery *d, const char *why)
{
	kt_diag(lw->rep, lw->src, d->op->at, KT_K13, KTDEV_UNSUPPORTED, "%s", why);
	return -EOPNOTSUPP;
}

/* Add a space for roles first .. first + n - 1 of the delivery. */
int kt_lw_space(struct kt_lw *lw, const struct kt_delivery *d, const struct kt_fold *fold,
		const unsigned int *roles, unsigned int n, const struct kt_lw_shape *sh,
		uint32_t *index)
{
	const struct kt_role *first = &d->roles[roles[0]];
	struct kte_space *sp = kt_table_space(&lw->table, index);
	unsigned int a, r;

	if (!sp)
		return -ENOMEM;
	sp->rank = (uint8_t)sh->rank;
	sp->roles = (uint8_t)n;
	sp->op = fold ? fold->op : KTE_OP_COPY;
	sp->mode = fold ? fold->mode : 0;
	for (r = 0; r < n; r++) {
		if (d->roles[roles[r]].elem_bytes > KTE_MAX_ELEM_BYTES)
			return kt_lw_too_large(lw, d,
					       "elements of more than 16 bytes cannot be moved");
		sp->elem_bytes[r] = (uint8_t)d->roles[roles[r]].elem_bytes;
		sp->dtype[r] = d->roles[roles[r]].dtype;
	}
	sp->extent[0] = 1;
	for (a = 0; a < sh->vrank; a++) {
		int64_t e = sh->piece[a];

		if (sh->which[a] != KT_LW_NONE)
			sp->extent[sh->which[a]] = (uint32_t)first->concat[a];
		else if (__builtin_mul_overflow(e, first->concat[a], &e))
			e = INT64_MAX;
		if (e > UINT32_MAX || first->concat[a] > UINT32_MAX)
			return kt_lw_too_large(lw, d, "an axis of more than 2^32 - 1 elements cannot be moved");
		sp->extent[a] = (uint32_t)e;
	}
	return 0;
}

/* Digit of position @l for axis @axis: the first listed axis is the slowest. */
static int64_t digit(const int64_t *factors, const unsigned int *axes, unsigned int n, uint32_t l,
		     unsigned int axis)
{
	unsigned int i;
	int64_t d = 0, rest = l;

	for (i = n; i-- > 0;) {
		d = rest % factors[axes[i]];
		rest /= factors[axes[i]];
		if (axes[i] == axis)
			return d;
	}
	return 0;
}

void kt_lw_put_place(struct kte_entry *e, unsigned int role, unsigned int rank, int64_t offset,
		     const int64_t *stride)
{
	unsigned int a;

	e->offset[role] = (uint64_t)offset;
	for (a = 0; a < rank; a++)
		e->stride[role][a] = e->size[a] > 1 ? (uint64_t)stride[a] : 0;
}

/* Producer number @l of a dependency set. */
int kt_lw_source(struct kt_lw *lw, const struct kt_delivery *d, uint32_t space,
		 const struct kt_lw_shape *sh, const unsigned int *roles, unsigned int n,
		 uint32_t l, const struct kt_lw_src *src, uint32_t tag)
{
	const struct kt_role *role = &d->roles[roles[0]];
	struct kte_entry *e = kt_table_source(&lw->table, space, src->tile, tag);
	unsigned int a, r;

	if (!e)
		return -ENOMEM;
	for (a = 0; a < sh->rank; a++)
		e->size[a] = 1;
	for (a = 0; a < sh->vrank; a++) {
		int64_t at = digit(role->concat, d->concat_axes, d->n_concat, l, a);

		e->size[a] = (uint32_t)sh->piece[a];
		if (sh->which[a] != KT_LW_NONE)
			e->start[sh->which[a]] = (uint32_t)at;
		else
			e->start[a] = (uint32_t)(at * sh->piece[a]);
	}
	for (r = 0; r < n; r++)
		kt_lw_put_place(e, r, sh->vrank, src[roles[r]].place.offset, src[roles[r]].place.stride);
	return 0;
}

/*
 * Along an axis that is both split and concatenated, a range of the result is up to three
 * boxes of the space: the rest of one producer's share, whole shares, the beginning of
 * another's.
 */
struct cut {
	int64_t start, size;	/* in the result, relative to the box */
	int64_t which, n_which;	/* producers */
	int64_t at, len;	/* in the share */
};

static unsigned int cuts_of(const struct kt_lw_entry *de, unsigned int axis, struct cut *cut)
{
	int64_t e = de->sh->share[axis], x = de->start[axis], end = x + de->size[axis], n;
	unsigned int k = 0;

	if (de->sh->which[axis] == KT_LW_NONE) {
		cut[0] = (struct cut){ 0, de->size[axis], 0, 1, x, de->size[axis] };
		return 1;
	}
	while (x < end) {
		int64_t at = x % e;

		if (at || end - x < e) {
			n = e - at < end - x ? e - at : end - x;
			cut[k++] = (struct cut){ x - de->start[axis], n, x / e, 1, at, n };
		} else {
			n = (end - x) / e;
			cut[k++] = (struct cut){ x - de->start[axis], n * e, x / e, n, 0, e };
			n *= e;
		}
		x += n;
	}
	return k;
}

static int put_dest(const struct kt_lw_entry *de, const struct cut *cut)
{
	const struct kt_role *role = &de->d->roles[de->roles[0]];
	struct kte_entry *e = kt_table_dest(&de->lw->table, de->space, de->tile, de->tag);
	unsigned int a, r, w;

	if (!e)
		return -ENOMEM;
	for (a = 0; a < de->sh->rank; a++)
		e->size[a] = 1;
	for (a = 0; a < de->sh->vrank; a++) {
		int64_t share = digit(role->split, de->d->split_axes, de->d->n_split, de->l, a);

		e->start[a] = (uint32_t)(share * de->sh->share[a] + cut[a].at);
		e->size[a] = (uint32_t)cut[a].len;
		w = de->sh->which[a];
		if (w == KT_LW_NONE)
			continue;
		e->start[w] = (uint32_t)cut[a].which;
		e->size[w] = (uint32_t)cut[a].n_which;
	}
	for (r = 0; r < de->n_roles; r++) {
		int64_t offset = de->offset[r];

		for (a = 0; a < de->sh->vrank; a++)
			offset += cut[a].start ? cut[a].start * de->stride[r][a] : 0;
		kt_lw_put_place(e, r, de->sh->vrank, offset, de->stride[r]);
		for (a = 0; a < de->sh->vrank; a++) {
			w = de->sh->which[a];
			if (w != KT_LW_NONE && e->size[w] > 1)
				e->stride[r][w] = (uint64_t)(de->stride[r][a] * de->sh->share[a]);
		}
	}
	return 0;
}

static int add_dest(const struct kt_lw_entry *de, unsigned int axis, struct cut *chosen)
{
	struct cut cut[3];
	unsigned int i, n;
	int ret = 0;

	if (axis == de->sh->vrank)
		return put_dest(de, chosen);
	n = cuts_of(de, axis, cut);
	for (i = 0; i < n && !ret; i++) {
		chosen[axis] = cut[i];
		ret = add_dest(de, axis + 1, chosen);
	}
	return ret;
}

int kt_lw_dest_box(struct kt_lw_entry *de, const struct kt_lw_box *b)
{
	struct cut chosen[KT_MAX_RANK];

	memcpy(de->start, b->start, sizeof(de->start));
	memcpy(de->size, b->size, sizeof(de->size));
	de->offset[0] = b->offset;
	de->stride[0] = b->stride;
	de->tag = b->tag;
	return add_dest(de, 0, chosen);
}

/* An arg pair: boxes that the places of both roles share. */
int kt_lw_dest_pair(struct kt_lw_entry *de, const struct kt_lw_box *a, const struct kt_lw_box *b)
{
	struct cut chosen[KT_MAX_RANK];
	unsigned int i;

	de->offset[0] = a->offset;
	de->offset[1] = b->offset;
	de->stride[0] = a->stride;
	de->stride[1] = b->stride;
	de->tag = a->tag ? a->tag : b->tag;
	for (i = 0; i < de->sh->vrank; i++) {
		int64_t lo = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
		int64_t ea = a->start[i] + a->size[i], eb = b->start[i] + b->size[i];

		if (lo >= ea || lo >= eb)
			return 0;
		de->start[i] = lo;
		de->size[i] = (ea < eb ? ea : eb) - lo;
		de->offset[0] += lo > a->start[i] ? (lo - a->start[i]) * a->stride[i] : 0;
		de->offset[1] += lo > b->start[i] ? (lo - b->start[i]) * b->stride[i] : 0;
	}
	return add_dest(de, 0, chosen);
}
