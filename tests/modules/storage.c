// SPDX-License-Identifier: GPL-2.0
/* Fires the tracepoints of examples/storage.trc: one round for each write to the parameter. */
#include <linux/blk-mq.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "storage_trace.h"

/* What the tracepoints follow: a request of a disk. */
struct mock {
	struct gendisk disk;
	struct request_queue queue;
	struct request request;
};

static int fire(const char *value, const struct kernel_param *parameter)
{
	struct mock *mock = kzalloc(sizeof(*mock), GFP_KERNEL);

	if (!mock)
		return -ENOMEM;
	mock->disk.major = 8;
	mock->disk.first_minor = 16;
	strscpy(mock->disk.disk_name, "sdb", sizeof(mock->disk.disk_name));
	mock->queue.disk = &mock->disk;
	mock->request.q = &mock->queue;
	mock->request.__sector = 2048;
	mock->request.cmd_flags = 5;

	trace_rq_issue(&mock->request, 4096, 0);
	trace_rq_done(&mock->request, 4096, 1);
	trace_rq_slow(&mock->request, 4096, 0);
	trace_rq_slow(&mock->request, 2097152, 0);
	trace_queue_full(&mock->queue, 7);
	kfree(mock);
	return 0;
}

static const struct kernel_param_ops fire_ops = { .set = fire };
module_param_cb(fire, &fire_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "fires each tracepoint");
