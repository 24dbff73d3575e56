# SPDX-License-Identifier: MIT
# What README's two commands run. Every stage says what it does and how long it took.

STAGE  := scripts/stage
COUNTS := $(O)/check
# The sanitizers make gcc warn of things that are not there.
SAN_FLAGS := -Wno-error -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
CLI_TESTS = $(sort $(wildcard tests/cli/*.t tests/scripts/*.t))
# Host programs that are slow under a tool run without it only.
VALGRIND := valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite,possible
VALGRIND_TESTS ?= test_diag test_parse test_set test_resolve test_submit

.PHONY: demo check check-debug check-vm check-host check-unit check-cli check-asan check-valgrind \
	check-fuzz fuzz lint bench coverage docs

demo:
	$(Q)scripts/deps build
	$(Q)$(STAGE) "build" $(MAKE) --no-print-directory -j2 all
	$(Q)scripts/demo $(O)/ktctl

# A stage that fails does not keep the others from running; the last line counts them all.
check: TOTAL_STAGES := check-unit check-cli check-asan check-valgrind check-fuzz check-qtest check-vm
check-host: TOTAL_STAGES := check-unit check-cli check-asan check-valgrind check-fuzz
check check-host:
	$(Q)rm -rf $(COUNTS)
	$(Q)scripts/deps build check
	$(Q)$(STAGE) "build library, tool and tests" $(MAKE) --no-print-directory -j2 all tests
	$(Q)rc=0; $(MAKE) --no-print-directory -k $(TOTAL_STAGES) || rc=1; \
		scripts/tap-total $(COUNTS)/* && exit $$rc

check-unit:
	$(Q)$(STAGE) "unit, property and oracle tests" scripts/tap-run $(COUNTS)/unit $(UNIT_BIN) $(ORACLE_BIN)

check-cli: all
	$(Q)KTCTL=$(O)/ktctl BUILD=$(O) $(STAGE) "command line, examples, install" scripts/tap-run $(COUNTS)/cli $(CLI_TESTS)

check-asan:
	$(Q)$(STAGE) "build with AddressSanitizer and UBSan" $(MAKE) --no-print-directory -j2 BUILD=$(O)/asan \
		CFLAGS="$(SAN_FLAGS)" all tests
	$(Q)$(STAGE) "unit tests under the sanitizers" env KT_TEST_SMALL=1 scripts/tap-run $(COUNTS)/asan \
		$(UNIT_SRC:tests/unit/%.c=$(O)/asan/tests/%)

check-valgrind: tests
	$(Q)$(STAGE) "unit tests under valgrind" env KT_TEST_SMALL=1 scripts/tap-run -e "$(VALGRIND)" \
		$(COUNTS)/valgrind $(VALGRIND_TESTS:%=$(O)/tests/%)

check-fuzz:
	$(Q)$(STAGE) "build the fuzz targets" $(MAKE) --no-print-directory -j2 $(FUZZ_BIN)
	$(Q)$(STAGE) "fuzz, $(FUZZ_SECONDS) s each" scripts/fuzz-all $(COUNTS)/fuzz $(FUZZ_SECONDS) $(FUZZ_BIN)

check-vm:
	$(Q)scripts/deps vm
	$(Q)$(STAGE) "test machine" scripts/tap-run -j 1 $(COUNTS)/vm scripts/vm/selftest tests/vm/device.t

# The device model under AddressSanitizer and UBSan: its suite, and random scripts.
check-debug:
	$(Q)rm -rf $(COUNTS)-debug
	$(Q)$(MAKE) --no-print-directory COUNTS=$(COUNTS)-debug check-qtest-sanitize
	$(Q)KTDEV_QEMU=$$(scripts/vm/qemu-build --sanitize) $(STAGE) "random scripts against the sanitised model" \
		scripts/tap-run $(COUNTS)-debug/random $(O)/tests/qtest/test_random :: 1000 20
	$(Q)scripts/tap-total $(COUNTS)-debug/*

fuzz: $(FUZZ_BIN)
	$(Q)scripts/fuzz-all $(COUNTS)/fuzz 600 $(FUZZ_BIN)

bench: all $(BENCH_BIN)
	$(Q)$(O)/ktctl bench --relayouts tests/data/relayouts

lint:
	$(Q)scripts/deps lint
	$(Q)scripts/lint

coverage:
	$(Q)scripts/deps check coverage
	$(Q)$(MAKE) --no-print-directory -j2 BUILD=$(O)/cov CFLAGS="-Wno-error -O0 -g --coverage" all tests
	$(Q)scripts/tap-run $(O)/cov/counts $(UNIT_SRC:tests/unit/%.c=$(O)/cov/tests/%)
	$(Q)gcovr --root . --object-directory $(O)/cov --filter 'engine/' --filter 'lib/' --filter 'tools/' \
		--gcov-ignore-parse-errors --print-summary --txt $(O)/coverage.txt
	$(Q)tail -n 8 $(O)/coverage.txt

docs:
	$(Q)scripts/deps docs
	$(Q)$(MAKE) --no-print-directory all
	$(Q)BUILD=$(O) $(STAGE) "documentation" scripts/tap-run $(O)/docs.counts tests/scripts/docs.t \
		tests/cli/man.t

.PHONY: vm
vm:
	$(Q)scripts/vm/run --shell

.PHONY: help
help:
	@echo "all           build/ktctl, build/libktdev.so, build/libktdev.a"
	@echo "demo          build, then verify, draw and run a 32-core gather"
	@echo "check         all tests"
	@echo "check-host    library, tool and engine, no QEMU"
	@echo "check-qtest   device model without a guest"
	@echo "check-vm      the test machine"
	@echo "check-debug   device model under the sanitizers"
	@echo "bench         figures, as ratios in one run"
	@echo "fuzz          every fuzz target for ten minutes"
	@echo "lint coverage docs install clean"
	@echo "vm            a shell on a machine with the modelled device"
