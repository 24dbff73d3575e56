/* SPDX-License-Identifier: (GPL-2.0 WITH Linux-syscall-note) OR MIT */
/*
 * Userspace interface of the ktdev accelerator driver, /dev/accel/accelN.
 *
 * Rules that hold for every ioctl:
 *  - Structures are naturally aligned, multiples of 8 bytes, at most 128 bytes and
 *    laid out alike for 32-bit and 64-bit callers. Pointers travel as __u64.
 *  - Every field named pad or reserved, and every flag bit not defined here, must be
 *    zero (EINVAL). Structures may be shorter or longer than the kernel's: missing
 *    bytes count as zero, surplus bytes must be zero.
 *  - Output fields are never read and input fields never written.
 *  - Ids are per open file, never 0, and not reused while the object lives.
 *  - Timeouts are absolute CLOCK_MONOTONIC nanoseconds; 0 or the past: do not wait.
 *
 * Errors used throughout: ENOENT no object of that id, EINVAL malformed, ERANGE or
 * E2BIG over a limit or budget, ENOSPC no free cores or ids, EBUSY in use, EAGAIN ring or
 * job cap reached, ESTALE lease generation passed, EPERM privilege missing, ENODEV device
 * gone, EIO queue banned, ENOMEM, EFAULT, EINTR.
 */
#ifndef _UAPI_DRM_KTDEV_ACCEL_H_
#define _UAPI_DRM_KTDEV_ACCEL_H_

#include "drm.h"

