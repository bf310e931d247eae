// SPDX-License-Identifier: GPL-2.0
/* Fires the tracepoints of seeds.trc: one round for each write to the parameter. */
#include <linux/module.h>
#include <linux/slab.h>

#include "seeds_trace.h"

int seeds_watch(void)
{
	return 0;
}

void seeds_unwatch(void)
{
}

static void switches(struct task_struct *from, struct task_struct *to)
{
	strscpy(from->comm, "from", sizeof(from->comm));
	from->pid = 10;
	from->prio = 120;
	strscpy(to->comm, "to", sizeof(to->comm));
	to->pid = 20;
	to->prio = 100;
	trace_seed_switch(NULL, from, to);
	from->__state = 3;
	trace_seed_switch(NULL, from, to);
	trace_seed_wakeup(NULL, to, 1);
	trace_seed_wakeup_new(NULL, to, 0);
}

static void calls(void)
{
	struct pt_regs regs = { .di = 1, .si = 2, .dx = 3, .r10 = 4, .r8 = 5, .r9 = 0xffff, .orig_ax = 60 };

	trace_seed_enter(&regs, 60);
	trace_seed_exit(&regs, -2);
}

static int fire(const char *value, const struct kernel_param *parameter)
{
	struct task_struct *tasks = kcalloc(2, sizeof(*tasks), GFP_KERNEL);

	if (!tasks)
		return -ENOMEM;
	switches(&tasks[0], &tasks[1]);
	calls();
	kfree(tasks);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fires each tracepoint");
