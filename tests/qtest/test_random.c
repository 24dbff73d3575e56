// SPDX-License-Identifier: MIT
/*
 * Random scripts of register accesses, rings, contexts, page lists and images, mostly
 * plausible, some wild. Whatever they do must end in a documented state: the machine lives,
 * the device answers, and after a reset a good job runs.
 *
 * Usage: test_random [SEED [ROUNDS]]; one round is one machine and STEPS steps.
 */
#include "board.h"

#define STEPS		400
#define ARENA_BYTES	(1u << 20)

struct script {
	struct board *b;
	uint64_t state;
	uint64_t arena;			/* guest memory scripts play in */
	uint8_t *image[4];
	uint64_t image_bytes[4];
};

static uint64_t rnd(struct script *s)
{
	uint64_t z = (s->state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

static uint64_t below(struct script *s, uint64_t n)
{
	return rnd(s) % n;
}

/* A number: small, near a power of two, all-ones, or anything. */
static uint64_t number(struct script *s)
{
	switch (below(s, 6)) {
	case 0:
	case 1:
		return below(s, 70);
	case 2:
		return (1ull << below(s, 64)) - 1 + below(s, 3);
	case 3:
		return ~0ull - below(s, 200);
	case 4:
		return below(s, 3 << 20);
	default:
		return rnd(s);
	}
}

/* A bus address: mostly memory the script owns. */
static uint64_t address(struct script *s, uint64_t align)
{
	static const uint64_t odd[] = {
		0, 0xc0000, 0xfffff000, BAR0, BAR0 + 0x10000, BAR4, 0xfee00000, RAM_BYTES - 4096,
		RAM_BYTES, 1ull << 40, 1ull << 63, ~0xfffull,
	};

	if (!below(s, 8))
		return odd[below(s, sizeof(odd) / sizeof(*odd))];
	if (!below(s, 16))
		return number(s);
	return s->arena + below(s, ARENA_BYTES) / align * align;
}

static void random_ctx(struct script *s, uint64_t at)
{
	struct ktdev_slot_ctx c = {
		.magic = KTDEV_CTX_MAGIC, .n_tiles = (uint16_t)(1 + below(s, 8)),
		.ring_log2 = (uint16_t)(3 + below(s, 4)),
		.window_base = below(s, 512) * 128, .window_size = (1 + below(s, 512)) * 128,
		.ring = address(s, 64), .done = address(s, 64),
	};
	uint32_t t, base = (uint32_t)below(s, 8);

	for (t = 0; t < c.n_tiles; t++)
		c.core[t] = (uint8_t)((base + t) % 8);
	if (!below(s, 6))
		((uint8_t *)&c)[below(s, sizeof(c))] = (uint8_t)rnd(s);
	qtest_write(s->b->q, at, &c, sizeof(c));
}

static uint64_t random_list(struct script *s, uint32_t n)
{
	uint64_t at = s->arena + below(s, ARENA_BYTES - 64 * 8) / 8 * 8, pages[64];
	uint32_t i;

	for (i = 0; i < n && i < 64; i++)
		pages[i] = below(s, 20) ? s->arena + below(s, ARENA_BYTES / 4096) * 4096 :
			   address(s, 1);
	if (below(s, 2))
		for (i = 1; i < n && i < 64; i++)
			pages[i] = pages[0] + i * 4096ull;
	qtest_write(s->b->q, at, pages, (n < 64 ? n : 64) * 8ull);
	return at;
}

/* An image that was good, with up to three words changed. */
static uint64_t random_image(struct script *s, uint64_t *bytes)
{
	uint32_t k = (uint32_t)below(s, 4), n;
	uint8_t *copy = malloc(s->image_bytes[k]);
	uint64_t data, list, v;

	memcpy(copy, s->image[k], s->image_bytes[k]);
	for (n = (uint32_t)below(s, 4); n; n--) {
		uint64_t at = below(s, s->image_bytes[k] / 4) * 4;

		v = number(s);
		memcpy(copy + at, &v, 4);
	}
	*bytes = s->image_bytes[k];
	list = page_list(s->b, *bytes, &data);
	qtest_write(s->b->q, data, copy, *bytes);
	free(copy);
	return list;
}

static struct ktdev_cmd random_cmd(struct script *s)
{
	struct ktdev_cmd c = { .op = (uint16_t)below(s, 9), .tile = (uint16_t)below(s, 8) };
	uint32_t n = (uint32_t)(1 + below(s, 64));

	switch (c.op) {
	case KTDEV_CMD_DMA_IN:
	case KTDEV_CMD_DMA_OUT:
		c.pages = random_list(s, n);
		c.n_pages = n;
		c.rows = (uint32_t)(1 + below(s, 20));
		c.arg = 1 + below(s, 5000);
		c.pad_stride = c.arg + below(s, 100);
		c.host_stride = below(s, 9000);
		c.bytes = below(s, 4096);
		c.offset = below(s, 65536);
		break;
	case KTDEV_CMD_SHUFFLE:
		c.tile = 0;
		c.pages = random_image(s, &c.bytes);
		c.n_pages = (uint32_t)((c.bytes + 4095) / 4096);
		c.flags = below(s, 2) ? KTDEV_CMD_PER_TILE : 0;
		break;
	case KTDEV_CMD_FILL:
	case KTDEV_CMD_CHECK:
		c.offset = below(s, 70000);
		c.bytes = 1 + below(s, 70000);
		c.arg = rnd(s);
		break;
	case KTDEV_CMD_SIGNAL:
		c.bytes = below(s, 256);
		/* fall through */
	default:
		c.tile = 0;
		c.flags = c.op == KTDEV_CMD_FENCE && below(s, 2);
		break;
	}
	if (!below(s, 8))
		((uint8_t *)&c)[below(s, sizeof(c))] = (uint8_t)rnd(s);
	if (!below(s, 4))
		c.flags |= KTDEV_CMD_JOB_START;
	return c;
}

static void step_ring(struct script *s, uint32_t slot)
{
	struct board_slot *sl = &s->b->slot[slot];
	uint32_t n = (uint32_t)(1 + below(s, 6));

	while (n--) {
		struct ktdev_cmd c = random_cmd(s);

		push(s->b, slot, &c);
	}
	doorbell(s->b, slot, below(s, 12) ? sl->tail : (uint32_t)number(s));
}

static void step_bind(struct script *s, uint32_t slot)
{
	struct board_slot *sl = &s->b->slot[slot];
	struct ktdev_slot_ctx ctx;

	if (below(s, 3)) {
		random_ctx(s, sl->ctx);
		swr(s->b, slot, KTDEV_SLOT_CTX_LO, (uint32_t)sl->ctx);
		swr(s->b, slot, KTDEV_SLOT_CTX_HI, 0);
		swr(s->b, slot, KTDEV_SLOT_BIND, (uint32_t)below(s, 4));
		return;
	}
	fill_ctx(s->b, slot, 1 + (uint32_t)below(s, 8), &ctx);
	load_ctx(s->b, slot, &ctx);
}

static void step_register(struct script *s)
{
	static const unsigned int size[] = { 4, 4, 4, 4, 1, 2, 8 };
	uint32_t off = (uint32_t)below(s, 0x20000), how = (uint32_t)below(s, 7);

	if (below(s, 2))
		off = (uint32_t)(below(s, 2) ? below(s, 0x100) : 0x1000 + below(s, 0x400));
	off &= below(s, 8) ? ~3u : ~0u;
	if (below(s, 2))
		qtest_read_sized(s->b->q, BAR0 + off, size[how]);
	else
		qtest_write_sized(s->b->q, BAR0 + off, size[how], number(s));
}

static void step(struct script *s)
{
	uint32_t slot = (uint32_t)below(s, s->b->slots);
	struct board *b = s->b;

	switch (below(s, 24)) {
	case 0 ... 8:
		step_ring(s, slot);
		break;
	case 9 ... 13:
		step_bind(s, slot);
		break;
	case 14 ... 17:
		step_register(s);
		break;
	case 18 ... 19:
		swr(b, slot, KTDEV_SLOT_RESET, KTDEV_RESET_START);
		break;
	case 20:
		wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
		if (below(s, 2))
			wr(b, KTDEV_REG_INJECT, (uint32_t)below(s, 128));
		break;
	case 21:
		if (below(s, 2))
			set_mastering(b, below(s, 3));
		else
			set_prop(b, "held", below(s, 3) ? "false" : "true");
		break;
	case 22:
		if (below(s, 4))
			qtest_clock_step(b->q, (int64_t)below(s, 200000));
		else
			flr(b);
		break;
	default:
		if (!below(s, 4))
			wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET);
		wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
		break;
	}
}

static void make_images(struct script *s)
{
	s->image[0] = image_rotate(8, 3, 4096, 0, 8192, &s->image_bytes[0]);
	s->image[1] = image_sum(8, 4096, &s->image_bytes[1]);
	s->image[2] = image_swap(1024, 32768, &s->image_bytes[2]);
	s->image[3] = image_exchange(4, 16384, &s->image_bytes[3]);
}

/* Whatever happened: out of it, and a good job runs. */
static bool recovers(struct script *s)
{
	struct ktdev_cmd fence = cmd_fence(12345, false), cmd;
	struct board *b = s->b;
	struct ktdev_completion done;

	set_prop(b, "held", "false");
	wr(b, KTDEV_REG_INJECT, 0);
	flr(b);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	cmd = cmd_shuffle(b, s->image[0], s->image_bytes[0], true);
	if (!bind(b, 1, 8) || !run(b, 1, &cmd) || !run(b, 1, &fence))
		return false;
	read_done(b, 1, &done);
	return done.seqno == 12345 && rd(b, KTDEV_REG_ID) == KTDEV_ID_VALUE;
}

static bool play(uint64_t seed)
{
	struct script s = { .state = seed };
	struct ktdev_slot_ctx ctx;
	uint32_t i;
	bool good;

	s.b = board_start("cores=8,slots=4,spm-size=64K,fault-injection=on");
	make_images(&s);
	s.arena = mem(s.b, ARENA_BYTES);
	for (i = 0; i < s.b->slots; i++)
		fill_ctx(s.b, i, 8, &ctx);
	for (i = 0; i < STEPS; i++)
		step(&s);
	good = recovers(&s);
	good &= board_stop(s.b) == 0;
	for (i = 0; i < 4; i++)
		free(s.image[i]);
	return good;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
	uint64_t rounds = argc > 2 ? strtoull(argv[2], NULL, 0) : 12, i;

	for (i = 0; i < rounds; i++)
		ok(play(seed + i), "seed %" PRIu64 ": the device recovers from a random script",
		   seed + i);
	return done_testing();
}
