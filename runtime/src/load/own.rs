//! The id of this process as programs see it, in the first PID namespace.
//!
//! A process in a container does not know it. A program of three instructions does: the kernel runs it once in the task
//! that asks for that (`bpf_prog_test_run_raw_tp`, since 5.10).

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libbpf_rs::libbpf_sys::{
    BPF_PROG_TYPE_RAW_TRACEPOINT, bpf_insn, bpf_prog_load, bpf_prog_test_run_opts, bpf_test_run_opts,
};

/// `call bpf_get_current_pid_tgid`, `r0 >>= 32`, `exit` (include/uapi/linux/bpf.h).
const CODE: [(u8, i32); 3] = [(0x85, 14), (0x77, 32), (0x95, 0)];

/// Returns the id of the process that runs this.
///
/// # Errors
/// The error of bpf(2): the program cannot be loaded or run.
pub(super) fn process() -> io::Result<u32> {
    let code = CODE.map(|(code, imm)| bpf_insn { code, imm, ..bpf_insn::default() });
    // SAFETY: the names end in NUL, there are as many instructions as is said, and without options the pointer
    // may be NULL; nothing is written behind it.
    let program = unsafe {
        bpf_prog_load(
            BPF_PROG_TYPE_RAW_TRACEPOINT,
            c"tracec_own".as_ptr(),
            c"GPL".as_ptr(),
            code.as_ptr(),
            code.len() as _,
            std::ptr::null_mut(),
        )
    };
    if program < 0 {
        return Err(io::Error::from_raw_os_error(-program));
    }
    // SAFETY: the descriptor is new and belongs to nobody else.
    let program = unsafe { OwnedFd::from_raw_fd(program) };
    let mut run =
        bpf_test_run_opts { sz: size_of::<bpf_test_run_opts>() as _, ..bpf_test_run_opts::default() };
    // SAFETY: the struct has the size that it says, and without data or a context its pointers are NULL.
    let result = unsafe { bpf_prog_test_run_opts(program.as_raw_fd(), &raw mut run) };
    if result < 0 { Err(io::Error::from_raw_os_error(-result)) } else { Ok(run.retval) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn process_is_that_of_the_first_namespace() {
        let own = match process() {
            Ok(own) => own,
            Err(error) => return println!("SKIPPED: no program can be loaded: {error}"),
        };
        // In another namespace it has another id, of which nothing is known here.
        let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap();
        match namespace.to_str() {
            Some("pid:[4026531836]") => assert_eq!(own, std::process::id()),
            _ => assert_ne!(own, 0),
        }
    }
}
