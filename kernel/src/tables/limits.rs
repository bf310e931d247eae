//! Limits of the kernel.

use super::header_fields;

/// Longest text of a filter or trigger, bytes: one write of less than a page (`event_filter_write` in
/// kernel/trace/trace_events.c, `trigger_process_regex` in trace_events_trigger.c), the smallest page being 4 KiB.
pub const FILTER_BYTES: usize = 4095;

/// Longest string or pattern in a filter, bytes: `MAX_FILTER_STR_VAL` (kernel/trace/trace.h) less its NUL.
pub const STRING_OPERAND_BYTES: usize = 255;

/// Longest number in a filter, characters: `num_buf` of `parse_pred` (kernel/trace/trace_events_filter.c) less its NUL.
pub const NUMBER_CHARS: usize = 23;

/// Bytes of a task's name with its NUL: `TASK_COMM_LEN` (include/linux/sched.h).
pub const TASK_COMM_LEN: usize = 16;

/// Bytes of the longest text in a record with its NUL: a `__data_loc` has 16 bits for the length
/// (include/trace/stages/stage2_data_offsets.h).
pub const RECORDED_TEXT_BYTES: usize = 65_535;

/// Bytes that a filter reads at a `char *`: `USTRING_BUF_SIZE` (kernel/trace/trace_events_filter.c).
pub const POINTED_TEXT_BYTES: usize = 1024;

/// The largest id of a task: below `PID_MAX_LIMIT` of 64-bit kernels (include/linux/threads.h).
pub const PID_MAX: u32 = 4 * 1024 * 1024 - 1;

/// Bytes of a string written to `trace_marker` that every kernel keeps: 6.1 cuts it at `TRACE_BUF_SIZE`
/// (kernel/trace/trace.h), later ones at a greater length.
pub const MARKER_BYTES: usize = 1024;
/// Longest name of a dynamic event and of its group: `MAX_EVENT_NAME_LEN` (kernel/trace/trace.h) less its NUL.
pub const EVENT_NAME_CHARS: usize = 63;

/// Longest name of a probe's field: `MAX_ARG_NAME_LEN` (kernel/trace/trace_probe.h) less its NUL.
pub const PROBE_FIELD_CHARS: usize = 31;

/// Most fields of a probe: `MAX_TRACE_ARGS` (kernel/trace/trace_probe.h).
pub const PROBE_FIELDS: usize = 128;

/// Longest fetch argument, `:TYPE` counted: `MAX_ARGSTR_LEN` (kernel/trace/trace_probe.h).
pub const FETCH_CHARS: usize = 63;

/// Most elements of an array that a probe fetches: `MAX_ARRAY_LEN` (kernel/trace/trace_probe.h).
pub const FETCH_ELEMENTS: u64 = 64;

/// Most dereferences in a fetch argument: `FETCH_INSN_MAX` (kernel/trace/trace_probe.h) less the instructions for the
/// first value and the end.
pub const FETCH_DEREFERENCES: usize = 14;

/// Largest number after `$stack` and `$arg`: `PARAM_MAX_STACK` (kernel/trace/trace_probe.h), in eight-byte words.
pub const FETCH_STACK_WORDS: u64 = 16_384 / 8;

/// Largest record of a probe, without its header: `MAX_PROBE_EVENT_SIZE` (kernel/trace/trace_probe.h).
pub const PROBE_RECORD_BYTES: u32 = 3072;

/// Largest record that fits a sub-buffer of 4 KiB, less its header of 16 bytes and the 8 bytes of the record's own
/// (`rb_subbuf_capacity`, `max_data_size` in kernel/trace/ring_buffer.c).
pub const RECORD_BYTES: u32 = 4096 - 16 - 8;

/// The size of a ring that nobody has set, in KiB for each CPU: `TRACE_BUF_SIZE_DEFAULT` (kernel/trace/trace.c).
pub const RING_KIB: u64 = 1408;

/// Largest record that a BPF program at a tracepoint sees: `PERF_MAX_TRACE_SIZE` (include/linux/trace_events.h), beyond which
/// `perf_trace_buf_alloc` gives it none.
pub const PROGRAM_RECORD_BYTES: u32 = 8192;

/// Bytes of a record that such a program does not see: the address of the registers is there
/// (`perf_trace_run_bpf_submit`, include/linux/trace_events.h).
pub const PROGRAM_HIDDEN_BYTES: u32 = 8;

/// Bytes of the stack of a BPF program: `MAX_BPF_STACK` (include/linux/filter.h).
pub const PROGRAM_STACK_BYTES: u32 = 512;

/// Instructions of a BPF program that the verifier walks through, with the rounds of loops:
/// `BPF_COMPLEXITY_LIMIT_INSNS` (include/linux/bpf.h).
pub const PROGRAM_WALKED: u64 = 1_000_000;

/// Bytes of the largest set of CPUs: of 8,192 (`NR_CPUS_RANGE_END`, arch/x86/Kconfig).
pub const CPUMASK_BYTES: u32 = 1024;

/// Most arguments of a tracepoint or function that a BPF program gets: `MAX_BPF_FUNC_ARGS` (include/linux/bpf.h).
pub const BPF_ARGUMENTS: usize = 12;

/// Bytes of the common header of a record, where the format is not known: `struct trace_entry`
/// (include/linux/trace_events.h).
pub const COMMON_HEADER_BYTES: u32 = header_fields::bytes(header_fields::COMMON);
/// Bytes of a line of trace output (`TRACE_SEQ_SIZE`, include/linux/trace_seq.h, with pages of 4 KiB); longer ones are
/// cut off.
pub const SEQUENCE_BYTES: usize = 8192;
/// Greatest depth of a `print fmt` that the parser accepts: the deepest of any known kernel is below 30, and code that
/// walks the tree may recurse.
pub const PRINT_FMT_DEPTH: u16 = 256;

/// The largest number of tasks whose names the kernel remembers: `PID_MAX_DEFAULT` (include/linux/threads.h).
pub const CMDLINES: u64 = 32768;

/// The smallest page, KiB: a sub-buffer has a power of two of pages.
pub const SUBBUFFER_PAGE_KIB: u64 = 4;

/// The largest sub-buffer of a kernel with pages of 4 KiB, in KiB: 128 pages (`ring_buffer_subbuf_order_set`,
/// kernel/trace/ring_buffer.c).
pub const SUBBUFFER_KIB: u64 = 512;
