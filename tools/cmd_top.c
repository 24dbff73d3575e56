// SPDX-License-Identifier: MIT
/* ktctl top: who uses the device, from the fdinfo of every process. */
#define _GNU_SOURCE
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "sysroot.h"

#define MAX_CLIENTS	1024

struct client {
	uint64_t id;
	long pid;
	char comm[32], pdev[32];
	uint64_t dma_ns, shuffle_ns, memory, scratchpad;
};

struct sample {
	struct client client[MAX_CLIENTS];
	size_t n;
	double at;	/* seconds */
};

/* "12 KiB" in bytes; plain numbers and nanoseconds stay. */
static uint64_t amount(const char *v)
{
	char *end;
	uint64_t n = strtoull(v, &end, 10);

	while (isspace((unsigned char)*end))
		end++;
	return !strncmp(end, "KiB", 3) ? n << 10 : !strncmp(end, "MiB", 3) ? n << 20 : n;
}

static void fdinfo_line(struct client *cl, const char *key, const char *v)
{
	if (!strcmp(key, "drm-client-id"))
		cl->id = amount(v);
	else if (!strcmp(key, "drm-pdev"))
		snprintf(cl->pdev, sizeof(cl->pdev), "%s", v);
	else if (!strcmp(key, "drm-engine-dma"))
		cl->dma_ns = amount(v);
	else if (!strcmp(key, "drm-engine-shuffle"))
		cl->shuffle_ns = amount(v);
	else if (!strcmp(key, "drm-total-memory"))
		cl->memory = amount(v);
	else if (!strcmp(key, "drm-total-scratchpad"))
		cl->scratchpad = amount(v);
}

/* Is this fdinfo one of our driver's? Then fill @cl. */
static bool read_fdinfo(const char *path, struct client *cl)
{
	char line[256], *v;
	bool ours = false;
	FILE *f = fopen(path, "re");

	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = 0;
		v = strchr(line, ':');
		if (!v)
			continue;
		*v++ = 0;
		while (isspace((unsigned char)*v))
			v++;
		if (!strcmp(line, "drm-driver"))
			ours = !strcmp(v, "ktdev");
		else
			fdinfo_line(cl, line, v);
	}
	fclose(f);
	return ours;
}

static bool known(const struct sample *s, const struct client *cl)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->client[i].id == cl->id && !strcmp(s->client[i].pdev, cl->pdev))
			return true;
	return false;
}

static void add_process(struct sample *s, const char *root, const char *pid)
{
	char path[PATH_MAX];
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/%s/fdinfo", root, pid);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct client cl = { .pid = atol(pid) };

		if (e->d_name[0] == '.' || s->n == MAX_CLIENTS)
			continue;
		snprintf(path, sizeof(path), "%s/proc/%s/fdinfo/%s", root, pid, e->d_name);
		/* a file passed on or duplicated is one client */
		if (!read_fdinfo(path, &cl) || known(s, &cl))
			continue;
		if (!ctl_line_of(root, cl.comm, sizeof(cl.comm), "/proc/%s/comm", pid))
			strcpy(cl.comm, "?");
		s->client[s->n++] = cl;
	}
	if (d)
		closedir(d);
}

static int by_id(const void *a, const void *b)
{
	const struct client *x = a, *y = b;
	int d = strcmp(x->pdev, y->pdev);

	return d ? d : (x->id > y->id) - (x->id < y->id);
}

