#!/bin/sh
# SPDX-License-Identifier: MIT
# All transcripts of the command line: tests/cli/*.cram
cd "$(dirname "$0")/../.." || exit 1
exec tests/cli/run tests/cli/*.cram
