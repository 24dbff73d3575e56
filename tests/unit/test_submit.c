// SPDX-License-Identifier: MIT
/*
 * Devices, jobs and plan files.
 */
#include "ktir_case.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>

static const char gather[] = SETS FUNC(
	VIEW("a", "%c0", "16") LOAD("x", "a", "16") PRODUCE("p", "x", "#four", "#one")
	GATHER("r", "p", "#last", "#one", "64"));

/* --- devices --------------------------------------------------------------------------------- */

static void opens(const char *spec, int want, uint32_t cores, uint64_t spm)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_device *dev = (void *)1;
	struct ktdev_device_info info;
	int ret = ktdev_device_open(spec, rep, &dev);

	if (!ok(ret == want && !ret == (dev != NULL), "open %s", spec))
		diag("returned %d", ret);
	if (!ret) {
		ktdev_device_info(dev, &info);
		ok(info.cores == cores && info.spm_bytes == spm && info.uncapped &&
		   !strcmp(info.backend, "soft") && !strcmp(info.name, spec), "its geometry");
	} else {
		is_u64(ktdev_report_count(rep), 1, "says why: %s",
		       ktdev_report_count(rep) ? ktdev_report_get(rep, 0)->message : "");
	}
	ktdev_device_close(dev);
	ktdev_report_free(rep);
}

static void test_devices(void)
{
	opens("soft", 0, 32, 2 << 20);
	opens("soft:cores=4", 0, 4, 2 << 20);
	opens("soft:spm-size=65536,cores=64", 0, 64, 65536);
	opens("soft:cores=1,spm-size=1M", 0, 1, 1 << 20);
	opens("soft:cores=0", -EINVAL, 0, 0);
	opens("soft:cores=99999", -EINVAL, 0, 0);
	opens("soft:cores=4x", -EINVAL, 0, 0);
	opens("soft:cores=99999999999999999999999", -EINVAL, 0, 0);
	opens("soft:spm-size=3000000", -EINVAL, 0, 0);
	opens("soft:spm-size=1K", -EINVAL, 0, 0);
	opens("soft:colour=red", -EINVAL, 0, 0);
	opens("soft:", -EINVAL, 0, 0);
	opens("hard", -EINVAL, 0, 0);
	opens("/nowhere/accel0", -ENODEV, 0, 0);
}

/* --- jobs --------------------------------------------------------------------------------------- */

struct data {
	unsigned int inputs, outputs, pads_in, pads_out, bad;
	int fail;
	uint64_t pad_bytes;
};

static int input(void *ctx, const struct ktdev_value *v, void *data)
{
	struct data *d = ctx;
	uint32_t i, *p = data;
	char name[32];

	snprintf(name, sizeof(name), "t%u.r0.bin", v->tile);
	d->bad += strcmp(name, v->name) || v->output || v->bytes != 64 || v->rank != 1 ||
		  v->shape[0] != 16 || strcmp(v->dtype, "i32") || v->tile != d->inputs;
	for (i = 0; i < 16; i++)
		p[i] = 100 * v->tile + i;
	d->inputs++;
	return d->fail;
}

static int output(void *ctx, const struct ktdev_value *v, const void *data)
{
	struct data *d = ctx;
	const uint32_t *p = data;
	uint32_t i;

	d->bad += !v->output || v->tile != 7 || v->bytes != 256 || strcmp(v->name, "t7.r0.bin");
	for (i = 0; i < 64; i++)
		d->bad += p[i] != 100 * (i / 16) + i % 16;
	d->outputs++;
	return 0;
}

static int pads_in(void *ctx, uint32_t tile, void *data, uint64_t bytes)
{
	struct data *d = ctx;

	memset(data, (int)tile + 1, bytes);
	d->pad_bytes = bytes;
	d->pads_in++;
	return 0;
}

static int pads_out(void *ctx, uint32_t tile, const void *data, uint64_t bytes)
{
	struct data *d = ctx;
	const uint8_t *p = data;

	d->bad += bytes != 65536 || p[65535] != tile + 1;
	if (tile < 4)		/* the input overwrote the place it is loaded from */
		d->bad += p[0] != (100 * tile & 0xff) || p[64] != tile + 1;
	d->pads_out++;
	return 0;
}

