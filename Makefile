# SPDX-License-Identifier: MIT
# ktdev: see README.md. Each directory has its part in NAME/part.mk.

BUILD   ?= build
O       := $(abspath $(BUILD))
ifeq ($(origin CC),default)
CC      := gcc
endif
PREFIX  ?= /usr/local
VERSION := $(shell cat VERSION)

WARN    := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Werror
CFLAGS  ?= -O2 -g
EXTRA_CFLAGS ?=
KT_CFLAGS := -std=gnu11 $(WARN) $(CFLAGS) $(EXTRA_CFLAGS) -fPIC -fvisibility=hidden -pthread \
	-I. -Iengine -Ilib -Iuapi -DKTDEV_VERSION='"$(VERSION)"'
LDLIBS_JSON := $(shell pkg-config --libs jansson 2>/dev/null || echo -ljansson)

.PHONY: all clean
all:

include engine/part.mk
include lib/part.mk
include tools/part.mk
include tests/part.mk
include tests/qtest/part.mk
include scripts/part.mk

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(Q)$(CC) $(KT_CFLAGS) $(OBJ_CFLAGS) -MMD -MP -c -o $@ $<

clean:
	rm -rf $(O)

-include $(shell find $(O) -name '*.d' 2>/dev/null)

ifneq ($(V),1)
Q := @
endif
