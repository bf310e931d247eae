//! Functions of the kernel that BPF programs call: `___BPF_FUNC_MAPPER` (include/uapi/linux/bpf.h).

/// A helper function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Helper {
    /// The name, as bpf-helpers(7) has it.
    pub name: &'static str,
    /// The number by which an instruction calls it.
    pub number: i32,
    /// How many arguments it takes.
    pub arguments: usize,
}

/// Finds a key in a map; the address of its value, or NULL.
pub const MAP_LOOKUP_ELEM: Helper = helper("bpf_map_lookup_elem", 1, 2);
/// The monotonic clock in nanoseconds, without the time that the machine was suspended.
pub const KTIME_GET_NS: Helper = helper("bpf_ktime_get_ns", 5, 0);
/// The number of the CPU.
pub const GET_SMP_PROCESSOR_ID: Helper = helper("bpf_get_smp_processor_id", 8, 0);
/// The process id in the high half, the thread id in the low one.
pub const GET_CURRENT_PID_TGID: Helper = helper("bpf_get_current_pid_tgid", 14, 0);
/// Copies the name of the task, with its NUL.
pub const GET_CURRENT_COMM: Helper = helper("bpf_get_current_comm", 16, 2);
/// Copies bytes of the task's memory; 0, or a negative error number.
pub const PROBE_READ_USER: Helper = helper("bpf_probe_read_user", 112, 3);
/// Copies bytes of the kernel's memory; 0, or a negative error number.
pub const PROBE_READ_KERNEL: Helper = helper("bpf_probe_read_kernel", 113, 3);
/// Copies a text of the task's memory; its length with the NUL, or a negative error number.
pub const PROBE_READ_USER_STR: Helper = helper("bpf_probe_read_user_str", 114, 3);
/// Copies a text of the kernel's memory; its length with the NUL, or a negative error number.
pub const PROBE_READ_KERNEL_STR: Helper = helper("bpf_probe_read_kernel_str", 115, 3);
/// The clock that counts the time that the machine was suspended too, in nanoseconds.
pub const KTIME_GET_BOOT_NS: Helper = helper("bpf_ktime_get_boot_ns", 125, 0);
/// Copies bytes into a ring buffer; 0, or a negative error number.
pub const RINGBUF_OUTPUT: Helper = helper("bpf_ringbuf_output", 130, 4);
/// Reserves bytes of a ring buffer; their address, or NULL.
pub const RINGBUF_RESERVE: Helper = helper("bpf_ringbuf_reserve", 131, 3);
/// Gives reserved bytes to the reader.
pub const RINGBUF_SUBMIT: Helper = helper("bpf_ringbuf_submit", 132, 2);
/// The address of the function at whose kprobe or kretprobe a program runs; 0 where that is not known.
pub const GET_FUNC_IP: Helper = helper("bpf_get_func_ip", 173, 1);
/// Copies the value that a function returns, for a program where it does; 0, or a negative error number.
pub const GET_FUNC_RET: Helper = helper("bpf_get_func_ret", 184, 2);
/// The international atomic time in nanoseconds.
pub const KTIME_GET_TAI_NS: Helper = helper("bpf_ktime_get_tai_ns", 208, 0);

/// All helpers that programs of this project call.
pub const ALL: &[Helper] = &[
    MAP_LOOKUP_ELEM,
    KTIME_GET_NS,
    GET_SMP_PROCESSOR_ID,
    GET_CURRENT_PID_TGID,
    GET_CURRENT_COMM,
    PROBE_READ_USER,
    PROBE_READ_KERNEL,
    PROBE_READ_USER_STR,
    PROBE_READ_KERNEL_STR,
    KTIME_GET_BOOT_NS,
    RINGBUF_OUTPUT,
    RINGBUF_RESERVE,
    RINGBUF_SUBMIT,
    GET_FUNC_IP,
    GET_FUNC_RET,
    KTIME_GET_TAI_NS,
];

const fn helper(name: &'static str, number: i32, arguments: usize) -> Helper {
    Helper { name, number, arguments }
}

/// Returns the helper with this number.
pub fn find(number: i32) -> Option<&'static Helper> {
    ALL.iter().find(|helper| helper.number == number)
}

/// Returns the names of all helpers.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|helper| helper.name)
}
