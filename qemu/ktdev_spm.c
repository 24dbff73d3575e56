/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scratchpads. Their contents after power-on and reset are undefined; the model shows a
 * seeded pattern, so that a driver that forgets to scrub is found out. The pattern is a
 * small memory file mapped privately all over: nothing is committed before it is written,
 * and a reset drops what was.
 */
#include "ktdev_model.h"
#include "qapi/error.h"

#define PATTERN_BYTES	(2 * MiB)

static uint64_t mix(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ull);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

void ktdev_spm_scramble(KtdevState *s)
{
	for (size_t at = 0; at < s->spm_mapped; at += PATTERN_BYTES) {
		size_t n = MIN(PATTERN_BYTES, s->spm_mapped - at);
		void *p = mmap(s->spm + at, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED,
			       s->spm_pattern, 0);

		/* Replacing a mapping by one of the same shape does not fail for want of room;
		 * if it ever does, contents are undefined and the old ones must go. */
		if (p == MAP_FAILED)
			memset(s->spm + at, 0xa5, n);
	}
}

bool ktdev_spm_init(KtdevState *s, Error **errp)
{
	uint64_t state = s->seed, *words;

	/* One page between the pads keeps them from meeting in the same cache sets. */
	s->spm_stride = s->spm_bytes + KTDEV_PAGE_BYTES;
	s->spm_mapped = s->spm_stride * s->cores;
	s->spm_pattern = memfd_create("ktdev-pattern", MFD_CLOEXEC);
	if (s->spm_pattern < 0 || ftruncate(s->spm_pattern, PATTERN_BYTES) < 0) {
		error_setg_errno(errp, errno, "ktdev: no memory for the scratchpad pattern");
		return false;
	}
	words = mmap(NULL, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, s->spm_pattern, 0);
	s->spm = mmap(NULL, s->spm_mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
		      -1, 0);
	if (words == MAP_FAILED || s->spm == MAP_FAILED) {
		error_setg_errno(errp, errno, "ktdev: no address space for the scratchpads");
		return false;
	}
	for (size_t i = 0; i < PATTERN_BYTES / sizeof(*words); i++)
		words[i] = mix(&state);
	munmap(words, PATTERN_BYTES);
	ktdev_spm_scramble(s);
	return true;
}

void ktdev_spm_fini(KtdevState *s)
{
	if (s->spm && s->spm != MAP_FAILED)
		munmap(s->spm, s->spm_mapped);
	if (s->spm_pattern >= 0)
		close(s->spm_pattern);
}
