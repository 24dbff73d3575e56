// SPDX-License-Identifier: MIT
/*
 * Tokens.
 */
#include "lex.h"
#include "../tap.h"

struct want {
	uint8_t kind;
	const char *text;
};

/* All tokens of a text, up to KT_T_EOF, which ends @want. */
static void tokens(const char *text, const struct want *want, int line)
{
	struct kt_source src;
	struct kt_lex lex;
	struct kt_tok t;
	unsigned int i = 0, bad = 0;

	kt_source_init(&src, "t", text, strlen(text));
	kt_lex_init(&lex, src.text, (uint32_t)src.len);
	do {
		kt_lex_next(&lex, &t);
		if (t.kind != want[i].kind || (want[i].text &&
		    (strlen(want[i].text) != t.end - t.off ||
		     memcmp(src.text + t.off, want[i].text, t.end - t.off)))) {
			diag("token %u: kind %u '%.*s', want %u '%s'", i, t.kind,
			     (int)(t.end - t.off), src.text + t.off, want[i].kind,
			     want[i].text ? want[i].text : "");
			bad++;
		}
	} while (t.kind && want[i++].kind);
	ok(!bad && !t.kind, "tokens of line %d", line);
	kt_source_fini(&src);
}

#define TOKENS(text, ...) \
	tokens(text, (const struct want[]){ __VA_ARGS__, { 0, "" } }, __LINE__)

static void test_names(void)
{
	TOKENS("arith.constant _x$1", { KT_T_IDENT, "arith.constant" }, { KT_T_IDENT, "_x$1" });
	TOKENS("%a-b %0 %12x %r:2", { KT_T_VALUE, "%a-b" }, { KT_T_VALUE, "%0" },
	       { KT_T_VALUE, "%12" }, { KT_T_IDENT, "x" }, { KT_T_VALUE, "%r" }, { ':', ":" },
	       { KT_T_INT, "2" });
	TOKENS("%a->", { KT_T_VALUE, "%a" }, { KT_T_ARROW, "->" });
	TOKENS("%a--> %a_->", { KT_T_VALUE, "%a-" }, { KT_T_ARROW, "->" },
	       { KT_T_VALUE, "%a_" }, { KT_T_ARROW, "->" });
	TOKENS("%r#1 #map #ktdp.memory_space<ct_local>", { KT_T_VALUE, "%r" },
	       { KT_T_RESULT, "#1" }, { KT_T_HASH, "#map" }, { KT_T_HASH, "#ktdp.memory_space" },
	       { '<', "<" }, { KT_T_IDENT, "ct_local" }, { '>', ">" });
	TOKENS("!t ^bb0 @f @\"a b\"", { KT_T_BANG, "!t" }, { KT_T_CARET, "^bb0" },
	       { KT_T_AT, "@f" }, { KT_T_AT, "@\"a b\"" });
	TOKENS("a_name_of_more_than_sixteen_bytes.and.more(",
	       { KT_T_IDENT, "a_name_of_more_than_sixteen_bytes.and.more" }, { '(', "(" });
	TOKENS("exactly16bytes__ exactly_17_bytes_", { KT_T_IDENT, "exactly16bytes__" },
	       { KT_T_IDENT, "exactly_17_bytes_" });
}

/* All bytes, each behind and in front of a name: exactly letters, digits and _$. go on. */
static void test_name_bytes(void)
{
	unsigned int c, bad = 0;
	char text[64] = "abc?def";
	struct kt_lex lex;
	struct kt_tok t;

	for (c = 1; c < 256; c++) {
		bool in = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			  (c >= '0' && c <= '9') || c == '_' || c == '$' || c == '.';

		text[3] = (char)c;
		kt_lex_init(&lex, text, 7);
		kt_lex_next(&lex, &t);
		bad += t.kind != KT_T_IDENT || t.end != (in ? 7 : 3);
		text[0] = '%';
		kt_lex_init(&lex, text, 7);
		kt_lex_next(&lex, &t);
		bad += t.kind != KT_T_VALUE || t.end != (in || c == '-' ? 7 : 3);
		text[0] = 'a';
	}
	is_u64(bad, 0, "bytes that end or do not end a name");
}