#if defined(__cplusplus)
extern "C" {
#endif

#define KTDEV_ACCEL_VERSION_MAJOR	0
#define KTDEV_ACCEL_VERSION_MINOR	1

#define DRM_KTDEV_DEV_QUERY		0x00
#define DRM_KTDEV_BO_CREATE		0x01
#define DRM_KTDEV_BO_MMAP_OFFSET	0x02
#define DRM_KTDEV_LEASE_CREATE		0x03
#define DRM_KTDEV_LEASE_DESTROY		0x04
#define DRM_KTDEV_LEASE_QUERY		0x05
#define DRM_KTDEV_TABLE_CREATE		0x06
#define DRM_KTDEV_TABLE_DESTROY		0x07
#define DRM_KTDEV_QUEUE_CREATE		0x08
#define DRM_KTDEV_QUEUE_DESTROY		0x09
#define DRM_KTDEV_QUEUE_QUERY		0x0a
#define DRM_KTDEV_SUBMIT		0x0b

/* Most of each object an open file may hold, and most of one job. */
#define DRM_KTDEV_MAX_QUEUES		64
#define DRM_KTDEV_MAX_LEASES		64
#define DRM_KTDEV_MAX_TABLES		4096
#define DRM_KTDEV_MAX_IMAGE_BYTES	(64u << 20)
#define DRM_KTDEV_MAX_JOBS		256
#define DRM_KTDEV_MAX_OPS		64
#define DRM_KTDEV_MAX_SYNCS		64

/**
 * struct drm_ktdev_array - an array in user memory
 * @stride:	in, bytes from one element to the next; at least 8, a multiple of 8. Elements
 *		shorter than the kernel's count as zero-extended, longer ones must be zero
 *		beyond what the kernel knows
 * @count:	in, number of elements
 * @ptr:	in, address of the first element; 0 when @count is 0
 */
struct drm_ktdev_array {
	__u32 stride;
	__u32 count;
	__u64 ptr;
};

/* --- DEV_QUERY ----------------------------------------------------------------------- */

/**
 * enum drm_ktdev_query - what DEV_QUERY answers
 * @DRM_KTDEV_QUERY_NOP:	nothing, the cheapest ioctl there is; size and pointer 0
 * @DRM_KTDEV_QUERY_INFO:	struct drm_ktdev_info
 */
enum drm_ktdev_query {
	DRM_KTDEV_QUERY_NOP	= 0,
	DRM_KTDEV_QUERY_INFO	= 1,
};

/* struct drm_ktdev_info.features: what this kernel and device offer. */
#define DRM_KTDEV_FEATURE_PER_TILE	(1ull << 0)	/* DRM_KTDEV_OP_PER_TILE */
#define DRM_KTDEV_FEATURE_SHARED_CORES	(1ull << 1)	/* leases with windows on one core */
#define DRM_KTDEV_FEATURE_DIRECT_PUSH	(1ull << 2)	/* ready jobs bypass the scheduler */
#define DRM_KTDEV_FEATURE_SUSPEND	(1ull << 3)	/* leased windows survive suspend */

/**
 * struct drm_ktdev_info - the device and its limits
 * @hw_version:		major << 16 | minor of the hardware
 * @n_cores:		cores
 * @spm_bytes:		scratchpad bytes of a core
 * @n_slots:		hardware slots, the kernel's own included
 * @clock_khz:		core clock
 * @features:		DRM_KTDEV_FEATURE_*
 * @max_entries:	source and destination entries of a table
 * @max_spaces:		spaces of a table
 * @max_pairs:		(source, destination) pairs of a table
 * @max_image_bytes:	bytes of a compiled table
 * @cores_free:		cores no lease holds and no scrub or quarantine keeps
 * @cores_quarantined:	cores taken out of service
 * @link_bytes:		ring bytes per cycle and direction
 * @hop_cycles:		cycles per hop
 * @setup_cycles:	cycles to start an injection
 * @dma_bytes:		host DMA bytes per cycle
 * @local_bytes:	scratchpad copy bytes per cycle
 * @fold_bytes:		fold unit bytes per cycle
 * @max_window_align:	a window's base and size are multiples of this, in bytes
 * @pad:		zero
 */
struct drm_ktdev_info {
	__u32 hw_version;
	__u32 n_cores;
	__u64 spm_bytes;
	__u32 n_slots;
	__u32 clock_khz;
	__u64 features;
	__u32 max_entries;
	__u32 max_spaces;
	__u32 max_pairs;
	__u32 max_image_bytes;
	__u32 cores_free;
	__u32 cores_quarantined;
	__u32 link_bytes;
	__u32 hop_cycles;
	__u32 setup_cycles;
	__u32 dma_bytes;
	__u32 local_bytes;
	__u32 fold_bytes;
	__u32 max_window_align;
	__u32 pad;
};

/**
 * struct drm_ktdev_dev_query - ask about the device
 * @type:	in, enum drm_ktdev_query
 * @size:	in, bytes at @ptr. The kernel fills the lesser of this and its own size
 *		and zeroes a surplus
 * @ptr:	in, where the answer goes
 * @need:	out, bytes the kernel's structure has
 * @pad:	zero
 */
struct drm_ktdev_dev_query {
	__u32 type;
	__u32 size;
	__u64 ptr;
	__u32 need;
	__u32 pad;
};

/* --- buffers ------------------------------------------------------------------------- */

/**
 * struct drm_ktdev_bo_create - create a zeroed buffer
 * @size:	in, bytes, > 0; rounded up to pages
 * @flags:	in, zero
 * @handle:	out, GEM handle; close with DRM_IOCTL_GEM_CLOSE, share with PRIME
 */
struct drm_ktdev_bo_create {
	__u64 size;
	__u32 flags;
	__u32 handle;
};

/**
 * struct drm_ktdev_bo_mmap_offset - where to mmap a buffer
 * @handle:	in, GEM handle
 * @flags:	in, zero
 * @offset:	out, offset for mmap() on the device node
 */
struct drm_ktdev_bo_mmap_offset {
	__u32 handle;
	__u32 flags;
	__u64 offset;
};

/* --- leases -------------------------------------------------------------------------- */

#define DRM_KTDEV_LEASE_WAIT	(1u << 0)	/* queue until cores are free, FIFO, killable */
#define DRM_KTDEV_LEASE_FLAGS	(DRM_KTDEV_LEASE_WAIT)

/**
 * struct drm_ktdev_lease_create - lease cores
 * @n_tiles:	in, tiles wanted, 1..cores
 * @flags:	in, DRM_KTDEV_LEASE_*
 * @core_mask:	in, cores to take, tile t on the t-th set bit; 0: the kernel picks
 * @window_base: in, first byte of the window on each core
 * @window_size: in, bytes of the window; 0: the rest of the scratchpad
 * @timeout_ns:	in, with LEASE_WAIT how long
 * @lease:	out, id
 * @generation:	out, see struct drm_ktdev_lease_query
 *
 * The scratchpad window reads zero. ENOSPC: no free cores; ETIMEDOUT: none in time;
 * EBUSY: a core of @core_mask is held, being scrubbed or quarantined.
 */
struct drm_ktdev_lease_create {
	__u32 n_tiles;
	__u32 flags;
	__u64 core_mask;
	__u64 window_base;
	__u64 window_size;
	__s64 timeout_ns;
	__u32 lease;
	__u32 generation;
};

/**
 * struct drm_ktdev_lease_destroy - give cores back
 * @lease:	in, id; EBUSY while a queue of it exists
 * @pad:	zero
 */
struct drm_ktdev_lease_destroy {
	__u32 lease;
	__u32 pad;
};

/**
 * struct drm_ktdev_lease_query - what a lease holds
 * @lease:	in, id
 * @n_tiles:	out, tiles
 * @window_base, @window_size: out, the window, the same on each core
 * @map_ptr:	in, array of __u32 for the core of each tile, or 0
 * @map_count:	in, its length; the lesser of it and @n_tiles is written
 * @generation:	out, moves when scratchpad contents were lost: device reset, function
 *		reset, lost power; not on the reset of a slot
 */
struct drm_ktdev_lease_query {
	__u32 lease;
	__u32 n_tiles;
	__u64 window_base;
	__u64 window_size;
	__u64 map_ptr;
	__u32 map_count;
	__u32 generation;
};

/* --- tables -------------------------------------------------------------------------- */

/**
 * struct drm_ktdev_space - a logical tensor that boxes refer to
 * @rank:	axes, 1..8
 * @op:		how contributions combine: 0 copy, 1 add, 2 mul, 3 min, 4 max, 5 and, 6 or,
 *		7 xor, 8 argmin, 9 argmax
 * @mode:	rule for ties and NaN, see "struct kte_space" in the hardware manual
 * @roles:	1, or 2 for argmin and argmax
 * @elem_bytes:	bytes of an element per role, 1..16; 0 for an absent role
 * @dtype:	0 opaque, 1 f16, 2 bf16, 3 f32, 4 f64, 5 i8, 6 i16, 7 i32, 8 i64
 * @extent:	elements along each axis; 0 beyond the rank
 * @reserved:	zero
 */
struct drm_ktdev_space {
	__u8 rank;
	__u8 op;
	__u8 mode;
	__u8 roles;
	__u8 elem_bytes[2];
	__u8 dtype[2];
	__u32 extent[8];
	__u32 reserved[6];
};

#define DRM_KTDEV_ENTRY_STAGED	(1u << 0)	/* destination: through the staging range */

/**
 * struct drm_ktdev_entry - a box and where it lies in a tile's window
 * @space:	index of the space
 * @tile:	logical tile of the lease
 * @flags:	DRM_KTDEV_ENTRY_* for destinations, 0 for sources
 * @reserved:	zero
 * @start:	first element per axis; 0 beyond the rank
 * @size:	elements per axis; 0 beyond the rank
 * @offset:	per role, byte of the box's first element in the window
 * @stride:	per role and axis, bytes between neighbours, > 0 where the size is above 1
 */
struct drm_ktdev_entry {
	__u32 space;
	__u16 tile;
	__u16 flags;
	__u32 reserved[2];
	__u32 start[8];
	__u32 size[8];
	__u64 offset[2];
	__u64 stride[2][8];
};

/**
 * struct drm_ktdev_table_create - validate a table and keep it
 * @spaces:	in, array of struct drm_ktdev_space (stride 64)
 * @sources:	in, array of struct drm_ktdev_entry (stride 224), in the order folds add them
 * @dests:	in, array of struct drm_ktdev_entry (stride 224)
 * @stage_offset: in, staging range in the window, 128-byte aligned
 * @stage_bytes: in, its size, the same on each tile; 0: none
 * @flags:	in, zero
 * @table:	out, id; 0 on failure
 * @reason:	out, on EINVAL, ERANGE or E2BIG why: the numbers of the uAPI guide
 * @where:	out, what @index counts: 0 table, 1 space, 2 source, 3 destination
 * @index:	out, the element at fault
 * @field:	out, its field, numbered in the uAPI guide
 * @value:	out, what was found
 * @n_tiles:	out, tiles a lease must have
 * @pad:	zero
 *
 * On a refusal the errno is the ioctl's; the output fields are written nevertheless.
 */
struct drm_ktdev_table_create {
	struct drm_ktdev_array spaces;
	struct drm_ktdev_array sources;
	struct drm_ktdev_array dests;
	__u64 stage_offset;
	__u64 stage_bytes;
	__u32 flags;
	__u32 table;
	__u32 reason;
	__u32 where;
	__u32 index;
	__u32 field;
	__u64 value;
	__u32 n_tiles;
	__u32 pad;
};

/**
 * struct drm_ktdev_table_destroy - forget a table; jobs in flight keep it
 * @table:	in, id
 * @pad:	zero
 */
struct drm_ktdev_table_destroy {
	__u32 table;
	__u32 pad;
};

/* --- queues -------------------------------------------------------------------------- */

enum drm_ktdev_priority {
	DRM_KTDEV_PRIORITY_NORMAL	= 0,
	DRM_KTDEV_PRIORITY_HIGH		= 1,	/* needs CAP_SYS_NICE */
};

/**
 * struct drm_ktdev_queue_create - create a queue on a lease
 * @lease:	in, id
 * @priority:	in, enum drm_ktdev_priority
 * @flags:	in, zero
 * @queue:	out, id
 */
struct drm_ktdev_queue_create {
	__u32 lease;
	__u32 priority;
	__u32 flags;
	__u32 queue;
};

/**
 * struct drm_ktdev_queue_destroy - cancel what has not finished and forget a queue
 * @queue:	in, id
 * @pad:	zero
 */
struct drm_ktdev_queue_destroy {
	__u32 queue;
	__u32 pad;
};

enum drm_ktdev_queue_query_type {
	DRM_KTDEV_QUEUE_QUERY_STATE	= 0,
	DRM_KTDEV_QUEUE_QUERY_JOB	= 1,
};

enum drm_ktdev_job_state {
	DRM_KTDEV_JOB_UNKNOWN	= 0,	/* never submitted, or a failure older than the last 64 */
	DRM_KTDEV_JOB_PENDING	= 1,
	DRM_KTDEV_JOB_DONE	= 2,
	DRM_KTDEV_JOB_FAILED	= 3,
	DRM_KTDEV_JOB_CANCELLED	= 4,
};

/**
 * struct drm_ktdev_queue_query - state of a queue or of one of its jobs
 * @queue:	in, id
 * @type:	in, enum drm_ktdev_queue_query_type
 * @seqno:	in, with JOB the number SUBMIT returned, else 0
 * @last_done:	out, highest finished seqno
 * @state:	out, with JOB enum drm_ktdev_job_state
 * @error:	out, errno of the job or of the queue's ban, positive; 0: none
 * @op:		out, index of the op at fault, ~0: none
 * @fault_code:	out, hardware fault code, 0: none
 * @fault_command: out, ring command at fault
 * @fault_entry: out, table entry at fault, ~0: none
 * @fault_tile:	out, tile at fault, ~0: none
 * @pad:	zero
 * @fault_address: out, window offset or bus address at fault
 * @cycles, @stall_cycles: out, with JOB: of the job's shuffles
 */
struct drm_ktdev_queue_query {
	__u32 queue;
	__u32 type;
	__u64 seqno;
	__u64 last_done;
	__u32 state;
	__u32 error;
	__u32 op;
	__u32 fault_code;
	__u32 fault_command;
	__u32 fault_entry;
	__u32 fault_tile;
	__u32 pad;
	__u64 fault_address;
	__u64 cycles;
	__u64 stall_cycles;
};

/* --- jobs ---------------------------------------------------------------------------- */

enum drm_ktdev_op_type {
	DRM_KTDEV_OP_WRITE	= 0,	/* buffer to scratchpad */
	DRM_KTDEV_OP_READ	= 1,	/* scratchpad to buffer */
	DRM_KTDEV_OP_SHUFFLE	= 2,	/* run a table */
	DRM_KTDEV_OP_FILL	= 3,	/* fill a range of a tile with a 64-bit pattern */
	DRM_KTDEV_OP_SIGNAL	= 4,	/* per-tile mode: mark tiles ready */
};

#define DRM_KTDEV_OP_PER_TILE	(1u << 0)	/* SHUFFLE: start entries as their producers are ready */

/**
 * struct drm_ktdev_op - one step of a job
 * @type:	enum drm_ktdev_op_type
 * @flags:	DRM_KTDEV_OP_*
 * @handle:	WRITE, READ: GEM handle; SHUFFLE: table id; else 0
 * @tile:	WRITE, READ, FILL: logical tile; else 0
 * @offset:	WRITE, READ, FILL: first byte in the window
 * @bo_offset:	WRITE, READ: first byte in the buffer; FILL: pattern; SIGNAL: tile mask
 * @rows:	WRITE, READ: rows, > 0; FILL: 1; else 0
 * @row_bytes:	WRITE, READ, FILL: bytes of a row, > 0
 * @pad_stride:	WRITE, READ: bytes between rows in the window; 0 with one row
 * @bo_stride:	WRITE, READ: bytes between rows in the buffer; 0 with one row
 */
struct drm_ktdev_op {
	__u32 type;
	__u32 flags;
	__u32 handle;
	__u32 tile;
	__u64 offset;
	__u64 bo_offset;
	__u64 rows;
	__u64 row_bytes;
	__u64 pad_stride;
	__u64 bo_stride;
};

/**
 * struct drm_ktdev_sync - a point to wait for or to signal
 * @handle:	DRM syncobj
 * @flags:	zero
 * @point:	timeline point; 0: the syncobj is binary
 */
struct drm_ktdev_sync {
	__u32 handle;
	__u32 flags;
	__u64 point;
};

/**
 * struct drm_ktdev_submit - submit one job, all or nothing
 * @queue:	in, id
 * @generation:	in, the lease generation the caller relies on; else ESTALE
 * @ops:	in, array of struct drm_ktdev_op, 1..64
 * @waits:	in, array of struct drm_ktdev_sync; every point must exist (EINVAL)
 * @signals:	in, array of struct drm_ktdev_sync, signalled when the job has finished,
 *		whether it succeeded or not
 * @flags:	in, zero
 * @bad_op:	out, index of the op refused; ~0 when none was
 * @seqno:	out, the job's number on this queue, from 1
 */
struct drm_ktdev_submit {
	__u32 queue;
	__u32 generation;
	struct drm_ktdev_array ops;
	struct drm_ktdev_array waits;
	struct drm_ktdev_array signals;
	__u32 flags;
	__u32 bad_op;
	__u64 seqno;
};

#define DRM_IOCTL_KTDEV(dir, nr, type) \
	DRM_##dir(DRM_COMMAND_BASE + DRM_KTDEV_##nr, struct drm_ktdev_##type)

#define DRM_IOCTL_KTDEV_DEV_QUERY	DRM_IOCTL_KTDEV(IOWR, DEV_QUERY, dev_query)
#define DRM_IOCTL_KTDEV_BO_CREATE	DRM_IOCTL_KTDEV(IOWR, BO_CREATE, bo_create)
#define DRM_IOCTL_KTDEV_BO_MMAP_OFFSET	DRM_IOCTL_KTDEV(IOWR, BO_MMAP_OFFSET, bo_mmap_offset)
#define DRM_IOCTL_KTDEV_LEASE_CREATE	DRM_IOCTL_KTDEV(IOWR, LEASE_CREATE, lease_create)
#define DRM_IOCTL_KTDEV_LEASE_DESTROY	DRM_IOCTL_KTDEV(IOW, LEASE_DESTROY, lease_destroy)
#define DRM_IOCTL_KTDEV_LEASE_QUERY	DRM_IOCTL_KTDEV(IOWR, LEASE_QUERY, lease_query)
#define DRM_IOCTL_KTDEV_TABLE_CREATE	DRM_IOCTL_KTDEV(IOWR, TABLE_CREATE, table_create)
#define DRM_IOCTL_KTDEV_TABLE_DESTROY	DRM_IOCTL_KTDEV(IOW, TABLE_DESTROY, table_destroy)
#define DRM_IOCTL_KTDEV_QUEUE_CREATE	DRM_IOCTL_KTDEV(IOWR, QUEUE_CREATE, queue_create)
#define DRM_IOCTL_KTDEV_QUEUE_DESTROY	DRM_IOCTL_KTDEV(IOW, QUEUE_DESTROY, queue_destroy)
#define DRM_IOCTL_KTDEV_QUEUE_QUERY	DRM_IOCTL_KTDEV(IOWR, QUEUE_QUERY, queue_query)
#define DRM_IOCTL_KTDEV_SUBMIT		DRM_IOCTL_KTDEV(IOWR, SUBMIT, submit)

#if defined(__cplusplus)
}
#endif

#endif /* _UAPI_DRM_KTDEV_ACCEL_H_ */
