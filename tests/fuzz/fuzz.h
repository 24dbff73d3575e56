/* SPDX-License-Identifier: MIT */
/*
 * Common to the fuzz targets: with libFuzzer they are LLVMFuzzerTestOneInput
 * alone; with -DFUZZ_REPLAY they are programs that run the files and directories
 * named on the command line, for corpora in the test suite.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold on every input. */
#define FUZZ_HOLDS(cond) do { \
	if (!(cond)) { \
		fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond); \
		abort(); \
	} \
} while (0)

#ifdef FUZZ_REPLAY
static unsigned int fuzz_files;

static void fuzz_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET)) {
		perror(path);
		exit(2);
	}
	data = malloc(size ? (size_t)size : 1);
	if (!data || fread(data, 1, (size_t)size, f) != (size_t)size) {
		perror(path);
		exit(2);
	}
	fclose(f);
	LLVMFuzzerTestOneInput(data, (size_t)size);
	free(data);
	fuzz_files++;
}

static void fuzz_path(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *d;
	char name[4096];

	if (!dir) {
		fuzz_file(path);
		return;
	}
	while ((d = readdir(dir))) {
		if (d->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/%s", path, d->d_name);
		fuzz_file(name);
	}
	closedir(dir);
}

int main(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		fuzz_path(argv[i]);
	printf("1..1\n%sok 1 - %u inputs replayed\n", fuzz_files ? "" : "not ", fuzz_files);
	return !fuzz_files;
}
#endif /* FUZZ_REPLAY */

#endif /* FUZZ_H */
