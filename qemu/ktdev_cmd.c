/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands. Each is checked from scratch on a private copy of its ring entry; the tables of
 * a SHUFFLE go through the engine, which treats images as hostile.
 */
#include "ktdev_model.h"
#include "trace.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define KTDEV_STREAM_BYTES	(4 * MiB)	/* FILLs from this size on bypass the caches */

static bool cmd_fault(KtdevFault *fault, uint32_t code, uint64_t address)
{
	fault->code = code;
	fault->address = address;
	return false;
}

static void *env_alloc(void *ctx, size_t bytes)
{
	return g_try_malloc0(bytes);
}

static void env_free(void *ctx, void *ptr)
{
	g_free(ptr);
}

static bool stop(void *ctx)
{
	KtdevSlot *slot = ctx;

	return ktdev_should_stop(slot->dev, slot);
}

static int env_tick(void *ctx)
{
	return stop(ctx) ? -EINTR : 0;
}

void ktdev_slot_init(KtdevState *s, uint32_t index)
{
	KtdevSlot *slot = &s->slots[index];

	slot->dev = s;
	slot->index = index;
	slot->fault = (KtdevFault){ .entry = ~0u, .tile = ~0u };
	slot->env = (struct kte_env){ .alloc = env_alloc, .free = env_free, .tick = env_tick,
				      .ctx = slot };
}

void ktdev_drop_progs(KtdevSlot *slot)
{
	for (int i = 0; i < KTDEV_PROGS; i++) {
		kte_prog_free(slot->progs[i].prog);
		g_free(slot->progs[i].image);
		slot->progs[i] = (KtdevProg){ 0 };
	}
	slot->next_prog = 0;
}

static bool engine_fault(KtdevFault *fault, const struct kte_fault *f)
{
	fault->entry = f->entry;
	fault->tile = f->tile;
	return cmd_fault(fault, f->code, f->address);
}

static KtdevProg *find_prog(KtdevSlot *slot, const uint8_t *image, uint64_t bytes)
{
	for (int i = 0; i < KTDEV_PROGS; i++) {
		KtdevProg *p = &slot->progs[i];

		if (p->prog && p->bytes == bytes && !memcmp(p->image, image, bytes))
			return p;
	}
	return NULL;
}

/* Prepare @image, which is taken over: also on failure. */
static KtdevProg *prepare(KtdevState *s, KtdevSlot *slot, uint8_t *image, uint64_t bytes,
			  KtdevFault *fault)
{
	KtdevProg *p = &slot->progs[slot->next_prog++ % KTDEV_PROGS];
	struct kte_limits lim = s->limits;
	struct kte_fault f = { .entry = ~0u, .tile = ~0u };
	uint16_t map[KTDEV_MAX_CORES];
	int ret;

	kte_prog_free(p->prog);
	g_free(p->image);
	*p = (KtdevProg){ .image = image, .bytes = bytes };
	lim.n_tiles = slot->ctx.n_tiles;
	lim.window = slot->ctx.window_size;
	for (int t = 0; t < slot->ctx.n_tiles; t++)
		map[t] = slot->ctx.core[t];
	ret = kte_prog_new(image, bytes, &lim, &slot->env, &p->prog, &f);
	if (!ret) {
		ret = kte_prog_count(p->prog, map, slot->ctx.n_tiles, s->cores, &s->cycle_timing,
				     &p->counters);
		if (!ret)
			return p;
		kte_prog_free(p->prog);
	}
	g_free(p->image);
	*p = (KtdevProg){ 0 };
	if (ret == -EINTR)
		f.code = KTE_FAULT_STOPPED;
	else if (ret == -ENOMEM || !f.code)
		f.code = KTE_FAULT_NOMEM;
	engine_fault(fault, &f);
	return NULL;
}

