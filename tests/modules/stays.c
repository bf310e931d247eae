// SPDX-License-Identifier: GPL-2.0
/* A module with an init function and no exit function stays loaded until the machine restarts. */
#include <linux/module.h>

#include "stays_trace.h"

static int __init stays_init(void)
{
	trace_fired(1);
	return 0;
}
module_init(stays_init);
