# SPDX-License-Identifier: MIT
# ktctl, its man pages, completions and schemas; make install DESTDIR= PREFIX=

TOOLS_SRC := $(sort $(wildcard tools/*.c))
TOOLS_OBJ := $(TOOLS_SRC:%.c=$(O)/%.o)
MAN_DIR   := Documentation/man
MAN1_IN   := $(sort $(wildcard $(MAN_DIR)/*.1.in))
MAN7_IN   := $(sort $(wildcard $(MAN_DIR)/*.7.in))

INCDIR  ?= $(PREFIX)/include
LIBDIR  ?= $(PREFIX)/lib
MANDIR  ?= $(PREFIX)/share/man
DATADIR ?= $(PREFIX)/share

.PHONY: man install uninstall

$(O)/ktctl: $(TOOLS_OBJ) $(O)/libktdev.a
	$(Q)$(CC) $(CFLAGS) $(EXTRA_CFLAGS) -pthread -o $@ $(TOOLS_OBJ) $(O)/libktdev.a $(LDLIBS_JSON) -lm

all: $(O)/ktctl

# Options come from the command table, rules from the library, section 3 from the header.
$(O)/man/stamp: $(O)/ktctl lib/ktdev.h $(MAN1_IN) $(MAN7_IN) $(wildcard $(MAN_DIR)/gen*) VERSION
	$(Q)rm -rf $(@D) && mkdir -p $(@D)/man1 $(@D)/man3 $(@D)/man7
	$(Q)$(MAN_DIR)/gen1 $(O)/ktctl $(VERSION) $(@D)/man1 $(MAN1_IN)
	$(Q)$(MAN_DIR)/gen3 lib/ktdev.h $(VERSION) $(@D)/man3
	$(Q)$(MAN_DIR)/gen7 $(O)/ktctl $(VERSION) $(@D)/man7
	$(Q)for f in $(MAN7_IN); do \
		sed 's/@VERSION@/$(VERSION)/' $$f > $(@D)/man7/$$(basename $$f .in) || exit 1; done
	$(Q)touch $@

man: $(O)/man/stamp

$(O)/completion/stamp: $(O)/ktctl
	$(Q)mkdir -p $(@D)
	$(Q)for s in bash zsh fish; do $(O)/ktctl completion $$s > $(@D)/$$s || exit 1; done
	$(Q)touch $@

install: all man $(O)/completion/stamp
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(INCDIR) $(DESTDIR)$(LIBDIR)/pkgconfig \
		$(addprefix $(DESTDIR)$(MANDIR)/,man1 man3 man7) $(DESTDIR)$(DATADIR)/ktdev/schemas \
		$(DESTDIR)$(DATADIR)/bash-completion/completions \
		$(DESTDIR)$(DATADIR)/zsh/site-functions $(DESTDIR)$(DATADIR)/fish/vendor_completions.d
	$(Q)install -m 755 $(O)/ktctl $(DESTDIR)$(PREFIX)/bin/
	$(Q)install -m 644 lib/ktdev.h $(DESTDIR)$(INCDIR)/
	$(Q)install -m 644 $(O)/libktdev.a $(DESTDIR)$(LIBDIR)/
	$(Q)install -m 755 $(O)/libktdev.so.$(SOVER) $(DESTDIR)$(LIBDIR)/libktdev.so.$(VERSION)
	$(Q)ln -sf libktdev.so.$(VERSION) $(DESTDIR)$(LIBDIR)/libktdev.so.$(SOVER)
	$(Q)ln -sf libktdev.so.$(SOVER) $(DESTDIR)$(LIBDIR)/libktdev.so
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|; s|@LIBDIR@|$(LIBDIR)|; s|@INCDIR@|$(INCDIR)|' \
		-e 's|@VERSION@|$(VERSION)|' lib/libktdev.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/libktdev.pc
	$(Q)for n in 1 3 7; do install -m 644 $(O)/man/man$$n/*.$$n $(DESTDIR)$(MANDIR)/man$$n/ || exit 1; done
	$(Q)install -m 644 tools/schemas/*.json $(DESTDIR)$(DATADIR)/ktdev/schemas/
	$(Q)install -m 644 $(O)/completion/bash $(DESTDIR)$(DATADIR)/bash-completion/completions/ktctl
	$(Q)install -m 644 $(O)/completion/zsh $(DESTDIR)$(DATADIR)/zsh/site-functions/_ktctl
	$(Q)install -m 644 $(O)/completion/fish $(DESTDIR)$(DATADIR)/fish/vendor_completions.d/ktctl.fish

uninstall:
	$(Q)rm -f $(DESTDIR)$(PREFIX)/bin/ktctl $(DESTDIR)$(INCDIR)/ktdev.h \
		$(DESTDIR)$(LIBDIR)/libktdev.* $(DESTDIR)$(LIBDIR)/pkgconfig/libktdev.pc \
		$(DESTDIR)$(MANDIR)/man1/ktctl.1 $(DESTDIR)$(MANDIR)/man1/ktctl-*.1 \
		$(DESTDIR)$(MANDIR)/man3/ktdev_*.3 $(DESTDIR)$(MANDIR)/man7/ktdev.7 \
		$(DESTDIR)$(MANDIR)/man7/ktdev-*.7 \
		$(DESTDIR)$(DATADIR)/bash-completion/completions/ktctl \
		$(DESTDIR)$(DATADIR)/zsh/site-functions/_ktctl \
		$(DESTDIR)$(DATADIR)/fish/vendor_completions.d/ktctl.fish
	$(Q)rm -rf $(DESTDIR)$(DATADIR)/ktdev