/* With timing a shuffle ends no earlier than the cycle model says. */
static void take_time(KtdevState *s, KtdevSlot *slot, int64_t began, uint64_t cycles)
{
	/* clock 1 GHz: a cycle is a nanosecond */
	while (!ktdev_should_stop(s, slot)) {
		int64_t left = began + (int64_t)MIN(cycles, 1ull << 40) -
			       qemu_clock_get_ns(QEMU_CLOCK_REALTIME);

		if (left <= 0)
			break;
		if (left > 2 * SCALE_MS)
			ktdev_sleep(s, MIN(left / SCALE_MS - 1, 1000));
		else if (left > 200 * SCALE_US)
			g_usleep(100);
	}
}

/* The image of a SHUFFLE, prepared: found in what the slot has executed before, or new. */
static KtdevProg *fetch_prog(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
			     KtdevFault *fault)
{
	uint8_t *image;
	KtdevProg *p;

	if (!cmd->bytes || cmd->bytes > KTE_HW_MAX_IMAGE) {
		cmd_fault(fault, KTDEV_FAULT_CMD_SIZE, cmd->bytes);
		return NULL;
	}
	image = g_try_malloc(cmd->bytes);
	if (!image) {
		cmd_fault(fault, KTE_FAULT_NOMEM, 0);
		return NULL;
	}
	if (!ktdev_read_pages(s, slot, cmd, image, cmd->bytes, fault)) {
		g_free(image);
		return NULL;
	}
	p = find_prog(slot, image, cmd->bytes);
	if (!p)
		return prepare(s, slot, image, cmd->bytes, fault);
	g_free(image);
	return p;
}

static void count_shuffle(KtdevSlot *slot, const struct kte_counters *c)
{
	slot->add[KTDEV_CNT_CYCLES] = c->cycles;
	slot->add[KTDEV_CNT_TRANSFERS] = c->transfers;
	slot->add[KTDEV_CNT_INJECTIONS] = c->injections;
	slot->add[KTDEV_CNT_INJECTED_BYTES] = c->injected_bytes;
	slot->add[KTDEV_CNT_DELIVERED_BYTES] = c->bytes_delivered;
	slot->add[KTDEV_CNT_REMOTE_BYTES] = c->remote_bytes;
}

static bool shuffle(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		    KtdevFault *fault)
{
	int64_t began = qemu_clock_get_ns(QEMU_CLOCK_REALTIME);
	bool per_tile = cmd->flags & KTDEV_CMD_PER_TILE;
	uint8_t *pads[KTDEV_MAX_CORES];
	g_autofree uint8_t *scratch = NULL;
	KtdevProg *p = fetch_prog(s, slot, cmd, fault);
	int ret;

	if (!p)
		return false;
	scratch = g_try_malloc(kte_prog_scratch_bytes(p->prog) + 64);
	if (!scratch)
		return cmd_fault(fault, KTE_FAULT_NOMEM, 0);
	for (int t = 0; t < slot->ctx.n_tiles; t++)
		pads[t] = ktdev_spm(s, slot->ctx.core[t]) + slot->ctx.window_base;
	struct kte_run run = {
		.pads = pads, .n_pads = slot->ctx.n_tiles, .window = slot->ctx.window_size,
		.scratch = (void *)ROUND_UP((uintptr_t)scratch, 64), .stop = stop, .stop_ctx = slot,
	};
	ret = kte_prog_run(p->prog, &run);
	if (ret)
		return cmd_fault(fault, ret == -EINTR ? KTE_FAULT_STOPPED : KTE_FAULT_IMAGE, 0);
	count_shuffle(slot, &p->counters);
	slot->add[KTDEV_CNT_STALL_CYCLES] =
		kte_clock_shuffle(&slot->clock, p->prog, p->counters.cycles, per_tile);
	if (s->timing || (qatomic_read(&s->control) & KTDEV_CTRL_TIMING))
		take_time(s, slot, began, p->counters.cycles);
	return true;
}

/* The range of a FILL or CHECK, or NULL. */
static uint8_t *range(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		      KtdevFault *fault)
{
	uint64_t end;

	fault->tile = cmd->tile;
	if (!cmd->bytes) {
		cmd_fault(fault, KTDEV_FAULT_CMD_SIZE, 0);
		return NULL;
	}
	if (uadd64_overflow(cmd->offset, cmd->bytes, &end) || end > slot->ctx.window_size) {
		cmd_fault(fault, KTDEV_FAULT_CMD_WINDOW, cmd->offset);
		return NULL;
	}
	return ktdev_spm(s, slot->ctx.core[cmd->tile]) + slot->ctx.window_base + cmd->offset;
}

