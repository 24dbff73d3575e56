#!/bin/bash
# SPDX-License-Identifier: MIT
# The hardware manual and the register header agree.
exec /usr/bin/python3 scripts/check-regs
