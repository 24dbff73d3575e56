# SPDX-License-Identifier: MIT
# libktdev: static and shared.

LIB_SRC := $(sort $(wildcard lib/*.c))
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)
SOVER   := 0

$(O)/libktdev.a: $(LIB_OBJ) $(ENGINE_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/libktdev.so.$(SOVER): $(LIB_OBJ) $(ENGINE_OBJ) lib/libktdev.map
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -shared -pthread -Wl,-soname,libktdev.so.$(SOVER) \
		-Wl,--version-script=lib/libktdev.map -Wl,--no-undefined -o $@ $(LIB_OBJ) $(ENGINE_OBJ) \
		$(LDLIBS_JSON) -lm

$(O)/libktdev.so: $(O)/libktdev.so.$(SOVER)
	$(Q)ln -sf $(<F) $@

all: $(O)/libktdev.a $(O)/libktdev.so