static void test_job(struct ktdev_device *dev)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .cores = 8, .window = 65536 };
	struct data d = {0};
	struct ktdev_submit_opts o = { .size = sizeof(o), .input = input, .output = output,
				       .pads_in = pads_in, .pads_out = pads_out, .ctx = &d };
	struct ktdev_result res = { .size = sizeof(res) };
	struct ktdev_job *job;
	struct ktir_case k;
	struct pollfd p = { .events = POLLIN };
	int ret;

	case_init(&k, gather, &co);
	ret = ktdev_submit(dev, k.c.plan, &o, &job);
	is_u64((uint64_t)-ret, 0, "submit");
	case_fini(&k);		/* a job does not need its plan */
	p.fd = ktdev_job_fd(job);
	ok(poll(&p, 1, 10000) == 1, "the job's descriptor becomes readable");
	is_u64((uint64_t)-ktdev_job_wait(job, 0, &res), 0, "wait");
	ktdev_job_free(job);
	ok(d.inputs == 4 && d.outputs == 1 && d.pads_in == 8 && d.pads_out == 8,
	   "every value and pad was asked for once");
	is_u64(d.bad, 0, "with the right names, sizes and bytes");
	is_u64(d.pad_bytes, 65536, "pads are whole");
	ok(res.ok && !res.checked && !res.fault && !res.per_tile && !strcmp(res.backend, "soft"),
	   "result");
	is_u64(res.stats.transfers, 4, "transfers");
	is_u64(res.stats.injections, 4, "injections");
	is_u64(res.stats.bytes_delivered, 256, "bytes delivered");
	is_u64(res.stats.remote_bytes, 256, "remote bytes");
	is_u64(res.stats.injected_bytes, 256, "injected bytes");
	is_u64(res.stats.host_bytes, 0, "host bytes during the shuffle");
	ok(res.stats.cycles > 0, "cycles");
}

static void test_refusals(struct ktdev_device *dev)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .cores = 8, .window = 65536 };
	uint16_t map[8] = { 7, 6, 5, 4, 3, 2, 1, 0 };
	struct data d = { .fail = -ENOENT };
	struct ktdev_submit_opts o = { .size = sizeof(o), .input = input, .ctx = &d };
	struct { struct ktdev_submit_opts o; uint64_t more; } larger = { .more = 0 };
	struct ktdev_device *small;
	struct ktdev_job *job;
	struct ktir_case k;

	case_init(&k, gather, &co);
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &o, &job), ENOENT,
	       "what a callback returns stops the submit");
	is_u64(d.inputs, 1, "at once");
	ok(job == NULL, "without a job");
	o = (struct ktdev_submit_opts){ .size = sizeof(o), .map = map };
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &o, &job), 0, "a reversed map");
	ktdev_job_free(job);
	map[3] = 7;
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &o, &job), EINVAL, "a core named twice");
	map[3] = 8;
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &o, &job), EINVAL, "a core that is not there");
	larger.o.size = sizeof(larger);
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &larger.o, &job), 0, "larger options of zeros");
	ktdev_job_free(job);
	larger.more = 1;
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, &larger.o, &job), E2BIG,
	       "options this library does not know");
	ktdev_device_open("soft:cores=4,spm-size=64K", NULL, &small);
	is_u64((uint64_t)-ktdev_submit(small, k.c.plan, NULL, &job), EOPNOTSUPP,
	       "a device with fewer cores");
	ktdev_device_close(small);
	co.window = 1 << 20;
	case_fini(&k);
	case_init(&k, gather, &co);
	is_u64((uint64_t)-ktdev_submit(dev, k.c.plan, NULL, &job), EOPNOTSUPP,
	       "a smaller scratchpad than compiled for");
	case_fini(&k);
}

