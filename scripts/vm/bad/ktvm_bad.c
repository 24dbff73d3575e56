// SPDX-License-Identifier: GPL-2.0
/*
 * A module that misbehaves on request, to see that the test machine notices.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *what = "nothing";
module_param(what, charp, 0444);
MODULE_PARM_DESC(what, "nothing, warn, bug, panic, leak, uaf, bounds or locks");

static DEFINE_SPINLOCK(lock_a);
static DEFINE_SPINLOCK(lock_b);

static void leak(void)
{
	void *p;
	int i;

	/* Several: a stale pointer on a stack may hide one of them. */
	for (i = 0; i < 16; i++) {
		p = kmalloc(1234, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(p);
	}
}

static void use_after_free(void)
{
	char *p = kmalloc(64, GFP_KERNEL);

	if (!p)
		return;
	kfree(p);
	OPTIMIZER_HIDE_VAR(p);
	WRITE_ONCE(*p, 1);
}

static void index_too_far(void)
{
	static int few[4];
	int i = ARRAY_SIZE(few);

	OPTIMIZER_HIDE_VAR(i);
	pr_info("ktvm_bad: %d\n", few[i]);
}

/* Never deadlocks, but two processors doing this could. */
static void locks_in_both_orders(void)
{
	spin_lock(&lock_a);
	spin_lock(&lock_b);
	spin_unlock(&lock_b);
	spin_unlock(&lock_a);

	spin_lock(&lock_b);
	spin_lock(&lock_a);
	spin_unlock(&lock_a);
	spin_unlock(&lock_b);
}

static int __init ktvm_bad_init(void)
{
	if (!strcmp(what, "warn"))
		WARN(1, "ktvm_bad was asked to warn\n");
	else if (!strcmp(what, "bug"))
		BUG();
	else if (!strcmp(what, "panic"))
		panic("ktvm_bad was asked to");
	else if (!strcmp(what, "leak"))
		leak();
	else if (!strcmp(what, "uaf"))
		use_after_free();
	else if (!strcmp(what, "bounds"))
		index_too_far();
	else if (!strcmp(what, "locks"))
		locks_in_both_orders();
	else if (strcmp(what, "nothing"))
		return -EINVAL;
	return 0;
}

static void __exit ktvm_bad_exit(void)
{
}

module_init(ktvm_bad_init);
module_exit(ktvm_bad_exit);
MODULE_DESCRIPTION("Misbehaves on request");
MODULE_LICENSE("GPL");
