// SPDX-License-Identifier: GPL-2.0
/* Fires the tracepoints of forms.trc: one round for each write to the parameter. */
#include <linux/module.h>

#include "forms_trace.h"

/* How many tracepoints with functions have a probe. */
static int watched;
module_param(watched, int, 0444);
MODULE_PARM_DESC(watched, "tracepoints with functions that have a probe");

int forms_registered(void)
{
	watched++;
	return 0;
}

void forms_unregistered(void)
{
	watched--;
}

static int fire(const char *value, const struct kernel_param *parameter)
{
	static const struct kernel_param nobody;
	static char name[] = "n";
	static u8 bytes[16] __aligned(8) = "abcdefgh";
	int a;

	for (a = 1; a <= 21; a += 20) {
		trace_plain(a, name);
		trace_printed(a, name);
		trace_chosen(a, name);
		trace_hooked(a, name);
		trace_chosen_printed(a, name);
		trace_hooked_printed(a, name);
		trace_chosen_hooked(a, name);
		trace_all_of_it(a + 1, name);
		trace_lone(a);
		trace_lone_chosen(a);
		trace_lone_hooked(a);
		trace_lone_both(a);
	}
	trace_plain_text(1);
	trace_silent(1);
	trace_derived(1, name, NULL);
	trace_stated(4);
	trace_nameless(NULL);
	trace_nameless("much too long");
	trace_unnamed(&nobody);
	trace_unnamed(parameter);
	trace_counted(bytes, (unsigned long *)bytes, 2, 1);
	trace_counted(bytes, (unsigned long *)bytes, -1, 9);
	trace_counted(bytes, (unsigned long *)bytes, -70000, U64_MAX);
	trace_numbers(U32_MAX, 2, -1, -2);
	/* The condition leaves these out. */
	trace_numbers(8, 2, -1, -2);
	trace_numbers(U32_MAX, 0, 1, 2);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fires each tracepoint");