/* Write whole blocks of 64 bytes past the caches, which a large FILL would only empty. */
static uint64_t stream_blocks(uint8_t *p, uint64_t bytes, uint64_t pattern)
{
#ifdef __SSE2__
	__m128i v = _mm_set1_epi64x(pattern), *to = (__m128i *)p, *end = to + bytes / 64 * 4;

	for (; to < end; to += 4) {
		_mm_stream_si128(to, v);
		_mm_stream_si128(to + 1, v);
		_mm_stream_si128(to + 2, v);
		_mm_stream_si128(to + 3, v);
	}
	_mm_sfence();
	return bytes / 64 * 64;
#else
	return 0;
#endif
}

static void fill_block(uint8_t *p, uint64_t bytes, uint64_t pattern, bool large)
{
	uint64_t n;

	for (; bytes && (uintptr_t)p % 16; bytes--) {
		*p++ = pattern;
		pattern = ror64(pattern, 8);
	}
	n = large ? stream_blocks(p, bytes, pattern) : 0;
	for (; n + 8 <= bytes; n += 8)
		memcpy(p + n, &pattern, 8);
	memcpy(p + n, &pattern, bytes - n);
}

static bool fill(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd, KtdevFault *fault)
{
	uint8_t *p = range(s, slot, cmd, fault);

	if (!p)
		return false;
	for (uint64_t at = 0; at < cmd->bytes; at += KTDEV_STOP_BYTES) {
		if (ktdev_should_stop(s, slot))
			return cmd_fault(fault, KTE_FAULT_STOPPED, 0);
		fill_block(p + at, MIN(KTDEV_STOP_BYTES, cmd->bytes - at), cmd->arg,
			   cmd->bytes >= KTDEV_STREAM_BYTES);
	}
	kte_clock_fill(&slot->clock, cmd->tile, cmd->bytes);
	return true;
}

/* First byte of @p that differs from the pattern, or @bytes. Both start on the pattern. */
static uint64_t differs(const uint8_t *p, uint64_t bytes, uint64_t pattern)
{
	uint64_t at = 0, word;

	for (; at + 8 <= bytes; at += 8) {
		memcpy(&word, p + at, 8);
		if (word != pattern)
			break;
	}
	while (at < bytes && p[at] == (uint8_t)(pattern >> (at % 8 * 8)))
		at++;
	return at;
}

static bool check(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd, KtdevFault *fault)
{
	const uint8_t *p = range(s, slot, cmd, fault);
	uint64_t bad = UINT64_MAX, at, n;

	if (!p)
		return false;
	for (at = 0; at < cmd->bytes && bad == UINT64_MAX; at += n) {
		if (ktdev_should_stop(s, slot))
			return cmd_fault(fault, KTE_FAULT_STOPPED, 0);
		n = MIN(KTDEV_STOP_BYTES, cmd->bytes - at);
		bad = differs(p + at, n, cmd->arg);
		bad = bad < n ? cmd->offset + at + bad : UINT64_MAX;
	}
	if (s->inject && (qatomic_fetch_and(&s->inject_armed, ~KTDEV_INJECT_CHECK_MISMATCH) &
			  KTDEV_INJECT_CHECK_MISMATCH))
		bad = cmd->offset;
	slot->done.check_offset = bad;
	if (bad != UINT64_MAX)
		slot->done.check_tiles |= 1ull << cmd->tile;
	return true;
}

