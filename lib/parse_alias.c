// SPDX-License-Identifier: MIT
/*
 * Aliases: #x = attribute, !x = type; before, between and after what uses them.
 */
#include "parse.h"

static struct kt_alias *new_alias(struct kt_parser *p, struct kt_sym *sym, struct kt_range at)
{
	struct kt_alias *al = kt_parse_alloc(p, sizeof(*al));

	if (!al)
		return NULL;
	al->sym = sym;
	al->at = at;
	al->part = p->part;
	sym->alias = al;
	return al;
}

/*
 * Find the definitions that follow in this part of the file. A name before '=' is a
 * definition wherever it stands: no operation is written so.
 */
static void scan_ahead(struct kt_parser *p)
{
	struct kt_lex lex = p->lex;
	struct kt_tok t = p->tok, next;

	p->scanned = true;
	p->scanned_part = p->part;
	lex.split = 0;
	while (t.kind != KT_T_EOF && !lex.split && !p->stop) {
		struct kt_sym *sym;

		kt_lex_next(&lex, &next);
		if ((t.kind == KT_T_HASH || t.kind == KT_T_BANG) && next.kind == '=') {
			sym = kt_parse_intern(p, lex.text + t.off, t.end - t.off);
			if (!sym)
				return;
			if (!sym->alias || sym->alias->part != p->part) {
				struct kt_alias *al = new_alias(p, sym, kt_tok_range(t));

				if (!al)
					return;
				al->body = next.end;
			}
		}
		t = next;
	}
}

static bool read_body(struct kt_parser *p, struct kt_alias *al)
{
	bool ok;

	if (!kt_parse_enter(p))
		return false;
	al->state = KT_ALIAS_BUSY;
	ok = p->alias_body(p, al);
	al->state = ok ? KT_ALIAS_DONE : KT_ALIAS_BAD;
	al->end = p->prev_end;
	kt_parse_leave(p);
	return ok;
}

struct kt_alias *kt_parse_alias_use(struct kt_parser *p)
{
	struct kt_sym *sym = kt_parse_sym(p);
	struct kt_alias *al;

	if (!sym)
		return NULL;
	if ((!sym->alias || sym->alias->part != p->part) &&
	    (!p->scanned || p->scanned_part != p->part))
		scan_ahead(p);
	al = sym->alias;
	if (!al) {
		kt_parse_error(p, kt_tok_range(p->tok), "'%.60s' is not defined", sym->text);
		return NULL;
	}
	if (al->state == KT_ALIAS_BUSY) {
		kt_parse_error(p, kt_tok_range(p->tok), "'%.60s' is defined by itself", sym->text);
		return NULL;
	}
	if (al->state == KT_ALIAS_SEEN) {
		struct kt_mark m = kt_parse_mark(p);

		kt_parse_seek(p, al->body);
		read_body(p, al);
		kt_parse_back(p, &m);
	}
	return al->state == KT_ALIAS_DONE ? al : NULL;
}

bool kt_parse_alias_def(struct kt_parser *p)
{
	struct kt_range at = kt_tok_range(p->tok);
	struct kt_sym *sym = kt_parse_sym(p);
	struct kt_alias *al;

	if (!sym)
		return false;
	al = sym->alias;
	kt_parse_advance(p);
	kt_parse_advance(p);
	if (al && al->part == p->part && al->at.off != at.off) {
		struct kt_diag *d;

		if (p->stop)
			return false;
		d = kt_parse_diag(p, at, KT_RULE_NONE, "'%.60s' is defined twice", sym->text);
		kt_diag_note(d, p->src, al->at, "first defined here");
		/* read it for its own errors */
		al = kt_parse_alloc(p, sizeof(*al));
		if (!al)
			return false;
		al->sym = sym;
		return read_body(p, al);
	}
	if (!al || al->part != p->part)
		al = new_alias(p, sym, at);
	if (!al)
		return false;
	if (al->state == KT_ALIAS_DONE && al->end) {
		kt_parse_seek(p, al->end);
		p->prev_end = al->end;
		return true;
	}
	return al->state == KT_ALIAS_BAD ? false : read_body(p, al);
}
