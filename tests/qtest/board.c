// SPDX-License-Identifier: MIT
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "board.h"

#define POLLS		20000
#define FIRST_FREE	(2ull << 20)

/* --- configuration space --------------------------------------------------------------- */

uint32_t cfg_read(struct board *b, uint32_t bus, uint32_t dev, uint32_t off)
{
	qtest_outl(b->q, 0xcf8, 0x80000000u | bus << 16 | dev << 11 | (off & ~3u));
	return qtest_inl(b->q, 0xcfc);
}

void cfg_write(struct board *b, uint32_t bus, uint32_t dev, uint32_t off, uint32_t v)
{
	qtest_outl(b->q, 0xcf8, 0x80000000u | bus << 16 | dev << 11 | (off & ~3u));
	qtest_outl(b->q, 0xcfc, v);
}

uint32_t dev_cfg(struct board *b, uint32_t off)
{
	return cfg_read(b, 1, 0, off);
}

void dev_cfg_write(struct board *b, uint32_t off, uint32_t v)
{
	cfg_write(b, 1, 0, off, v);
}

uint32_t find_cap(struct board *b, uint32_t bus, uint32_t dev, uint32_t id)
{
	uint32_t at = cfg_read(b, bus, dev, 0x34) & 0xfc, v, i;

	for (i = 0; at && i < 48; i++, at = v >> 8 & 0xfc) {
		v = cfg_read(b, bus, dev, at);
		if ((v & 0xff) == id)
			return at;
	}
	return 0;
}

void set_mastering(struct board *b, bool on)
{
	dev_cfg_write(b, 0x04, on ? 0x6 : 0x2);
}

static void set_bars(struct board *b)
{
	dev_cfg_write(b, 0x10, BAR0);
	dev_cfg_write(b, 0x20, BAR4);
	set_mastering(b, true);
}

void board_configure(struct board *b)
{
	cfg_write(b, 0, RP_DEV, 0x18, 0x00010100);	/* buses 0, 1..1 */
	cfg_write(b, 0, RP_DEV, 0x20, 0xe010e000);	/* memory 0xe0000000-0xe01fffff */
	cfg_write(b, 0, RP_DEV, 0x24, 0x0000fff0);	/* no prefetchable window */
	cfg_write(b, 0, RP_DEV, 0x04, 0x6);
	set_bars(b);
	b->ecap = find_cap(b, 1, 0, 0x10);
	b->msix_cap = find_cap(b, 1, 0, 0x11);
}

static void set_msix(struct board *b)
{
	uint32_t v;

	if (!b->cells)
		b->cells = mem(b, 4096);
	for (v = 0; v < b->slots; v++) {
		qtest_writel(b->q, BAR4 + v * 16, (uint32_t)(b->cells + v * 4));
		qtest_writel(b->q, BAR4 + v * 16 + 4, 0);
		qtest_writel(b->q, BAR4 + v * 16 + 8, MSI_BASE + v);
		qtest_writel(b->q, BAR4 + v * 16 + 12, 0);
	}
	dev_cfg_write(b, b->msix_cap, dev_cfg(b, b->msix_cap) | 0x80000000u);
}

void board_setup(struct board *b)
{
	uint32_t geom;

	board_configure(b);
	geom = rd(b, KTDEV_REG_GEOMETRY);
	b->cores = FIELD_GET(KTDEV_GEOM_CORES, geom);
	b->slots = FIELD_GET(KTDEV_GEOM_SLOTS, geom);
	b->spm = 1ull << FIELD_GET(KTDEV_GEOM_SPM_LOG2, geom);
	if (rd(b, KTDEV_REG_ID) != KTDEV_ID_VALUE)
		bail_out("the device does not answer");
	set_msix(b);
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
}

struct board *board_start_raw(const char *props)
{
	struct board *b = calloc(1, sizeof(*b));
	char device[256], object[128];
	int fd = memfd_create("ram", 0);
	const char *args[] = {
		"-m", "512", "-M", "memory-backend=ram", "-object", object,
		"-device", "pcie-root-port,id=rp0,addr=2,chassis=1",
		"-device", "pcie-root-port,id=rp1,addr=3,chassis=2",
		"-device", device, NULL,
	};

	if (!b || fd < 0 || ftruncate(fd, RAM_BYTES))
		bail_out("out of memory");
	b->ram = mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (b->ram == MAP_FAILED)
		bail_out("no address space for guest memory");
	snprintf(object, sizeof(object),
		 "memory-backend-file,id=ram,size=512M,share=on,mem-path=/proc/self/fd/%d", fd);
	snprintf(device, sizeof(device), "ktdev,id=kt0,bus=rp0%s%s", props ? "," : "",
		 props ? props : "");
	b->q = qtest_start(args);
	close(fd);
	b->brk = FIRST_FREE;
	return b;
}

