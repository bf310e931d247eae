//! Programs in the kernel: bpf(2), and the moment in which they run.

use std::ffi::c_long;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use tracec_compiler::target::bpf::Filter;

use crate::bytes::USER_TEXT;

const MAP_CREATE: c_long = 0;
const MAP_UPDATE_ELEM: c_long = 2;
const PROG_LOAD: c_long = 5;
const PROG_TEST_RUN: c_long = 10;
const MAP_FREEZE: c_long = 22;

/// `BPF_MAP_TYPE_ARRAY` and `BPF_MAP_TYPE_PERCPU_ARRAY`.
const ARRAY: u32 = 2;
const PERCPU_ARRAY: u32 = 6;
/// `BPF_F_RDONLY_PROG`.
const READ_ONLY: u32 = 1 << 7;
/// `BPF_F_SLEEPABLE`: programs that a system call runs have to be.
const SLEEPABLE: u32 = 1 << 4;

/// Bytes of `union bpf_attr` that are used here.
const ATTRIBUTES: usize = 144;

/// What follows a record in memory: no NUL.
const BEHIND: [u8; 64] = [b'a'; 64];

/// How a program is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// At a tracepoint.
    Tracepoint,
    /// By a system call, with any context.
    Syscall,
}

/// The arguments of a call, by their offsets.
struct Attributes([u8; ATTRIBUTES]);

impl Attributes {
    fn new() -> Attributes {
        Attributes([0; ATTRIBUTES])
    }

    fn word(mut self, at: usize, value: u32) -> Attributes {
        self.0[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        self
    }

    fn long(mut self, at: usize, value: u64) -> Attributes {
        self.0[at..at + 8].copy_from_slice(&value.to_ne_bytes());
        self
    }

    fn call(&mut self, command: c_long) -> io::Result<c_long> {
        // SAFETY: the kernel reads and writes as many bytes as the last argument says; the addresses in them are of
        // memory that the callers hold.
        let result = unsafe { libc::syscall(libc::SYS_bpf, command, self.0.as_mut_ptr(), ATTRIBUTES) };
        if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
    }

    fn descriptor(mut self, command: c_long) -> io::Result<OwnedFd> {
        let fd = self.call(command)?;
        // SAFETY: the descriptor is new.
        Ok(unsafe { OwnedFd::from_raw_fd(fd as i32) })
    }
}

/// Returns whether a program can be loaded.
pub(crate) fn is_possible() -> Result<(), String> {
    map(ARRAY, 8, 0).map(drop).map_err(|error| error.to_string())
}

fn map(kind: u32, value: u32, flags: u32) -> io::Result<OwnedFd> {
    let attributes = Attributes::new().word(0, kind).word(4, 4).word(8, value).word(12, 1).word(16, flags);
    attributes.descriptor(MAP_CREATE)
}

/// A program in the kernel.
pub(crate) struct Loaded {
    program: OwnedFd,
    _maps: [OwnedFd; 2],
}

impl Loaded {
    /// Loads a program.
    ///
    /// # Errors
    /// The log of the verifier.
    pub(crate) fn new(filter: &Filter, kind: Kind) -> Result<Loaded, String> {
        let failed = |error: io::Error| error.to_string();
        let constants = map(ARRAY, filter.constants.len() as u32, READ_ONLY).map_err(failed)?;
        let key = 0_u32;
        Attributes::new()
            .word(0, constants.as_raw_fd() as u32)
            .long(8, &raw const key as u64)
            .long(16, filter.constants.as_ptr() as u64)
            .call(MAP_UPDATE_ELEM)
            .map_err(failed)?;
        Attributes::new().word(0, constants.as_raw_fd() as u32).call(MAP_FREEZE).map_err(failed)?;
        let memory = map(PERCPU_ARRAY, filter.memory_bytes, 0).map_err(failed)?;
        let mut bytes = filter.bytes.clone();
        for (places, fd) in [(&filter.constant_addresses, &constants), (&filter.memory_maps, &memory)] {
            for at in places {
                bytes[8 * at + 4..8 * at + 8].copy_from_slice(&fd.as_raw_fd().to_ne_bytes());
            }
        }
        let (number, flags) = match kind {
            Kind::Tracepoint => (5, 0),
            Kind::Syscall => (31, SLEEPABLE),
        };
        let load = |log: &mut [u8]| {
            Attributes::new()
                .word(0, number)
                .word(4, bytes.len() as u32 / 8)
                .long(8, bytes.as_ptr() as u64)
                .long(16, c"Dual MIT/GPL".as_ptr() as u64)
                .word(24, u32::from(!log.is_empty()))
                .word(28, log.len() as u32)
                .long(32, if log.is_empty() { 0 } else { log.as_mut_ptr() as u64 })
                .word(44, flags)
                .descriptor(PROG_LOAD)
        };
        match load(&mut []) {
            Ok(program) => Ok(Loaded { program, _maps: [constants, memory] }),
            Err(error) => {
                let mut log = vec![0; 1 << 24];
                let _ = load(&mut log);
                let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
                let text = String::from_utf8_lossy(&log[..end]);
                let lines: Vec<&str> = text.lines().collect();
                Err(format!("{error}\n{}", lines[lines.len().saturating_sub(60)..].join("\n")))
            }
        }
    }

