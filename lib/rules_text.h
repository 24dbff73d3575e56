/* SPDX-License-Identifier: MIT */
/*
 * What ktctl explain says about each rule: why it is there, and two programs. The wrong
 * one breaks this rule and no other, the right one none.
 */
#ifndef KT_RULES_TEXT_H
#define KT_RULES_TEXT_H

#define KT_RULE_TEXT(id) \
	extern const char kt_why_##id[], kt_wrong_##id[], kt_right_##id[]

KT_RULE_TEXT(R1);
KT_RULE_TEXT(R2);
KT_RULE_TEXT(R3);
KT_RULE_TEXT(R4);
KT_RULE_TEXT(R5);
KT_RULE_TEXT(R6);
KT_RULE_TEXT(R7);
KT_RULE_TEXT(R8);
KT_RULE_TEXT(R9);
KT_RULE_TEXT(R10);
KT_RULE_TEXT(R11);
KT_RULE_TEXT(R12);
KT_RULE_TEXT(R13);
KT_RULE_TEXT(R14);
KT_RULE_TEXT(K1);
KT_RULE_TEXT(K2);
KT_RULE_TEXT(K3);
KT_RULE_TEXT(K4);
KT_RULE_TEXT(K5);
KT_RULE_TEXT(K6);
KT_RULE_TEXT(K7);
KT_RULE_TEXT(K8);
KT_RULE_TEXT(K9);
KT_RULE_TEXT(K10);
KT_RULE_TEXT(K11);
KT_RULE_TEXT(K12);
KT_RULE_TEXT(K13);

#undef KT_RULE_TEXT

#endif /* KT_RULES_TEXT_H */
