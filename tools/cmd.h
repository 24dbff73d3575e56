/* SPDX-License-Identifier: MIT */
/* The commands: cmd_NAME.c holds cmd_NAME(). */
#ifndef KTCTL_CMD_H
#define KTCTL_CMD_H

#include "ctl.h"

int cmd_bench(struct ctl *c);
int cmd_classify(struct ctl *c);
int cmd_compile(struct ctl *c);
int cmd_completion(struct ctl *c);
int cmd_diff(struct ctl *c);
int cmd_doctor(struct ctl *c);
int cmd_draw(struct ctl *c);
int cmd_dump(struct ctl *c);
int cmd_emit(struct ctl *c);
int cmd_explain(struct ctl *c);
int cmd_help(struct ctl *c);
int cmd_info(struct ctl *c);
int cmd_reset(struct ctl *c);
int cmd_submit(struct ctl *c);
int cmd_top(struct ctl *c);
int cmd_trace(struct ctl *c);
int cmd_verify(struct ctl *c);

#endif /* KTCTL_CMD_H */