static void test_numbers(void)
{
	TOKENS("0 12 0x1F 1.5 1. 1.0e-5 2.e 1e5", { KT_T_INT, "0" }, { KT_T_INT, "12" },
	       { KT_T_INT, "0x1F" }, { KT_T_FLOAT, "1.5" }, { KT_T_FLOAT, "1." },
	       { KT_T_FLOAT, "1.0e-5" }, { KT_T_FLOAT, "2." }, { KT_T_IDENT, "e" },
	       { KT_T_INT, "1" }, { KT_T_IDENT, "e5" });
	TOKENS("4x64xf16 0xg", { KT_T_INT, "4" }, { KT_T_IDENT, "x64xf16" }, { KT_T_INT, "0" },
	       { KT_T_IDENT, "xg" });
}

static void test_punctuation(void)
{
	TOKENS("->>=<==== :: - >", { KT_T_ARROW, "->" }, { KT_T_GE, ">=" }, { KT_T_LE, "<=" },
	       { KT_T_EQEQ, "==" }, { '=', "=" }, { KT_T_COLONS, "::" }, { '-', "-" },
	       { '>', ">" });
	TOKENS("(){}[]<>,:=+-*?|;./", { '(', 0 }, { ')', 0 }, { '{', 0 }, { '}', 0 }, { '[', 0 },
	       { ']', 0 }, { '<', 0 }, { '>', 0 }, { ',', 0 }, { ':', 0 }, { '=', 0 },
	       { '+', 0 }, { '-', 0 }, { '*', 0 }, { '?', 0 }, { '|', 0 }, { ';', 0 },
	       { '.', 0 }, { '/', 0 });
}

static void test_strings(void)
{
	TOKENS("\"a\\\"b\" x", { KT_T_STRING, "\"a\\\"b\"" }, { KT_T_IDENT, "x" });
	TOKENS("\"open\nx", { KT_T_BAD, "\"open" }, { KT_T_IDENT, "x" });
	TOKENS("\"end\\", { KT_T_BAD, "\"end\\" });
	TOKENS("@\"open", { KT_T_BAD, NULL });
}

static void test_blanks(void)
{
	TOKENS(" \t\r\n // words\n//\n  a // end", { KT_T_IDENT, "a" });
	TOKENS("a                        b         c", { KT_T_IDENT, "a" }, { KT_T_IDENT, "b" },
	       { KT_T_IDENT, "c" });
	TOKENS("", { 0, "" });
	TOKENS("// only a comment", { 0, "" });
}

static void test_bad(void)
{
	struct kt_lex lex;
	struct kt_tok t;

	TOKENS("a & b", { KT_T_IDENT, "a" }, { KT_T_BAD, "&" }, { KT_T_IDENT, "b" });
	TOKENS("% #", { KT_T_BAD, "%" }, { KT_T_BAD, "#" });
	TOKENS("\xc3\xa9 a", { KT_T_BAD, "\xc3\xa9" }, { KT_T_IDENT, "a" });
	kt_lex_init(&lex, "a\0b\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 3);
	kt_lex_next(&lex, &t);
	kt_lex_next(&lex, &t);
	ok(t.kind == KT_T_BAD && t.off == 1, "a zero byte in the text");
	is_str(lex.problem, "a zero byte", "is named");
	kt_lex_next(&lex, &t);
	ok(t.kind == KT_T_IDENT && t.off == 2, "reading goes on behind it");
}

static void test_lines(void)
{
	static const char text[] = "a b\nc // x\n d\n// -----\ne\n  // -----  \r\n// ----- f\n\0"
				   "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0";
	static const bool first[] = { true, false, true, true, true };
	struct kt_lex lex;
	struct kt_tok t;
	unsigned int i, bad = 0;
	uint32_t split;

	kt_lex_init(&lex, text, (uint32_t)strlen(text));
	for (i = 0; i < 5; i++) {
		kt_lex_next(&lex, &t);
		bad += t.first != first[i];
		if (i == 3)
			bad += lex.split;
	}
	is_u64(bad, 0, "firsts of their lines; the split before the fifth");
	split = lex.split;
	kt_lex_next(&lex, &t);
	ok(lex.split > split && t.kind == KT_T_EOF, "a split line may be indented, not continued");
}

int main(void)
{
	test_names();
	test_name_bytes();
	test_numbers();
	test_punctuation();
	test_strings();
	test_blanks();
	test_bad();
	test_lines();
	return done_testing();
}