/* Cycles depend on the map, stalls on the mode. */
static void test_modes(struct ktdev_device *dev)
{
	struct ktdev_compile_opts co = { .size = sizeof(co), .cores = 8, .window = 65536 };
	struct ktdev_submit_opts o = { .size = sizeof(o), .sync = KTDEV_SYNC_PER_TILE };
	struct ktdev_result barrier = { .size = sizeof(barrier) }, tile = { .size = sizeof(tile) };
	struct ktdev_job *job;
	struct ktdev_stats st;
	struct ktir_case k;
	static const char pairs[] = SETS FUNC(
		VIEW("a", "%c0", "16") LOAD("x", "a", "16") PRODUCE("p", "x", "#pair", "#two")
		GATHER("r", "p", "#pair", "#two", "32"));

	case_init(&k, pairs, &co);
	ktdev_submit(dev, k.c.plan, NULL, &job);
	ktdev_job_wait(job, -1, &barrier);
	ktdev_job_free(job);
	ktdev_submit(dev, k.c.plan, &o, &job);
	ktdev_job_wait(job, -1, &tile);
	ktdev_job_free(job);
	ok(!barrier.per_tile && tile.per_tile, "modes");
	is_u64(tile.stats.cycles, barrier.stats.cycles, "cycles do not depend on the mode");
	ok(tile.stats.stall_cycles < barrier.stats.stall_cycles, "stalls do: %llu against %llu",
	   (unsigned long long)tile.stats.stall_cycles,
	   (unsigned long long)barrier.stats.stall_cycles);
	ktdev_plan_stats(k.c.plan, NULL, &st);
	ok(st.cycles == barrier.stats.cycles && st.transfers == barrier.stats.transfers,
	   "the plan tells the same beforehand");
	case_fini(&k);
}

/* Bytes that several steps read are injected once. */
static void test_injected_once(void)
{
	static const char twice[] = SETS FUNC(
		VIEW("a", "%c0", "16") LOAD("x", "a", "16")
		PRODUCE("p", "x", "#first", "#one") CONSUME("r", "p", "#last", "#one")
		PRODUCE("q", "x", "#first", "#one") CONSUME("s", "q", "#pair1", "#one"));
	char text[8192];
	struct ktdev_stats st;
	struct ktir_case k;

	snprintf(text, sizeof(text), "#pair1 = affine_set<(t)[g] : (t - 1 >= 0, -t + 2 >= 0)>\n%s",
		 twice);
	case_init(&k, text, NULL);
	ktdev_plan_stats(k.c.plan, NULL, &st);
	is_u64(st.injected_bytes, 64, "one source of 64 bytes");
	is_u64(st.injections, 2, "one injection per step: the second is a multicast");
	is_u64(st.remote_bytes, 192, "to three readers");
	case_fini(&k);
}

/* --- plan files ------------------------------------------------------------------------------------ */

static struct ktdev_plan *read_plan(const void *data, size_t len, int *ret, size_t *said)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_plan *plan = NULL;

	*ret = ktdev_plan_read("file", data, len, rep, &plan);
	*said = ktdev_report_count(rep);
	ktdev_report_free(rep);
	return plan;
}

static void test_files(void)
{
	struct ktir_case k;
	struct ktdev_plan *again;
	void *bin, *bin2;
	char *json, *json2;
	size_t n_bin, n_bin2, n_json, n_json2, said, i, quiet = 0, accepted = 0;
	uint8_t *copy;
	int ret;

	case_init(&k, gather, NULL);
	ok(!ktdev_plan_to_binary(k.c.plan, &bin, &n_bin), "to binary");
	ok(!ktdev_plan_to_json(k.c.plan, &json, &n_json), "to JSON");
	again = read_plan(bin, n_bin, &ret, &said);
	ok(again && !ktdev_plan_to_json(again, &json2, &n_json2) && n_json == n_json2 &&
	   !memcmp(json, json2, n_json), "binary read back is the same plan");
	free(json2);
	ktdev_plan_free(again);
	again = read_plan(json, n_json, &ret, &said);
	ok(again && !ktdev_plan_to_binary(again, &bin2, &n_bin2) && n_bin == n_bin2 &&
	   !memcmp(bin, bin2, n_bin), "JSON read back is the same plan");
	free(bin2);
	ktdev_plan_free(again);
	for (i = 0; i < n_bin; i++) {
		again = read_plan(bin, i, &ret, &said);
		quiet += ret != -EINVAL || !said || again;
	}
	is_u64(quiet, 0, "every shorter file is refused with a reason");
	copy = malloc(n_bin);
	for (i = 0, quiet = 0; i < n_bin * 8; i++) {
		memcpy(copy, bin, n_bin);
		copy[i / 8] ^= (uint8_t)(1u << (i % 8));
		again = read_plan(copy, n_bin, &ret, &said);
		accepted += again != NULL;
		quiet += ret && !said;
		ktdev_plan_free(again);
	}
	is_u64(quiet, 0, "every flipped bit is refused with a reason or harmless");
	diag("%zu of %zu flipped bits are harmless", accepted, n_bin * 8);
	memcpy(copy, bin, n_bin);
	copy[4] = 2;
	read_plan(copy, n_bin, &ret, &said);
	is_u64((uint64_t)-ret, EPROTO, "a later version");
	free(copy);
	free(bin);
	free(json);
	case_fini(&k);
}

