# SPDX-License-Identifier: MIT
# ktctl.

TOOLS_SRC := $(sort $(wildcard tools/*.c))
TOOLS_OBJ := $(TOOLS_SRC:%.c=$(O)/%.o)

$(O)/ktctl: $(TOOLS_OBJ) $(O)/libktdev.a
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $(TOOLS_OBJ) $(O)/libktdev.a $(LDLIBS_JSON) -lm

all: $(O)/ktctl
