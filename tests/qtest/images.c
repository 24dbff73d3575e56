// SPDX-License-Identifier: MIT
/* Tables for the tests, compiled by the engine. */
#include "board.h"

static void *env_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void env_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static void *compile(const struct kte_table *t, uint32_t n_tiles, uint64_t *size)
{
	struct kte_env env = { .alloc = env_alloc, .free = env_free };
	struct kte_limits lim;
	struct kte_reject why;
	void *image;

	kte_limits_hw(&lim, n_tiles, 64ull << 20);
	if (kte_table_compile(t, &lim, &env, &image, size, &why))
		bail_out("a table of the tests is refused: %s", kte_reason_text(why.reason));
	return image;
}

static struct kte_space bytes_space(uint32_t rank, uint32_t e0, uint32_t e1, uint8_t elem)
{
	return (struct kte_space){ .rank = (uint8_t)rank, .op = KTE_OP_COPY, .roles = 1,
				   .elem_bytes = { elem }, .extent = { e0, e1 } };
}

static struct kte_entry row(uint32_t tile, uint32_t index, uint32_t n, uint32_t elem,
			    uint64_t offset)
{
	return (struct kte_entry){ .tile = (uint16_t)tile, .start = { index, 0 }, .size = { 1, n },
				   .offset = { offset }, .stride = { { elem, elem } } };
}

void *image_rotate(uint32_t n, uint32_t by, uint64_t bytes, uint64_t from, uint64_t to,
		   uint64_t *size)
{
	struct kte_space space = bytes_space(2, n, (uint32_t)(bytes / 16), 16);
	struct kte_entry src[KTDEV_MAX_CORES], dst[KTDEV_MAX_CORES];
	struct kte_table t = { .spaces = &space, .sources = src, .dests = dst, .n_spaces = 1,
			       .n_sources = n, .n_dests = n };
	uint32_t i;

	for (i = 0; i < n; i++) {
		src[i] = row(i, i, (uint32_t)(bytes / 16), 16, from);
		dst[i] = row((i + by) % n, i, (uint32_t)(bytes / 16), 16, to);
	}
	return compile(&t, n, size);
}

void *image_sum(uint32_t n, uint64_t to, uint64_t *size)
{
	struct kte_space space = { .rank = 1, .op = KTE_OP_ADD, .roles = 1, .elem_bytes = { 4 },
				   .dtype = { KTE_DT_F32 }, .extent = { n } };
	struct kte_entry src[KTDEV_MAX_CORES], dst = { .size = { n }, .offset = { to },
						       .stride = { { 4 } } };
	struct kte_table t = { .spaces = &space, .sources = src, .dests = &dst, .n_spaces = 1,
			       .n_sources = n, .n_dests = 1 };
	uint32_t i;

	for (i = 0; i < n; i++)
		src[i] = (struct kte_entry){ .tile = (uint16_t)i, .size = { n },
					     .stride = { { 4 } } };
	return compile(&t, n, size);
}

void *image_swap(uint64_t bytes, uint64_t stage, uint64_t *size)
{
	struct kte_space space = bytes_space(2, 2, (uint32_t)(bytes / 16), 16);
	struct kte_entry src[2], dst[2];
	struct kte_table t = { .spaces = &space, .sources = src, .dests = dst, .n_spaces = 1,
			       .n_sources = 2, .n_dests = 2, .stage_offset = stage,
			       .stage_bytes = (bytes + 127) & ~127ull };
	uint32_t i;

	for (i = 0; i < 2; i++) {
		src[i] = row(i, i, (uint32_t)(bytes / 16), 16, 0);
		dst[i] = row(1 - i, i, (uint32_t)(bytes / 16), 16, 0);
		dst[i].flags = KTE_ENTRY_STAGED;
	}
	return compile(&t, 2, size);
}

void *image_exchange(uint32_t n, uint64_t bytes, uint64_t *size)
{
	uint32_t share = (uint32_t)(bytes / 16 / n), i, k;
	struct kte_space space = bytes_space(2, n, share * n, 16);
	struct kte_entry *src = calloc(n, sizeof(*src)), *dst = calloc(n * n, sizeof(*dst));
	struct kte_table t = { .spaces = &space, .sources = src, .dests = dst, .n_spaces = 1,
			       .n_sources = n, .n_dests = n * n };
	void *image;

	for (i = 0; i < n; i++) {
		src[i] = row(i, i, share * n, 16, 0);
		for (k = 0; k < n; k++) {
			dst[i * n + k] = row(i, k, share, 16,
					     bytes + (uint64_t)k * share * 16);
			dst[i * n + k].start[1] = i * share;
		}
	}
	image = compile(&t, n, size);
	free(src);
	free(dst);
	return image;
}
