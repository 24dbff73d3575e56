// SPDX-License-Identifier: MIT
/* --stick AXIS=LANES */
#include <string.h>

#include "sticks.h"

static bool parse_stick(const char *v, struct ktdev_stick *out)
{
	const char *eq = strchr(v, '=');
	char axis[24];
	uint64_t a, lanes;

	if (!eq || (size_t)(eq - v) >= sizeof(axis))
		return false;
	memcpy(axis, v, (size_t)(eq - v));
	axis[eq - v] = 0;
	if (!ctl_parse_u64(axis, &a) || !ctl_parse_u64(eq + 1, &lanes))
		return false;
	if (a > 255 || !lanes || lanes > UINT32_MAX)
		return false;
	out->axis = (unsigned int)a;
	out->lanes = (unsigned int)lanes;
	return true;
}

int ctl_sticks(struct ctl *c, struct ctl_sticks *out)
{
	const char *v;

	out->n = 0;
	while ((v = ctl_opt_nth(c, "stick", out->n))) {
		if (out->n == CTL_MAX_STICKS)
			return ctl_fail(c, CTL_USAGE, "more than %d --stick", CTL_MAX_STICKS);
		if (!parse_stick(v, &out->stick[out->n]))
			return ctl_fail(c, CTL_USAGE, "--stick %s: not AXIS=LANES\n"
					"axis 1 with sticks of 64 elements is --stick 1=64", v);
		out->n++;
	}
	return CTL_OK;
}