struct board *board_start(const char *props)
{
	struct board *b = board_start_raw(props);

	board_setup(b);
	return b;
}

int board_stop(struct board *b)
{
	int status = qtest_stop(b->q);

	munmap(b->ram, RAM_BYTES);
	free(b);
	return status;
}

void flr(struct board *b)
{
	uint32_t v = dev_cfg(b, (uint32_t)b->ecap + 8);

	dev_cfg_write(b, (uint32_t)b->ecap + 8, (v & 0xffff) | 0x8000);
	set_bars(b);
	set_msix(b);
}

/* --- registers ------------------------------------------------------------------------- */

uint32_t rd(struct board *b, uint32_t off)
{
	return qtest_readl(b->q, BAR0 + off);
}

void wr(struct board *b, uint32_t off, uint32_t v)
{
	qtest_writel(b->q, BAR0 + off, v);
}

uint32_t srd(struct board *b, uint32_t slot, uint32_t off)
{
	return rd(b, KTDEV_SLOT_BASE(slot) + off);
}

void swr(struct board *b, uint32_t slot, uint32_t off, uint32_t v)
{
	wr(b, KTDEV_SLOT_BASE(slot) + off, v);
}

void doorbell(struct board *b, uint32_t slot, uint32_t tail)
{
	wr(b, KTDEV_DOORBELL(slot), tail);
}

uint64_t dev_counter(struct board *b, uint32_t n)
{
	uint64_t lo = rd(b, KTDEV_REG_COUNTER_LO(n));

	return lo | (uint64_t)rd(b, KTDEV_REG_COUNTER_HI(n)) << 32;
}

uint64_t slot_counter(struct board *b, uint32_t slot, uint32_t n)
{
	uint64_t lo = srd(b, slot, KTDEV_SLOT_COUNTER_LO(n));

	return lo | (uint64_t)srd(b, slot, KTDEV_SLOT_COUNTER_HI(n)) << 32;
}

uint64_t prop(struct board *b, const char *name)
{
	bool exists;
	uint64_t v = qom_get(b->q, DEV_PATH, name, &exists);

	if (!exists)
		bail_out("no property %s", name);
	return v;
}

bool set_prop(struct board *b, const char *name, const char *value)
{
	return qom_set(b->q, DEV_PATH, name, value);
}

/* --- guest memory ---------------------------------------------------------------------- */

uint64_t mem(struct board *b, uint64_t bytes)
{
	uint64_t at = b->brk;

	b->brk += (bytes + 4095) & ~4095ull;
	if (b->brk > RAM_BYTES)
		bail_out("the test takes too much guest memory");
	return at;
}

uint64_t page_list(struct board *b, uint64_t bytes, uint64_t *data)
{
	uint64_t n = (bytes + 4095) / 4096, list, i, *l = calloc(n, 8);

	*data = mem(b, bytes);
	list = mem(b, n * 8);
	for (i = 0; i < n; i++)
		l[i] = *data + i * 4096;
	qtest_write(b->q, list, l, n * 8);
	free(l);
	return list;
}

uint64_t scattered_list(struct board *b, uint32_t n, uint64_t *pages)
{
	uint64_t list = mem(b, n * 8ull), at = mem(b, n * 8192ull);
	uint32_t i;

	for (i = 0; i < n; i++)
		pages[i] = at + (n - 1 - i) * 8192ull;
	qtest_write(b->q, list, pages, n * 8ull);
	return list;
}

/* --- slots ----------------------------------------------------------------------------- */

void fill_ctx(struct board *b, uint32_t slot, uint32_t n_tiles, struct ktdev_slot_ctx *ctx)
{
	struct board_slot *sl = &b->slot[slot];
	uint32_t t;

	if (!sl->ctx) {
		sl->ctx = mem(b, sizeof(*ctx));
		sl->ring = mem(b, sizeof(struct ktdev_cmd) << KTDEV_MAX_RING_LOG2);
		sl->done = mem(b, sizeof(struct ktdev_completion));
	}
	*ctx = (struct ktdev_slot_ctx){
		.magic = KTDEV_CTX_MAGIC, .n_tiles = (uint16_t)n_tiles, .ring_log2 = 6,
		.window_size = b->spm, .ring = sl->ring, .done = sl->done,
	};
	for (t = 0; t < n_tiles && t < KTDEV_MAX_CORES; t++)
		ctx->core[t] = (uint8_t)t;
}

