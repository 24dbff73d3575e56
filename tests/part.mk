# SPDX-License-Identifier: MIT
# Host tests. Every tests/unit/test_*.c is one program printing TAP.

UNIT_SRC := $(sort $(wildcard tests/unit/test_*.c))
UNIT_BIN := $(UNIT_SRC:tests/unit/%.c=$(O)/tests/%)
# Shared by unit tests: the reference evaluator and the random program generator.
TEST_LIB_SRC := $(sort $(wildcard tests/*.c))
TEST_LIB_OBJ := $(TEST_LIB_SRC:%.c=$(O)/%.o)
ORACLE_SRC := $(sort $(wildcard tests/oracle/test_*.c))
ORACLE_BIN := $(ORACLE_SRC:tests/oracle/%.c=$(O)/tests/oracle/%)
BENCH_SRC := $(sort $(wildcard tests/bench/bench_*.c))
BENCH_BIN := $(BENCH_SRC:tests/bench/%.c=$(O)/tests/%)
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
FUZZ_BIN := $(FUZZ_SRC:tests/fuzz/%.c=$(O)/fuzz/%)
FUZZ_SECONDS ?= 6

$(O)/tests/oracle/%: $(O)/tests/oracle/%.o $(O)/libktdev.a $(TEST_LIB_OBJ)
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $< $(TEST_LIB_OBJ) $(O)/libktdev.a $(LDLIBS_JSON) -lisl -lm

$(O)/tests/%: $(O)/tests/unit/%.o $(O)/libktdev.a $(TEST_LIB_OBJ)
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $< $(TEST_LIB_OBJ) $(O)/libktdev.a $(LDLIBS_JSON) -lm

$(O)/tests/%: $(O)/tests/bench/%.o $(O)/libktdev.a
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $< $(O)/libktdev.a $(LDLIBS_JSON) -lm

# The library once more, instrumented for libFuzzer.
FUZZ_FLAGS := -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=undefined \
	-I. -Iengine -Ilib -Iuapi -DKTDEV_VERSION='"$(VERSION)"' -pthread
FUZZ_OBJ := $(ENGINE_SRC:%.c=$(O)/fuzz/%.o) $(LIB_SRC:%.c=$(O)/fuzz/%.o)

$(O)/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -MMD -MP -c -o $@ $<

$(O)/fuzz/libktdev.a: $(FUZZ_OBJ)
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(O)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(O)/fuzz/libktdev.a
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $< $(O)/fuzz/libktdev.a $(LDLIBS_JSON) -lm

.PHONY: tests
tests: $(UNIT_BIN) $(ORACLE_BIN)
.SECONDARY:
