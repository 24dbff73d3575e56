// SPDX-License-Identifier: MIT
/*
 * Fuzzes the table compiler. The first byte chooses how the rest is read: raw,
 * as arrays of structures, or shaped, as small numbers from which entries with
 * mostly valid fields are made. Whatever is accepted must pass the structural
 * check; whatever is refused must name a reason, and leave nothing behind.
 */
#include "engine/kte_exec.h"
#include "fuzz.h"

#define MAX_SPACES	4
#define MAX_ENTRIES	24

static size_t live;

static void *fuzz_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	live++;
	return calloc(1, bytes);
}

static void fuzz_free(void *ctx, void *ptr)
{
	(void)ctx;
	live -= ptr != NULL;
	free(ptr);
}

static const struct kte_env env = { .alloc = fuzz_alloc, .free = fuzz_free };

struct input {
	const uint8_t *data;
	size_t left;
};

static uint8_t byte(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static void take(struct input *in, void *to, size_t n)
{
	size_t have = n < in->left ? n : in->left;

	memset(to, 0, n);
	if (have)
		memcpy(to, in->data, have);
	in->data += have;
	in->left -= have;
}

static void shape_space(struct input *in, struct kte_space *sp)
{
	uint8_t kind = byte(in);
	uint32_t a;

	memset(sp, 0, sizeof(*sp));
	sp->rank = (uint8_t)(1 + kind % 4);
	sp->roles = 1;
	sp->elem_bytes[0] = (uint8_t)(1 + kind / 4 % 4);
	if (kind & 0x80) {
		sp->op = (uint8_t)(byte(in) % KTE_OP_COUNT);
		sp->mode = byte(in);
		sp->dtype[0] = (uint8_t)(1 + kind / 16 % 8);
		sp->elem_bytes[0] = (uint8_t)kte_dtype_bytes(sp->dtype[0]);
		if (sp->op >= KTE_OP_ARGMIN) {
			sp->roles = 2;
			sp->dtype[1] = KTE_DT_I16;
			sp->elem_bytes[1] = 2;
		}
	}
	for (a = 0; a < sp->rank; a++)
		sp->extent[a] = 1 + byte(in) % 16;
}

static void shape_entry(struct input *in, const struct kte_space *spaces, uint32_t n_spaces,
			struct kte_entry *e)
{
	const struct kte_space *sp;
	uint32_t a, r;

	memset(e, 0, sizeof(*e));
	e->space = byte(in) % n_spaces;
	sp = &spaces[e->space];
	e->tile = byte(in) % 4;
	for (a = 0; a < sp->rank; a++) {
		e->start[a] = byte(in) % sp->extent[a];
		e->size[a] = 1 + byte(in) % (sp->extent[a] - e->start[a]);
	}
	for (r = 0; r < sp->roles; r++) {
		e->offset[r] = (uint64_t)byte(in) * sp->elem_bytes[r];
		for (a = 0; a < sp->rank; a++)
			e->stride[r][a] = (1ull + byte(in)) * sp->elem_bytes[r];
	}
}

static void hold(const struct kte_table *t, const struct kte_limits *lim)
{
	struct kte_reject why;
	struct kte_fault fault;
	uint8_t staged[MAX_ENTRIES];
	uint64_t bytes, need;
	void *image;
	int err;

	err = kte_table_compile(t, lim, &env, &image, &bytes, &why);
	FUZZ_HOLDS(!err == !!image);
	FUZZ_HOLDS(err == 0 || err == -EINVAL || err == -ERANGE || err == -E2BIG);
	FUZZ_HOLDS(!err == (why.reason == KTE_OK) && why.reason < KTE_R_COUNT_OF);
	FUZZ_HOLDS(why.where != KTE_WHERE_SPACE || why.index < t->n_spaces);
	FUZZ_HOLDS(why.where != KTE_WHERE_SOURCE || why.index < t->n_sources);
	FUZZ_HOLDS(why.where != KTE_WHERE_DEST || why.index < t->n_dests);
	if (image)
		FUZZ_HOLDS(!kte_image_check(image, bytes, lim, &fault));
	fuzz_free(NULL, image);
	FUZZ_HOLDS(live == 0);
	if (!kte_table_aliases(t, lim, &env, staged, &need, &why))
		FUZZ_HOLDS(need % KTE_STICK_BYTES == 0);
	FUZZ_HOLDS(live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct kte_space spaces[MAX_SPACES];
	static struct kte_entry src[MAX_ENTRIES], dst[MAX_ENTRIES];
	struct kte_table t = { .spaces = spaces, .sources = src, .dests = dst };
	struct input in = { data, size };
	struct kte_limits lim;
	bool raw = byte(&in) & 1;
	uint32_t i;

	kte_limits_hw(&lim, 4, 1 << 16);
	lim.axis_budget = 1 << 12;
	lim.paint_budget = 1 << 12;
	t.n_spaces = 1 + byte(&in) % MAX_SPACES;
	t.n_sources = 1 + byte(&in) % MAX_ENTRIES;
	t.n_dests = 1 + byte(&in) % MAX_ENTRIES;
	t.stage_offset = byte(&in) * 128ull;
	t.stage_bytes = byte(&in) * 8ull;
	if (raw) {
		take(&in, spaces, t.n_spaces * sizeof(*spaces));
		take(&in, src, t.n_sources * sizeof(*src));
		take(&in, dst, t.n_dests * sizeof(*dst));
	} else {
		for (i = 0; i < t.n_spaces; i++)
			shape_space(&in, &spaces[i]);
		for (i = 0; i < t.n_sources; i++)
			shape_entry(&in, spaces, t.n_spaces, &src[i]);
		for (i = 0; i < t.n_dests; i++) {
			shape_entry(&in, spaces, t.n_spaces, &dst[i]);
			dst[i].flags = byte(&in) % 4 == 0;
		}
	}
	hold(&t, &lim);
	return 0;
}

