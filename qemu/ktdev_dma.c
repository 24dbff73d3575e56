/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory: reads and writes of memory only (a device address is a bus error), and the
 * DMA commands, which move rows between a tile and a list of pages.
 */
#include "ktdev_model.h"
#include "trace.h"

static MemTxAttrs memory_only(KtdevState *s)
{
	MemTxAttrs attrs = { .memory = 1, .requester_id = pci_requester_id(&s->parent_obj) };

	return attrs;
}

/*
 * One piece that lies in one memory region. address_space_rw() would take the big lock for
 * what is no plain RAM (a write to ROM, say), and whoever holds it may wait for the worker:
 * so only plain RAM is touched, and here.
 */
static MemTxResult access_piece(KtdevState *s, uint64_t addr, uint8_t *buf, hwaddr *bytes,
				bool write)
{
	AddressSpace *as = pci_get_address_space(&s->parent_obj);
	MemoryRegion *mr;
	hwaddr xlat;
	uint8_t *ram;

	RCU_READ_LOCK_GUARD();
	mr = address_space_translate(as, addr, &xlat, bytes, write, memory_only(s));
	if (!memory_region_is_ram(mr) || !memory_access_is_direct(mr, write))
		return MEMTX_ACCESS_ERROR;
	ram = qemu_map_ram_ptr(mr->ram_block, xlat);
	if (!write) {
		memcpy(buf, ram, *bytes);
		return MEMTX_OK;
	}
	memcpy(ram, buf, *bytes);
	/* marks the pages dirty and drops translated code; takes a reference away */
	memory_region_ref(mr);
	address_space_unmap(as, ram, *bytes, true, *bytes);
	return MEMTX_OK;
}

/* On failure *@addr is where. */
static MemTxResult access_guest(KtdevState *s, uint64_t *addr, void *buf, uint64_t bytes,
				bool write)
{
	uint8_t *p = buf;

	if (qatomic_read(&s->gone))
		return MEMTX_ERROR;
	if (s->inject && (qatomic_fetch_and(&s->inject_armed, ~KTDEV_INJECT_DMA_ERROR) &
			  KTDEV_INJECT_DMA_ERROR))
		return MEMTX_ERROR;
	while (bytes) {
		hwaddr n = bytes;

		if (access_piece(s, *addr, p, &n, write) != MEMTX_OK)
			return MEMTX_ERROR;
		p += n;
		*addr += n;
		bytes -= n;
	}
	return MEMTX_OK;
}

MemTxResult ktdev_dma_read(KtdevState *s, uint64_t addr, void *buf, uint64_t bytes)
{
	return access_guest(s, &addr, buf, bytes, false);
}

MemTxResult ktdev_dma_write(KtdevState *s, uint64_t addr, const void *buf, uint64_t bytes)
{
	return access_guest(s, &addr, (void *)buf, bytes, true);
}

/* A window on a page list: entries are read once, in bounded pieces. */
typedef struct PageList {
	KtdevState *s;
	uint64_t base;
	uint32_t n_pages;
	uint32_t first, n;		/* entries held */
	uint64_t entry[KTDEV_LIST_CHUNK];
} PageList;

static bool page_at(PageList *l, uint32_t i, uint64_t *page)
{
	if (i < l->first || i >= l->first + l->n) {
		l->first = i;
		l->n = MIN(KTDEV_LIST_CHUNK, l->n_pages - i);
		if (ktdev_dma_read(l->s, l->base + 8ull * i, l->entry, 8ull * l->n) != MEMTX_OK) {
			l->n = 0;
			return false;
		}
	}
	*page = l->entry[i - l->first];
	return true;
}

static bool dma_fault(KtdevFault *fault, uint32_t code, uint64_t address)
{
	fault->code = code;
	fault->address = address;
	return false;
}

/* Move @bytes between @pad and the pages from byte @pos on. Neighbouring pages go in one
 * access. */
