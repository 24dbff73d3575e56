// SPDX-License-Identifier: MIT
/*
 * Reading a relayout: which form a text has, and two texts as one relayout.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "relayout_read.h"

static const struct ktdev_relayout_opts no_opts = { .size = sizeof(no_opts) };

/* A larger struct is fine as long as its unknown tail is zero. */
static int check_opts(const struct ktdev_relayout_opts **opts)
{
	const unsigned char *p;
	size_t i;

	if (!*opts) {
		*opts = &no_opts;
		return 0;
	}
	if ((*opts)->size < sizeof(no_opts))
		return -EINVAL;
	p = (const unsigned char *)*opts;
	for (i = sizeof(no_opts); i < (*opts)->size; i++)
		if (p[i])
			return -E2BIG;
	return 0;
}

static int reader_init(struct kt_reader *rd, const struct ktdev_relayout_opts *opts,
		       struct ktdev_report *rep, const struct ktdev_text *in,
		       struct kt_source *src)
{
	int ret;

	memset(rd, 0, sizeof(*rd));
	rd->rep = rep;
	rd->opts = opts;
	ret = kt_source_init(src, in->name, in->text, in->len);
	if (ret)
		return ret;
	rd->src = src;
	rd->rel = calloc(1, sizeof(*rd->rel));
	if (!rd->rel) {
		kt_source_fini(src);
		return -ENOMEM;
	}
	rd->rel->stick_axis = -1;
	rd->rel->name = kt_rd_text(rd, "%s", in->name ? in->name : "");
	return 0;
}

static int reader_done(struct kt_reader *rd, struct ktdev_relayout **out)
{
	int ret;

	if (!kt_rd_result(rd))
		kt_relayout_finish(rd);
	ret = kt_rd_result(rd);
	if (ret)
		ktdev_relayout_free(rd->rel);
	else
		*out = rd->rel;
	return ret;
}

static void read_one(struct kt_reader *rd, const struct ktdev_text *in)
{
	json_t *root = kt_rd_json(rd, in);

	if (!root)
		return;
	if (json_object_get(root, "schema"))
		kt_read_relayout1(rd, root);
	else if (kt_has_data_ops(root))
		kt_read_data_op(rd, root);
	else if (kt_has_map(root))
		kt_read_views(rd, root);
	else
		kt_rd_error(rd, "", "no relayout: neither \"schema\", datadscs_, dscs_ nor "
				    "coreIdToWkSlice_");
	json_decref(root);
}

int ktdev_relayout_parse(const struct ktdev_text *in, const struct ktdev_relayout_opts *opts,
			 struct ktdev_report *rep, struct ktdev_relayout **out)
{
	struct kt_reader rd;
	struct kt_source src;
	int ret;

	*out = NULL;
	ret = check_opts(&opts);
	if (!ret)
		ret = reader_init(&rd, opts, rep, in, &src);
	if (ret)
		return ret;
	if (kt_is_shorthand(in))
		kt_rd_error(&rd, "", "one division alone is no relayout: give source and "
				     "destination");
	else
		read_one(&rd, in);
	ret = reader_done(&rd, out);
	kt_source_fini(&src);
	return ret;
}

/* One side of a pair into its raw form. */
static void read_half(struct kt_reader *rd, const struct ktdev_text *in, enum ktdev_side side,
		      struct kt_raw_side *raw)
{
	json_t *root = kt_rd_json(rd, in);

	memset(raw, 0, sizeof(*raw));
	if (!root)
		return;
	if (kt_has_data_ops(root))
		kt_read_data_op_side(rd, root, side, raw);
	else if (kt_has_map(root))
		kt_read_view_side(rd, root, side, raw);
	else if (json_object_get(root, "schema"))
		kt_read_relayout1_half(rd, root, side, raw);
	else
		kt_rd_error(rd, "", "no ownership table: neither \"schema\", datadscs_, dscs_ nor "
				    "coreIdToWkSlice_");
	json_decref(root);
}

int ktdev_relayout_parse_pair(const struct ktdev_text *src, const struct ktdev_text *dst,
			      const struct ktdev_relayout_opts *opts, struct ktdev_report *rep,
			      struct ktdev_relayout **out)
{
	const struct ktdev_text *in[2] = { src, dst };
	struct kt_raw_side raw[2];
	struct kt_source text[2];
	struct kt_reader rd;
	int ret, s;

	*out = NULL;
	ret = check_opts(&opts);
	if (!ret)
		ret = reader_init(&rd, opts, rep, src, &text[0]);
	if (ret)
		return ret;
	ret = kt_source_init(&text[1], dst->name, dst->text, dst->len);
	if (ret) {
		ktdev_relayout_free(rd.rel);
		kt_source_fini(&text[0]);
		return ret;
	}
	if (kt_is_shorthand(src) && kt_is_shorthand(dst)) {
		rd.side_src[0] = &text[0];
		rd.side_src[1] = &text[1];
		kt_read_shorthand(&rd, src, dst);
	} else if (kt_is_shorthand(src) || kt_is_shorthand(dst)) {
		kt_rd_error(&rd, "", "a division in shorthand and a file cannot be one pair");
	} else {
		for (s = 0; s < 2; s++) {
			rd.src = &text[s];
			rd.side_src[s] = &text[s];
			read_half(&rd, in[s], (enum ktdev_side)s, &raw[s]);
		}
		if (!kt_rd_result(&rd)) {
			kt_rd_defaults(&rd);
			kt_join_sides(&rd, raw);
		}
	}
	ret = reader_done(&rd, out);
	kt_source_fini(&text[0]);
	kt_source_fini(&text[1]);
	return ret;
}