    /// Runs the program on a record and returns what it returns.
    pub(crate) fn run(&self, record: &[u8]) -> u32 {
        let mut context = record.to_vec();
        // The first 8 bytes hold something else.
        context[..8].fill(0x5a);
        context.extend(BEHIND);
        let mut attributes = Attributes::new()
            .word(0, self.program.as_raw_fd() as u32)
            .word(40, context.len() as u32)
            .long(48, context.as_ptr() as u64);
        attributes.call(PROG_TEST_RUN).expect("it runs");
        u32::from_ne_bytes(attributes.0[4..8].try_into().expect("four bytes"))
    }
}

impl AsFd for Loaded {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.program.as_fd()
    }
}

/// Where and as whom programs run.
pub(crate) struct Here {
    pub(crate) cpu: u32,
    pub(crate) pid: i32,
    pub(crate) tgid: i32,
}

impl Here {
    /// Keeps the thread on one CPU. The ids are those of the first namespace, as a program sees them.
    pub(crate) fn pinned() -> Here {
        // SAFETY: the set is zeroed and then filled by the macro's function.
        let cpu = unsafe {
            let cpu = libc::sched_getcpu();
            let mut set: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu as usize, &mut set);
            assert_eq!(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set), 0);
            cpu as u32
        };
        // call bpf_get_current_pid_tgid; r0 >>= 32 or not; exit
        let call = [0x85, 0, 0, 0, 14, 0, 0, 0];
        let shift = [0x77, 0, 0, 0, 32, 0, 0, 0];
        let exit = [0x95, 0, 0, 0, 0, 0, 0, 0];
        let of = |parts: &[[u8; 8]]| {
            let filter = Filter { bytes: parts.concat(), ..empty() };
            Loaded::new(&filter, Kind::Syscall).expect("it is loaded").run(&[0; 8]) as i32
        };
        Here { cpu, pid: of(&[call, exit]), tgid: of(&[call, shift, exit]) }
    }
}

fn empty() -> Filter {
    Filter {
        bytes: Vec::new(),
        text: Vec::new(),
        constants: vec![0; 8],
        constant_addresses: Vec::new(),
        memory_maps: Vec::new(),
        memory_bytes: 8,
    }
}

/// Gives the thread a name.
pub(crate) fn set_comm(name: &[u8]) {
    let mut bytes = [0_u8; 16];
    bytes[..name.len()].copy_from_slice(name);
    // SAFETY: the call reads 16 bytes.
    assert_eq!(unsafe { libc::prctl(libc::PR_SET_NAME, bytes.as_ptr()) }, 0);
}

/// The page of a text in this process's memory.
pub(crate) struct UserText(());

/// Bytes of a page.
const PAGE: usize = 4096;

impl UserText {
    pub(crate) fn new() -> UserText {
        let (read_write, flags) = (
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE,
        );
        let at = USER_TEXT as *mut libc::c_void;
        // SAFETY: nothing is mapped there, or the call fails.
        let mapped = unsafe { libc::mmap(at, PAGE, read_write, flags, -1, 0) };
        assert_eq!(mapped as u64, USER_TEXT, "{}", io::Error::last_os_error());
        UserText(())
    }

    pub(crate) fn put(&mut self, text: &[u8]) {
        assert!(text.len() < PAGE);
        // SAFETY: the page is mapped as long as the process lives, and nothing else refers to it.
        unsafe {
            std::ptr::copy_nonoverlapping(text.as_ptr(), USER_TEXT as *mut u8, text.len());
            (USER_TEXT as *mut u8).add(text.len()).write(0);
        }
    }
}
