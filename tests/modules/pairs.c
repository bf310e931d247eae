// SPDX-License-Identifier: GPL-2.0
/*
 * Fires the tracepoint of pairs.trc once for each write to the parameter: the words, 16 bytes of the name, and the text,
 * as hexadecimal digits.
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pairs_trace.h"

struct values {
	u64 words[10];
	char name[16];
	char text[1024];
};

static int fire(const char *value, const struct kernel_param *parameter)
{
	size_t digits = strcspn(value, "\n");
	struct values *values;
	int error = -EINVAL;

	/* The last byte of the text stays NUL. */
	if (digits % 2 || digits / 2 >= sizeof(*values))
		return -EINVAL;
	values = kzalloc(sizeof(*values), GFP_KERNEL);
	if (!values)
		return -ENOMEM;
	if (!hex2bin((u8 *)values, value, digits / 2)) {
		trace_pair(values->words, values->text, values->name);
		error = 0;
	}
	kfree(values);
	return error;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fires the tracepoint");
