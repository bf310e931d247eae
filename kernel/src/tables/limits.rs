//! Sizes that the kernel sets.

/// Longest text of a filter or trigger, bytes: one write of less than a page (`event_filter_write` in
/// kernel/trace/trace_events.c, `trigger_process_regex` in trace_events_trigger.c), the smallest page being 4 KiB.
pub const FILTER_BYTES: usize = 4095;

/// Longest string or pattern in a filter, bytes: `MAX_FILTER_STR_VAL` (kernel/trace/trace.h) less its NUL.
pub const STRING_OPERAND_BYTES: usize = 255;

/// Longest number in a filter, characters: `num_buf` of `parse_pred` (kernel/trace/trace_events_filter.c) less its NUL.
pub const NUMBER_CHARS: usize = 23;

/// Bytes of a task's name with its NUL: `TASK_COMM_LEN` (include/linux/sched.h).
pub const TASK_COMM_LEN: usize = 16;

/// Bytes behind a `char *` that a filter looks at: `USTRING_BUF_SIZE` (kernel/trace/trace_events_filter.c).
pub const POINTED_TEXT_BYTES: usize = 1024;

/// Errors that an instance's `error_log` keeps: `TRACING_LOG_ERRS_MAX` (kernel/trace/trace.c).
pub const ERROR_LOG_ENTRIES: usize = 8;

/// The largest id of a task: below `PID_MAX_LIMIT` of 64-bit kernels (include/linux/threads.h).
pub const PID_MAX: u32 = 4 * 1024 * 1024 - 1;

/// Bytes of a text written to `trace_marker` that every kernel keeps: 6.1 cuts at `TRACE_BUF_SIZE`
/// (kernel/trace/trace.h), later ones further on.
pub const MARKER_BYTES: usize = 1024;