bool load_ctx(struct board *b, uint32_t slot, const struct ktdev_slot_ctx *ctx)
{
	struct board_slot *sl = &b->slot[slot];

	qtest_write(b->q, sl->ctx, ctx, sizeof(*ctx));
	qtest_memset(b->q, sl->done, 0, sizeof(struct ktdev_completion));
	swr(b, slot, KTDEV_SLOT_CTX_LO, (uint32_t)sl->ctx);
	swr(b, slot, KTDEV_SLOT_CTX_HI, (uint32_t)(sl->ctx >> 32));
	swr(b, slot, KTDEV_SLOT_BIND, KTDEV_BIND_LOAD);
	sl->tail = 0;
	sl->ring_log2 = ctx->ring_log2;
	sl->n_tiles = ctx->n_tiles;
	return srd(b, slot, KTDEV_SLOT_STATUS) & KTDEV_SLOT_BOUND;
}

bool bind(struct board *b, uint32_t slot, uint32_t n_tiles)
{
	struct ktdev_slot_ctx ctx;

	fill_ctx(b, slot, n_tiles, &ctx);
	return load_ctx(b, slot, &ctx);
}

bool wait_reg(struct board *b, uint32_t off, uint32_t mask, uint32_t want)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < POLLS; i++) {
		if ((rd(b, off) & mask) == want)
			return true;
		if (i > 200)
			nanosleep(&pause, NULL);
	}
	return false;
}

bool reset_slot(struct board *b, uint32_t slot)
{
	swr(b, slot, KTDEV_SLOT_RESET, KTDEV_RESET_START);
	return wait_reg(b, KTDEV_SLOT_BASE(slot) + KTDEV_SLOT_RESET, ~0u, KTDEV_RESET_DONE);
}

bool reset_device(struct board *b)
{
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET);
	if (!wait_reg(b, KTDEV_REG_CONTROL, KTDEV_CTRL_RESET, 0) ||
	    !wait_reg(b, KTDEV_REG_STATUS, ~0u, KTDEV_STATUS_READY))
		return false;
	wr(b, KTDEV_REG_CONTROL, KTDEV_CTRL_ENABLE);
	return true;
}

void push(struct board *b, uint32_t slot, const struct ktdev_cmd *cmd)
{
	struct board_slot *sl = &b->slot[slot];
	uint32_t at = sl->tail++ & ((1u << sl->ring_log2) - 1);

	memcpy(b->ram + sl->ring + at * sizeof(*cmd), cmd, sizeof(*cmd));
}

void ring_it(struct board *b, uint32_t slot)
{
	doorbell(b, slot, b->slot[slot].tail);
}

static bool wait_status(struct board *b, uint32_t slot, bool idle)
{
	struct timespec pause = { .tv_nsec = 500000 };
	int i;

	for (i = 0; i < POLLS; i++) {
		uint32_t v = srd(b, slot, KTDEV_SLOT_STATUS);

		if (v & KTDEV_SLOT_FAULTED)
			return !idle;
		if (idle && !(v & KTDEV_SLOT_BUSY))
			return true;
		if (i > 200)
			nanosleep(&pause, NULL);
	}
	return false;
}

bool wait_slot(struct board *b, uint32_t slot)
{
	return wait_status(b, slot, true);
}

bool wait_faulted(struct board *b, uint32_t slot)
{
	return wait_status(b, slot, false) &&
	       wait_reg(b, KTDEV_REG_IRQ_STATUS, 1u << slot, 1u << slot);
}

bool run(struct board *b, uint32_t slot, const struct ktdev_cmd *cmd)
{
	push(b, slot, cmd);
	ring_it(b, slot);
	return wait_slot(b, slot);
}

void read_done(struct board *b, uint32_t slot, struct ktdev_completion *done)
{
	qtest_read(b->q, b->slot[slot].done, done, sizeof(*done));
}

/* --- commands -------------------------------------------------------------------------- */

struct ktdev_cmd cmd_fill(uint32_t tile, uint64_t offset, uint64_t bytes, uint64_t pattern)
{
	return (struct ktdev_cmd){ .op = KTDEV_CMD_FILL, .tile = (uint16_t)tile,
				   .offset = offset, .bytes = bytes, .arg = pattern };
}

struct ktdev_cmd cmd_check(uint32_t tile, uint64_t offset, uint64_t bytes, uint64_t pattern)
{
	struct ktdev_cmd cmd = cmd_fill(tile, offset, bytes, pattern);

	cmd.op = KTDEV_CMD_CHECK;
	return cmd;
}

struct ktdev_cmd cmd_fence(uint64_t seqno, bool irq)
{
	return (struct ktdev_cmd){ .op = KTDEV_CMD_FENCE, .flags = irq ? KTDEV_CMD_IRQ : 0,
				   .bytes = seqno };
}