static bool move_row(PageList *l, KtdevSlot *slot, uint8_t *pad, uint64_t pos, uint64_t bytes,
		     bool in, KtdevFault *fault)
{
	while (bytes) {
		uint32_t i = pos >> KTDEV_PAGE_SHIFT;
		uint64_t off = pos & (KTDEV_PAGE_BYTES - 1);
		uint64_t n = MIN(KTDEV_PAGE_BYTES - off, bytes), page, next, at;

		if (ktdev_should_stop(l->s, slot))
			return dma_fault(fault, KTE_FAULT_STOPPED, 0);
		if (!page_at(l, i, &page))
			return dma_fault(fault, KTDEV_FAULT_DMA, l->base + 8ull * i);
		if (page & (KTDEV_PAGE_BYTES - 1))
			return dma_fault(fault, KTDEV_FAULT_CMD_PAGES, page);
		while (n < bytes && n + KTDEV_PAGE_BYTES <= KTDEV_STOP_BYTES) {
			if (!page_at(l, ++i, &next))
				return dma_fault(fault, KTDEV_FAULT_DMA, l->base + 8ull * i);
			if (next != page + off + n)
				break;
			n = MIN(n + KTDEV_PAGE_BYTES, bytes);
		}
		at = page + off;
		if (access_guest(l->s, &at, pad, n, !in) != MEMTX_OK)
			return dma_fault(fault, KTDEV_FAULT_DMA, at);
		pad += n;
		pos += n;
		bytes -= n;
	}
	return true;
}

/* Whether rows of @row bytes, @stride apart, from @at on end at or before @end. */
static bool rows_fit(uint64_t at, uint64_t rows, uint64_t row, uint64_t stride, uint64_t end)
{
	uint64_t last;

	return !umul64_overflow(rows - 1, stride, &last) && !uadd64_overflow(last, row, &last) &&
	       !uadd64_overflow(last, at, &last) && last <= end;
}

static bool check_rows(KtdevSlot *slot, const struct ktdev_cmd *cmd, KtdevFault *fault)
{
	/* Rows that do not overlap in the window bound the work by its size. */
	if (!cmd->rows || !cmd->arg || (cmd->rows > 1 && cmd->pad_stride < cmd->arg))
		return dma_fault(fault, KTDEV_FAULT_CMD_SIZE, cmd->pad_stride);
	if (!rows_fit(cmd->offset, cmd->rows, cmd->arg, cmd->pad_stride, slot->ctx.window_size))
		return dma_fault(fault, KTDEV_FAULT_CMD_WINDOW, cmd->offset);
	if (!rows_fit(cmd->bytes, cmd->rows, cmd->arg, cmd->host_stride,
		      (uint64_t)cmd->n_pages << KTDEV_PAGE_SHIFT))
		return dma_fault(fault, KTDEV_FAULT_CMD_PAGES, cmd->bytes);
	return true;
}

bool ktdev_cmd_dma(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd,
		   KtdevFault *fault)
{
	g_autofree PageList *l = g_new(PageList, 1);
	uint64_t rows = cmd->rows, row = cmd->arg;
	uint8_t *pad = ktdev_spm(s, slot->ctx.core[cmd->tile]) + slot->ctx.window_base + cmd->offset;

	fault->tile = cmd->tile;
	if (!check_rows(slot, cmd, fault))
		return false;
	l->s = s;
	l->base = cmd->pages;
	l->n_pages = cmd->n_pages;
	l->first = l->n = 0;
	if (rows == 1 || (cmd->pad_stride == row && cmd->host_stride == row)) {
		row *= rows;
		rows = 1;
	}
	for (uint64_t r = 0; r < rows; r++)
		if (!move_row(l, slot, pad + r * cmd->pad_stride, cmd->bytes + r * cmd->host_stride,
			      row, cmd->op == KTDEV_CMD_DMA_IN, fault))
			return false;
	slot->add[KTDEV_CNT_HOST_BYTES] += rows * row;
	kte_clock_dma(&slot->clock, cmd->tile, rows * row);
	return true;
}

bool ktdev_read_pages(KtdevState *s, KtdevSlot *slot, const struct ktdev_cmd *cmd, void *buf,
		      uint64_t bytes, KtdevFault *fault)
{
	g_autofree PageList *l = g_new(PageList, 1);

	if (bytes > (uint64_t)cmd->n_pages << KTDEV_PAGE_SHIFT)
		return dma_fault(fault, KTDEV_FAULT_CMD_PAGES, bytes);
	l->s = s;
	l->base = cmd->pages;
	l->n_pages = cmd->n_pages;
	l->first = l->n = 0;
	return move_row(l, slot, buf, 0, bytes, true, fault);
}