static void edited(const char *name, const char *json, const char *from, const char *to, int want,
		   const char *pointer)
{
	struct ktdev_report *rep = ktdev_report_new();
	struct ktdev_plan *plan = NULL;
	const struct ktdev_diag *d;
	const char *at = strstr(json, from);
	char *text = malloc(strlen(json) + strlen(to) + 1);
	int ret;

	if (!at)
		bail_out("%s is not in the plan", from);
	sprintf(text, "%.*s%s%s", (int)(at - json), json, to, at + strlen(from));
	ret = ktdev_plan_read("edited", text, strlen(text), rep, &plan);
	d = ktdev_report_get(rep, 0);
	ok(ret == want && (!want || (d && (!pointer || (d->pointer && !strcmp(d->pointer, pointer))))),
	   "%s", name);
	if (d)
		diag("%s: %s", d->pointer ? d->pointer : "-", d->message);
	ktdev_plan_free(plan);
	ktdev_report_free(rep);
	free(text);
}

static void test_edited(void)
{
	struct ktir_case k;
	char *json;
	size_t n;

	case_init(&k, gather, NULL);
	ktdev_plan_to_json(k.c.plan, &json, &n);
	edited("not touched", json, "ktctl.plan/1", "ktctl.plan/1", 0, NULL);
	edited("a later schema", json, "ktctl.plan/1", "ktctl.plan/2", -EPROTO, "/schema");
	edited("another schema", json, "ktctl.plan/1", "ktctl.report/1", -EINVAL, "/schema");
	edited("broken JSON", json, "\"kind\":", "\"kind\"", -EINVAL, "");
	edited("a duplicate key", json, "\"kind\":", "\"kind\": \"x\", \"kind\":", -EINVAL, "");
	edited("no tiles", json, "\"tiles\": 8", "\"tiles\": 0", -EINVAL, "/tiles");
	edited("an unknown type", json, "\"dtype\": \"i32\"", "\"dtype\": \"i33\"", -EINVAL,
	       "/steps/0/spaces/0/dtype");
	edited("a source outside its space", json, "\"start\": [48]", "\"start\": [49]", -EINVAL,
	       "/steps/0");
	edited("a piece that nobody holds", json, "\"size\": [16]", "\"size\": [15]", -EINVAL,
	       "/steps/0");
	edited("a name that leaves the directory", json, "t7.r0.bin", "../t7.r0.bin", -EINVAL, NULL);
	edited("a value outside the window", json, "\"bytes\": 64, \"pieces\": [{\"tile\": 0, \"placed\": false, \"start\": [0], \"size\": [16], \"offset\": 0",
	       "\"bytes\": 64, \"pieces\": [{\"tile\": 0, \"placed\": false, \"start\": [0], \"size\": [16], \"offset\": 99999999",
	       -EINVAL, NULL);
	free(json);
	case_fini(&k);
}

int main(void)
{
	struct ktdev_device *dev;

	test_devices();
	if (ktdev_device_open("soft:cores=8,spm-size=64K", NULL, &dev))
		bail_out("no soft device");
	test_job(dev);
	test_refusals(dev);
	test_modes(dev);
	ktdev_device_close(dev);
	test_injected_once();
	test_files();
	test_edited();
	return done_testing();
}
