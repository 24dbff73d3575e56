# SPDX-License-Identifier: MIT
# The engine: pure C, no library dependency beyond memcpy-class functions.

ENGINE_SRC := $(sort $(wildcard engine/*.c))
ENGINE_OBJ := $(ENGINE_SRC:%.c=$(O)/%.o)

$(O)/libkte.a: $(ENGINE_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^
