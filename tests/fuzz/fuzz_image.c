// SPDX-License-Identifier: MIT
/*
 * Fuzzes the executing side with images from a hostile guest: structural check,
 * preparation, a run on pads exactly as large as the image says, counters. The
 * structural check and preparation must agree; no byte outside may be touched.
 */
#include "engine/kte_exec.h"
#include "fuzz.h"

#define TILES	4
#define WINDOW	(64u << 10)

static void *fuzz_alloc(void *ctx, size_t bytes)
{
	(void)ctx;
	return calloc(1, bytes);
}

static void fuzz_free(void *ctx, void *ptr)
{
	(void)ctx;
	free(ptr);
}

static const struct kte_env env = { .alloc = fuzz_alloc, .free = fuzz_free };

/* An image may ask for any amount of work in its window. */
static bool enough(void *ctx)
{
	unsigned int *asked = ctx;

	return ++*asked > 8;
}

static void execute(const struct kte_prog *prog, const struct kte_image_header *h)
{
	unsigned int asked = 0;
	uint8_t *pads[TILES];
	struct kte_run run = { .pads = pads, .n_pads = h->n_tiles, .window = h->window_bytes,
			       .stop = enough, .stop_ctx = &asked };
	size_t scratch = kte_prog_scratch_bytes(prog);
	uint32_t i;
	int err;

	for (i = 0; i < h->n_tiles; i++) {
		pads[i] = malloc(h->window_bytes);
		FUZZ_HOLDS(pads[i]);
		memset(pads[i], (int)(0x55 + i), h->window_bytes);
	}
	run.scratch = aligned_alloc(64, (scratch + 127) / 64 * 64);
	FUZZ_HOLDS(run.scratch);
	err = kte_prog_run(prog, &run);
	FUZZ_HOLDS(err == 0 || err == -EINTR);
	for (i = 0; i < h->n_tiles; i++)
		free(pads[i]);
	free(run.scratch);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kte_counters counters;
	struct kte_fault fault, again;
	struct kte_prog *prog = NULL;
	struct kte_limits lim;
	uint8_t *image;
	int err, checked;

	kte_limits_hw(&lim, TILES, WINDOW);
	image = malloc(size ? size : 1);
	FUZZ_HOLDS(image);
	memcpy(image, data, size);
	checked = kte_image_check(image, size, &lim, &fault);
	FUZZ_HOLDS(!checked == (fault.code == KTE_FAULT_NONE));
	err = kte_prog_new(image, size, &lim, &env, &prog, &again);
	if (checked)
		FUZZ_HOLDS(err == -EINVAL && again.code == fault.code);
	else
		/* what only preparation sees: holes, boxes larger than their bytes */
		FUZZ_HOLDS(err == 0 || (err == -EINVAL && (again.code == KTE_FAULT_COVERAGE ||
							   again.code == KTE_FAULT_ENTRY)));
	if (!err) {
		FUZZ_HOLDS(!kte_prog_count(prog, NULL, 0, TILES, NULL, &counters));
		execute(prog, (const struct kte_image_header *)image);
		kte_prog_free(prog);
	}
	free(image);
	return 0;
}
