# SPDX-License-Identifier: MIT
# The device model driven without a guest. Every tests/qtest/test_*.c is one program.

QTEST_SRC := $(sort $(wildcard tests/qtest/test_*.c))
QTEST_BIN := $(QTEST_SRC:tests/qtest/%.c=$(O)/tests/qtest/%)
QTEST_LIB_SRC := $(filter-out $(QTEST_SRC) $(wildcard tests/qtest/bench_*.c),$(wildcard tests/qtest/*.c))
QTEST_LIB_OBJ := $(QTEST_LIB_SRC:%.c=$(O)/%.o)
SEED ?= 1
QTEST_ROUNDS ?= 40

$(O)/tests/qtest/%: $(O)/tests/qtest/%.o $(QTEST_LIB_OBJ) $(O)/libktdev.a
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $< $(QTEST_LIB_OBJ) $(O)/libktdev.a $(LDLIBS_JSON) -lm

$(O)/tests/qtest/%.o: OBJ_CFLAGS += -D_GNU_SOURCE -Itests/qtest

.PHONY: qtests check-qtest check-qtest-sanitize fuzz-model bench-model
qtests: $(QTEST_BIN)

check-qtest:
	$(Q)scripts/deps build vm
	$(Q)$(STAGE) "build QEMU with the device" scripts/vm/qemu-build
	$(Q)$(STAGE) "build the qtest suite" $(MAKE) --no-print-directory -j2 qtests
	$(Q)KTDEV_QEMU=$$(scripts/vm/qemu-build) $(STAGE) "device model without a guest" \
		scripts/tap-run $(COUNTS)/qtest $(QTEST_BIN)

check-qtest-sanitize:
	$(Q)scripts/deps build vm
	$(Q)$(STAGE) "build QEMU with the sanitizers" scripts/vm/qemu-build --sanitize
	$(Q)$(STAGE) "build the qtest suite" $(MAKE) --no-print-directory -j2 qtests
	$(Q)KTDEV_QEMU=$$(scripts/vm/qemu-build --sanitize) UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		$(STAGE) "device model under the sanitizers" \
		scripts/tap-run $(COUNTS)/qtest-sanitize $(QTEST_BIN)

# Random scripts against the sanitised model, SEED after SEED.
fuzz-model: $(O)/tests/qtest/test_random
	$(Q)KTDEV_QEMU=$$(scripts/vm/qemu-build --sanitize) UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
		$(O)/tests/qtest/test_random $(SEED) $(QTEST_ROUNDS)

bench-model: $(O)/tests/qtest/bench_model
	$(Q)scripts/deps build vm
	$(Q)KTDEV_QEMU=$$(scripts/vm/qemu-build) $(O)/tests/qtest/bench_model