struct ktdev_cmd cmd_dma(bool in, uint32_t tile, uint64_t offset, uint64_t list, uint64_t bytes)
{
	return (struct ktdev_cmd){
		.op = in ? KTDEV_CMD_DMA_IN : KTDEV_CMD_DMA_OUT, .tile = (uint16_t)tile,
		.pages = list, .n_pages = (uint32_t)((bytes + 4095) / 4096), .offset = offset,
		.rows = 1, .arg = bytes,
	};
}

struct ktdev_cmd cmd_shuffle(struct board *b, const void *image, uint64_t bytes, bool per_tile)
{
	uint64_t data, list = page_list(b, bytes, &data);

	qtest_write(b->q, data, image, bytes);
	return (struct ktdev_cmd){
		.op = KTDEV_CMD_SHUFFLE, .flags = per_tile ? KTDEV_CMD_PER_TILE : 0,
		.pages = list, .n_pages = (uint32_t)((bytes + 4095) / 4096), .bytes = bytes,
	};
}

void push_long_job(struct board *b, uint32_t slot)
{
	struct ktdev_cmd fill = cmd_fill(0, 0, b->spm, 0x0123456789abcdefull);
	struct ktdev_cmd fence = cmd_fence(99, true);
	int i;

	for (i = 0; i < 7; i++)
		push(b, slot, &fill);
	push(b, slot, &fence);
}

void start_endless_job(struct board *b, uint32_t slot)
{
	struct ktdev_slot_ctx ctx;

	fill_ctx(b, slot, 1, &ctx);
	ctx.ring_log2 = KTDEV_MAX_RING_LOG2;
	load_ctx(b, slot, &ctx);
	while (b->slot[slot].tail < (1u << KTDEV_MAX_RING_LOG2) - 8)
		push_long_job(b, slot);
	ring_it(b, slot);
}

bool fault_is(struct board *b, uint32_t slot, uint32_t code, uint32_t cmd, uint32_t entry,
	      uint32_t tile, uint64_t address)
{
	bool came = wait_faulted(b, slot);
	uint32_t c = srd(b, slot, KTDEV_SLOT_FAULT_CODE), k = srd(b, slot, KTDEV_SLOT_FAULT_CMD);
	uint32_t e = srd(b, slot, KTDEV_SLOT_FAULT_ENTRY), t = srd(b, slot, KTDEV_SLOT_FAULT_TILE);
	uint64_t a = srd(b, slot, KTDEV_SLOT_FAULT_ADDR_LO);

	a |= (uint64_t)srd(b, slot, KTDEV_SLOT_FAULT_ADDR_HI) << 32;
	if (came && c == code && k == cmd && e == entry && t == tile && a == address)
		return true;
	diag("found %s code %u cmd %u entry %u tile %u address 0x%" PRIx64,
	     came ? "fault" : "no fault", c, k, e, t, a);
	diag("want code %u cmd %u entry %u tile %u address 0x%" PRIx64, code, cmd, entry, tile,
	     address);
	return false;
}

/* --- scratchpads and interrupts -------------------------------------------------------- */

static void move_pad(struct board *b, uint32_t slot, bool in, uint32_t tile, uint64_t offset,
		     void *buf, uint64_t bytes)
{
	uint64_t brk = b->brk, data, list = page_list(b, bytes, &data);
	struct ktdev_cmd cmd = cmd_dma(in, tile, offset, list, bytes);

	if (in)
		qtest_write(b->q, data, buf, bytes);
	if (!run(b, slot, &cmd))
		bail_out("a transfer of a scratchpad failed");
	if (!in)
		qtest_read(b->q, data, buf, bytes);
	b->brk = brk;
}

void read_pad(struct board *b, uint32_t slot, uint32_t tile, uint64_t offset, void *buf,
	      uint64_t bytes)
{
	move_pad(b, slot, false, tile, offset, buf, bytes);
}

void write_pad(struct board *b, uint32_t slot, uint32_t tile, uint64_t offset, const void *buf,
	       uint64_t bytes)
{
	move_pad(b, slot, true, tile, offset, (void *)buf, bytes);
}

uint32_t take_msi(struct board *b, uint32_t vector)
{
	uint32_t v = qtest_readl(b->q, b->cells + vector * 4);

	if (v)
		qtest_writel(b->q, b->cells + vector * 4, 0);
	return v;
}

bool wait_msi(struct board *b, uint32_t vector)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	int i;

	for (i = 0; i < 1000; i++) {
		if (take_msi(b, vector) == MSI_BASE + vector)
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}
