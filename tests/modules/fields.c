// SPDX-License-Identifier: GPL-2.0
/* Fires the tracepoints of every kind of field: one round for each write to the parameter. */
#include <linux/cpumask.h>
#include <linux/in.h>
#include <linux/in6.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "fields_trace.h"

/* 192.0.2.1, port 80, in the storage of an address of any family. */
static struct sockaddr_storage from;
static u8 bytes[64];
static unsigned long map[2] = { 0xff, 1 };
static struct cpumask mask;
static char text[] = "abcdef";

static void prepare(void)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&from;
	int i;

	in->sin_family = AF_INET;
	in->sin_port = htons(80);
	in->sin_addr.s_addr = htonl(0xc0000201);
	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i;
	cpumask_clear(&mask);
	cpumask_set_cpu(1, &mask);
}

static __printf(3, 4) void say(int level, const char *prefix, const char *format, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, format);
	vaf.fmt = format;
	vaf.va = &args;
	trace_warned(&vaf, level, prefix);
	trace_reported(&vaf, level, prefix);
	trace_formatted_alone(&vaf, &vaf, text);
	va_end(args);
}

static int fire(const char *value, const struct kernel_param *parameter)
{
	struct task_struct *task = kzalloc(sizeof(*task), GFP_KERNEL);
	static const long states[] = { 0, 3, 0x100 };
	u32 kind;

	if (!task)
		return -ENOMEM;
	prepare();
	trace_numbers(7);
	trace_addresses(NULL, NULL, (struct in6_addr *)&from, &from);
	trace_arrays(bytes, 3, text, &mask);
	trace_counted(map, 72, (struct sockaddr *)&from, sizeof(struct sockaddr_in), (u8 *)text, 3);
	say(4, "disk", "%s: %d of %d", "sdb", 3, 5);
	trace_dumped(bytes, 20);
	trace_timed(1500000042ULL, -2000000007LL, 5);
	strscpy(task->comm, "prev", sizeof(task->comm));
	for (kind = 0; kind < ARRAY_SIZE(states); kind++)
		trace_switched(task, states[kind], kind * 5);
	kfree(task);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fires each tracepoint");