/* The completion record: everything else first, the seqno last. */
static bool fence(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd, KtdevFault *fault)
{
	uint64_t seqno = cmd->bytes;

	if (s->inject && (qatomic_fetch_and(&s->inject_armed, ~KTDEV_INJECT_BAD_SEQNO) &
			  KTDEV_INJECT_BAD_SEQNO))
		seqno += 0x100000000ull;
	slot->done.seqno = seqno;
	slot->done.head = slot->head + 1;
	slot->done.cycles = slot->counters[KTDEV_CNT_CYCLES];
	slot->done.stall_cycles = slot->counters[KTDEV_CNT_STALL_CYCLES];
	if (ktdev_dma_write(s, slot->ctx.done + 8, &slot->done.head, sizeof(slot->done) - 8))
		return cmd_fault(fault, KTDEV_FAULT_DMA, slot->ctx.done + 8);
	smp_wmb();
	if (ktdev_dma_write(s, slot->ctx.done, &slot->done.seqno, 8))
		return cmd_fault(fault, KTDEV_FAULT_DMA, slot->ctx.done);
	return true;
}

static bool signal_tiles(KtdevSlot *slot, const struct ktdev_cmd *cmd, KtdevFault *fault)
{
	uint64_t all = slot->ctx.n_tiles == 64 ? ~0ull : (1ull << slot->ctx.n_tiles) - 1;

	if (cmd->bytes & ~all) {
		fault->tile = ctz64(cmd->bytes & ~all);
		return cmd_fault(fault, KTDEV_FAULT_CMD_TILE, cmd->bytes);
	}
	qatomic_set(&slot->ready, slot->ready | cmd->bytes);
	return true;
}

/* Fields each command must leave zero, and flags it takes. */
static bool well_formed(const struct ktdev_cmd *cmd)
{
	static const uint16_t flags[] = {
		[KTDEV_CMD_SHUFFLE] = KTDEV_CMD_PER_TILE, [KTDEV_CMD_FENCE] = KTDEV_CMD_IRQ,
		[KTDEV_CMD_TIMESTAMP] = 0,
	};
	bool dma = cmd->op == KTDEV_CMD_DMA_IN || cmd->op == KTDEV_CMD_DMA_OUT;
	bool range = cmd->op == KTDEV_CMD_FILL || cmd->op == KTDEV_CMD_CHECK;

	if (cmd->op > KTDEV_CMD_TIMESTAMP || cmd->reserved ||
	    (cmd->flags & ~(flags[cmd->op] | KTDEV_CMD_JOB_START)))
		return false;
	if (!dma && (cmd->rows || cmd->pad_stride || cmd->host_stride))
		return false;
	if (!dma && cmd->op != KTDEV_CMD_SHUFFLE && (cmd->pages || cmd->n_pages))
		return false;
	if (!dma && !range && (cmd->tile || cmd->offset || cmd->arg))
		return false;
	return !((cmd->op == KTDEV_CMD_NOP || cmd->op == KTDEV_CMD_TIMESTAMP) && cmd->bytes);
}

bool ktdev_execute(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		   KtdevFault *fault)
{
	if (!well_formed(cmd))
		return cmd_fault(fault, KTDEV_FAULT_CMD, cmd->op);
	if (cmd->tile >= slot->ctx.n_tiles) {
		fault->tile = cmd->tile;
		return cmd_fault(fault, KTDEV_FAULT_CMD_TILE, cmd->tile);
	}
	if (cmd->flags & KTDEV_CMD_JOB_START) {
		qatomic_set(&slot->ready, 0);
		kte_clock_start(&slot->clock);
	}
	switch (cmd->op) {
	case KTDEV_CMD_DMA_IN:
	case KTDEV_CMD_DMA_OUT:
		return ktdev_cmd_dma(s, slot, cmd, fault);
	case KTDEV_CMD_SHUFFLE:
		return shuffle(s, slot, cmd, fault);
	case KTDEV_CMD_FILL:
		return fill(s, slot, cmd, fault);
	case KTDEV_CMD_CHECK:
		return check(s, slot, cmd, fault);
	case KTDEV_CMD_SIGNAL:
		return signal_tiles(slot, cmd, fault);
	case KTDEV_CMD_FENCE:
		return fence(s, slot, cmd, fault);
	case KTDEV_CMD_TIMESTAMP:
		slot->done.timestamp = qemu_clock_get_ns(QEMU_CLOCK_REALTIME) - s->start_ns;
		return true;
	default:
		return true;
	}
}
