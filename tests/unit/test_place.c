// SPDX-License-Identifier: MIT
/*
 * The scratchpad allocator.
 */
#include "../tap.h"

#include <errno.h>

#include "place.h"

static struct kt_arena arena;

static void test_take(void)
{
	struct kt_spm s;
	uint64_t at = 1;

	ok(!kt_spm_init(&s, &arena, 2, 4096), "init");
	ok(!kt_spm_take(&s, 0, 1, &at), "take one byte");
	is_u64(at, 0, "at the start");
	ok(!kt_spm_take(&s, 0, 129, &at), "take 129 bytes");
	is_u64(at, 128, "behind, aligned to a stick");
	ok(!kt_spm_take(&s, 0, 1, &at), "take again");
	is_u64(at, 384, "129 bytes take two sticks");
	ok(!kt_spm_take(&s, 1, 4096, &at), "the other tile is empty");
	is_u64(at, 0, "and gives its whole window");
	ok(kt_spm_take(&s, 1, 1, &at) == -ENOSPC, "then it is full");
	is_u64(s.needed, 128, "needed: a stick");
	is_u64(s.available, 0, "available: nothing");
	kt_spm_give(&s, 0, 128);
	ok(kt_spm_take(&s, 0, 4096 - 512 + 1, &at) == -ENOSPC, "does not fit behind");
	is_u64(s.needed, 3712, "needed, in sticks");
	is_u64(s.available, 3584, "available: the longest free range");
	ok(!kt_spm_take(&s, 0, 200, &at), "given back bytes are found first");
	is_u64(at, 128, "where they were");
}

static void test_reserve(void)
{
	struct kt_spm s;
	uint64_t at;

	ok(!kt_spm_init(&s, &arena, 3, 4096), "init");
	ok(!kt_spm_reserve(&s, KT_ALL_TILES, 100, 200), "reserve 100..299 everywhere");
	ok(!kt_spm_reserve(&s, 1, 250, 300), "and 250..549 on tile 1");
	ok(!kt_spm_reserve(&s, 1, 0, 1), "and byte 0");
	ok(!kt_spm_reserve(&s, 2, 4000, UINT64_MAX), "a range beyond the window is clipped");
	ok(!kt_spm_reserve(&s, 2, 5000, 10), "one outside is ignored");
	ok(!kt_spm_take(&s, 0, 128, &at), "take on tile 0");
	is_u64(at, 384, "behind the reserved bytes");
	ok(!kt_spm_take(&s, 1, 128, &at), "take on tile 1");
	is_u64(at, 640, "behind both, which were joined");
	ok(!kt_spm_find_common(&s, 128, &at), "common range");
	is_u64(at, 768, "behind what tiles 0 and 1 have");
	ok(kt_spm_find_common(&s, 4096, &at) == -ENOSPC, "no common range that long");
	is_u64(s.needed, 4096, "needed");
	is_u64(s.available, 3200, "available: 768 to 3968");
}

/* Against a byte map. */
static void test_random(void)
{
	enum { BYTES = 8192, TILES = 4 };
	static uint8_t map[TILES][BYTES];
	uint64_t s = 12345, at, held[64], bytes[64];
	uint32_t tile[64], n = 0, i, bad = 0;
	struct kt_spm spm;
	int step;

	kt_spm_init(&spm, &arena, TILES, BYTES);
	for (step = 0; step < 20000; step++) {
		s = s * 6364136223846793005ull + 1442695040888963407ull;
		if (n < 64 && (s >> 60) < 9) {
			tile[n] = (s >> 40) % TILES;
			bytes[n] = 1 + (s >> 20) % 700;
			if (kt_spm_take(&spm, tile[n], bytes[n], &at))
				continue;
			bytes[n] = (bytes[n] + 127) & ~127ull;
			for (i = 0; i < bytes[n]; i++)
				bad += at % 128 || at + bytes[n] > BYTES || map[tile[n]][at + i]++;
			held[n++] = at;
		} else if (n) {
			uint32_t k = (s >> 33) % n;

			kt_spm_give(&spm, tile[k], held[k]);
			memset(&map[tile[k]][held[k]], 0, bytes[k]);
			n--;
			held[k] = held[n];
			bytes[k] = bytes[n];
			tile[k] = tile[n];
		}
		if (step % 50 == 0 && !kt_spm_find_common(&spm, 256, &at))
			for (i = 0; i < 256; i++)
				bad += map[0][at + i] || map[1][at + i] || map[2][at + i] ||
				       map[3][at + i];
	}
	is_u64(bad, 0, "random takes and gives never overlap");
}

int main(void)
{
	test_take();
	test_reserve();
	test_random();
	kt_arena_fini(&arena);
	return done_testing();
}