static void take_sample(struct sample *s, const char *root)
{
	char path[PATH_MAX];
	struct timespec ts;
	struct dirent *e;
	DIR *d;

	s->n = 0;
	snprintf(path, sizeof(path), "%s/proc", root);
	d = opendir(path);
	while (d && (e = readdir(d)))
		if (isdigit((unsigned char)e->d_name[0]))
			add_process(s, root, e->d_name);
	if (d)
		closedir(d);
	clock_gettime(CLOCK_MONOTONIC, &ts);
	s->at = (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
	qsort(s->client, s->n, sizeof(s->client[0]), by_id);
}

static const struct client *same(const struct sample *s, const struct client *cl)
{
	for (size_t i = 0; i < s->n; i++)
		if (!by_id(&s->client[i], cl))
			return &s->client[i];
	return NULL;
}

/* Part of the time between two samples an engine was busy for a client, in percent. */
static double share(uint64_t now, uint64_t before, double seconds)
{
	return seconds > 0 && now > before ? (double)(now - before) / 1e7 / seconds : 0;
}

static json_t *client_json(const struct client *cl, double dma, double shuffle)
{
	json_t *o = json_object();

	ctl_set_int(o, "pid", cl->pid);
	ctl_set_str(o, "command", cl->comm);
	ctl_set_u64(o, "client", cl->id);
	ctl_set_str(o, "device", cl->pdev);
	ctl_set_u64(o, "dma_ns", cl->dma_ns);
	ctl_set_u64(o, "shuffle_ns", cl->shuffle_ns);
	ctl_set_real(o, "dma_percent", dma);
	ctl_set_real(o, "shuffle_percent", shuffle);
	ctl_set_u64(o, "memory_bytes", cl->memory);
	ctl_set_u64(o, "scratchpad_bytes", cl->scratchpad);
	return o;
}

static void show(struct ctl *c, const struct sample *now, const struct sample *before, json_t *list)
{
	char mem[32], spm[32];

	if (!list)
		printf("%8s %-16s %-14s %7s %8s %10s %10s\n", "pid", "command", "device", "dma %",
		       "shuffle %", "memory", "scratchpad");
	for (size_t i = 0; i < now->n; i++) {
		const struct client *cl = &now->client[i], *old = same(before, cl);
		double dma = old ? share(cl->dma_ns, old->dma_ns, now->at - before->at) : 0;
		double shuffle =
			old ? share(cl->shuffle_ns, old->shuffle_ns, now->at - before->at) : 0;

		if (list) {
			json_array_append_new(list, client_json(cl, dma, shuffle));
			continue;
		}
		printf("%8ld %-16s %-14s %7.1f %9.1f %10s %10s\n", cl->pid, cl->comm, cl->pdev, dma,
		       shuffle, ctl_bytes(mem, sizeof(mem), cl->memory),
		       ctl_bytes(spm, sizeof(spm), cl->scratchpad));
	}
	if (!list && !now->n && !c->quiet)
		printf("no process has the device open\n");
}

static int one_document(struct ctl *c, const struct sample *now, const struct sample *before)
{
	json_t *doc = ctl_doc("ktctl.top/1", true);

	show(c, now, before, ctl_list(doc, "clients"));
	return ctl_emit(c, doc);
}

int cmd_top(struct ctl *c)
{
	static struct sample samples[2];
	const char *root = ctl_opt(c, "root");
	uint64_t interval = 1000, count = 0;
	unsigned int k = 0;
	int ret = ctl_opt_u64(c, "interval", 1, 3600000, &interval);

	if (!ret)
		ret = ctl_opt_u64(c, "count", 1, 1000000, &count);
	if (ret)
		return ret;
	root = root ? root : "";
	if (!ctl_has_node(root))
		return ctl_fail_device(c, "/dev/accel", -ENODEV);
	take_sample(&samples[0], root);
	for (uint64_t i = 0; !count || i < count; i++) {
		struct timespec ts = { .tv_sec = (time_t)(interval / 1000),
				       .tv_nsec = (long)(interval % 1000) * 1000000 };

		nanosleep(&ts, NULL);
		k ^= 1;
		take_sample(&samples[k], root);
		if (c->json)
			return one_document(c, &samples[k], &samples[k ^ 1]);
		if (i)
			putchar('\n');
		show(c, &samples[k], &samples[k ^ 1], NULL);
		if (fflush(stdout))
			break;
	}
	return CTL_OK;
}
