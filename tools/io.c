// SPDX-License-Identifier: MIT
/* Files in, files out. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ctl.h"

/* Read to the end of @fd into a buffer that starts with room for @guess bytes. */
static int read_all(int fd, size_t guess, size_t max, char **data, size_t *len)
{
	size_t cap = guess + 1, n = 0;
	char *buf = malloc(cap);

	while (buf) {
		ssize_t r = read(fd, buf + n, cap - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			break;
		n += (size_t)r;
		if (n > max) {
			errno = EFBIG;
			break;
		}
		if (!r) {
			buf[n] = 0;
			*data = buf;
			*len = n;
			return 0;
		}
		if (n == cap) {
			char *more = realloc(buf, cap * 2);

			if (!more)
				break;
			buf = more;
			cap *= 2;
		}
	}
	n = (size_t)(buf ? errno : ENOMEM);
	free(buf);
	return -(int)n;
}

int ctl_read(const char *path, size_t max, char **data, size_t *len)
{
	size_t guess = 65536;
	struct stat st;
	int fd, err;

	if (!strcmp(path, "-"))
		return read_all(STDIN_FILENO, guess, max, data, len);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st)) {
		err = -errno;
	} else if (S_ISDIR(st.st_mode)) {
		err = -EISDIR;
	} else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max) {
		err = -EFBIG;
	} else {
		/* one byte more than the file, so that its end is seen in the second read */
		if (S_ISREG(st.st_mode))
			guess = (size_t)st.st_size;
		err = read_all(fd, guess, max, data, len);
	}
	close(fd);
	return err;
}

struct out_file {
	char *path;		/* destination; NULL: standard output */
	char *temp;		/* NULL: @data is written to @path directly */
	void *data;
	size_t len;
};

struct ctl_out {
	struct out_file *files;
	size_t n, cap;
	char *dir;		/* made by ctl_out_dir() */
	char *failed;
};

struct ctl_out *ctl_out_new(void)
{
	return calloc(1, sizeof(struct ctl_out));
}

static int out_fail(struct ctl_out *out, const char *path, int err)
{
	free(out->failed);
	out->failed = strdup(path);
	return -err;
}

const char *ctl_out_failed(const struct ctl_out *out)
{
	return out->failed ? out->failed : "?";
}

int ctl_out_dir(struct ctl_out *out, const char *dir)
{
	struct stat st;

	if (!mkdir(dir, 0777)) {
		free(out->dir);
		out->dir = strdup(dir);
		return out->dir ? 0 : -ENOMEM;
	}
	if (errno != EEXIST)
		return out_fail(out, dir, errno);
	if (stat(dir, &st))
		return out_fail(out, dir, errno);
	return S_ISDIR(st.st_mode) ? 0 : out_fail(out, dir, ENOTDIR);
}

static int write_all(int fd, const char *p, size_t len)
{
	while (len) {
		ssize_t w = write(fd, p, len);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return -errno;
		p += w;
		len -= (size_t)w;
	}
	return 0;
}

/* Write @data into a fresh file beside @path with the mode a new file would get. */
static int write_temp(struct out_file *f, const void *data, size_t len)
{
	mode_t mask = umask(0);
	int fd, err;

	umask(mask);
	f->temp = malloc(strlen(f->path) + 16);
	if (!f->temp)
		return -ENOMEM;
	sprintf(f->temp, "%s.tmp-XXXXXX", f->path);
	fd = mkstemp(f->temp);
	if (fd < 0) {
		err = -errno;
		free(f->temp);
		f->temp = NULL;
		return err;
	}
	err = write_all(fd, data, len);
	if (!err && fchmod(fd, 0666 & ~mask))
		err = -errno;
	if (close(fd) && !err)
		err = -errno;
	return err;
}

int ctl_out_add(struct ctl_out *out, const char *path, const void *data, size_t len)
{
	struct out_file *f;
	struct stat st;
	char real[PATH_MAX];
	bool direct = false;
	int err = 0;

	if (out->n == out->cap) {
		size_t cap = out->cap ? out->cap * 2 : 16;

		f = realloc(out->files, cap * sizeof(*f));
		if (!f)
			return -ENOMEM;
		out->files = f;
		out->cap = cap;
	}
	f = &out->files[out->n++];
	memset(f, 0, sizeof(*f));
	if (!strcmp(path, "-")) {
		direct = true;
	} else {
		/* a symbolic link stays one: its target is replaced */
		f->path = strdup(realpath(path, real) ? real : path);
		if (!f->path)
			return -ENOMEM;
		if (!stat(f->path, &st)) {
			if (S_ISDIR(st.st_mode))
				return out_fail(out, path, EISDIR);
			direct = !S_ISREG(st.st_mode);
		}
	}
	if (!direct) {
		err = write_temp(f, data, len);
	} else {
		f->data = malloc(len ? len : 1);
		if (!f->data)
			return -ENOMEM;
		memcpy(f->data, data, len);
		f->len = len;
	}
	return err ? out_fail(out, path, -err) : 0;
}

static int commit_one(struct out_file *f)
{
	int fd = STDOUT_FILENO, err;

	if (f->temp) {
		if (rename(f->temp, f->path))
			return -errno;
		free(f->temp);
		f->temp = NULL;
		return 0;
	}
	if (f->path) {
		fd = open(f->path, O_WRONLY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
	} else {
		fflush(stdout);
	}
	err = write_all(fd, f->data, f->len);
	if (f->path && close(fd) && !err)
		err = -errno;
	return err;
}

int ctl_out_commit(struct ctl_out *out)
{
	for (size_t i = 0; i < out->n; i++) {
		struct out_file *f = &out->files[i];
		int err = commit_one(f);

		if (err)
			return out_fail(out, f->path ? f->path : "standard output", -err);
	}
	free(out->dir);
	out->dir = NULL;
	return 0;
}

void ctl_out_free(struct ctl_out *out)
{
	if (!out)
		return;
	for (size_t i = 0; i < out->n; i++) {
		struct out_file *f = &out->files[i];

		if (f->temp)
			unlink(f->temp);
		free(f->temp);
		free(f->path);
		free(f->data);
	}
	if (out->dir)
		rmdir(out->dir);
	free(out->dir);
	free(out->failed);
	free(out->files);
	free(out);
}

char *ctl_path(const char *dir, const char *name)
{
	char *p = malloc(strlen(dir) + strlen(name) + 2);

	if (p)
		sprintf(p, "%s/%s", dir, name);
	return p;
}
