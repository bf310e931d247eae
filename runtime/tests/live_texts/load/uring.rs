//! Requests of io_uring(7): done at once, later, in chains, in vain.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use libtest_mimic::Failed;

/// The entries of the submission ring; the completion ring has twice as many.
const ENTRIES: u32 = 8;
/// Offsets of the mappings (include/uapi/linux/io_uring.h).
const RINGS: libc::off_t = 0;
const REQUESTS: libc::off_t = 0x1000_0000;
/// `IORING_ENTER_GETEVENTS`.
const WAIT: libc::c_long = 1;
/// Flags of a request: `IOSQE_IO_DRAIN`, `IOSQE_IO_LINK`, `IOSQE_ASYNC`.
const DRAIN: u8 = 1 << 1;
const LINK: u8 = 1 << 2;
const ASYNC: u8 = 1 << 4;

/// `struct io_uring_params`: sizes and flags, and the offsets of the fields of both rings.
#[repr(C)]
#[derive(Default)]
struct Parameters {
    sq_entries: u32,
    cq_entries: u32,
    flags: u32,
    sq_thread_cpu: u32,
    sq_thread_idle: u32,
    features: u32,
    wq_fd: u32,
    reserved: [u32; 3],
    /// head, tail, ring_mask, ring_entries, flags, dropped, array, resv1, and an address.
    sq: [u32; 10],
    cq: [u32; 10],
}

/// `struct io_uring_sqe`, as far as it is used.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Request {
    opcode: u8,
    flags: u8,
    priority: u16,
    fd: i32,
    offset: u64,
    address: u64,
    length: u32,
    operation_flags: u32,
    user_data: u64,
    rest: [u64; 3],
}

/// Makes requests.
pub(super) fn run() -> Result<(), Failed> {
    // Without flags, and with completions that wait for the task (`IORING_SETUP_SINGLE_ISSUER`, `_DEFER_TASKRUN`).
    for flags in [0, 1 << 12 | 1 << 13] {
        match rounds(flags) {
            Ok(()) => {}
            // Older kernels do not know all flags, and a kernel may be without it.
            Err(error) => println!("io_uring with the flags {flags:#x}: {error}"),
        }
    }
    Ok(())
}

fn rounds(flags: u32) -> io::Result<()> {
    let mut parameters = Parameters { flags, ..Parameters::default() };
    // SAFETY: the structure is that of the call; a result that is not negative is a new descriptor.
    let ring = unsafe {
        match libc::syscall(libc::SYS_io_uring_setup, ENTRIES, &raw mut parameters) {
            -1 => return Err(io::Error::last_os_error()),
            new => OwnedFd::from_raw_fd(new as libc::c_int),
        }
    };
    let map = |offset, length: usize| -> io::Result<*mut u8> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of the ring.
        let start = unsafe {
            libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, ring.as_raw_fd(), offset)
        };
        if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start.cast()) }
    };
    let rings = map(RINGS, 4096)?;
    let requests = map(REQUESTS, 4096)?.cast::<Request>();
    let file = File::open("/proc/self/exe")?;
    let mut bytes = [0_u8; 4096];
    let mut pipe = [0; 2];
    // SAFETY: the array has two numbers.
    if unsafe { libc::pipe(pipe.as_mut_ptr()) } == -1 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: both are new descriptors.
    let (reader, writer) = unsafe { (OwnedFd::from_raw_fd(pipe[0]), OwnedFd::from_raw_fd(pipe[1])) };
    let moment = [0_i64, 1_000_000];
    let read = Request {
        opcode: 22,
        fd: file.as_raw_fd(),
        address: bytes.as_mut_ptr() as u64,
        length: 4096,
        ..Request::default()
    };
    let poll = Request {
        opcode: 6,
        fd: reader.as_raw_fd(),
        operation_flags: 1,
        user_data: 77,
        ..Request::default()
    };
    let wait =
        Request { opcode: 11, fd: -1, address: moment.as_ptr() as u64, length: 1, ..Request::default() };
    let wrong = Request { opcode: 22, fd: -1, length: 1, ..Request::default() };
    let unknown = Request { opcode: 250, ..Request::default() };
    let cancel = Request { opcode: 14, address: 77, fd: -1, ..Request::default() };
    let nothing = Request { opcode: 0, ..Request::default() };
    let with = |flags, request: Request| Request { flags, ..request };
    let chains: [&[Request]; 8] = [
        &[nothing, read, wait],
        &[with(LINK, wrong), with(LINK, nothing), nothing],
        &[with(LINK, nothing), nothing],
        &[with(ASYNC, read), with(DRAIN, nothing), nothing],
        &[poll, cancel],
        &[poll, Request { opcode: 7, address: 77, fd: -1, ..Request::default() }],
        &[unknown],
        &[nothing; 8],
    ];
    // The last ones are not waited for, so that the ring of completions overflows.
    for chain in chains.iter().chain(std::iter::repeat_n(&chains[7], 4)) {
        // SAFETY: the rings have at least as many entries as a chain has requests, and the kernel reads them in the call.
        unsafe {
            let field = |at: u32| rings.add(at as usize).cast::<u32>();
            let tail = field(parameters.sq[1]);
            let mask = *field(parameters.sq[2]);
            for request in *chain {
                let index = *tail & mask;
                *requests.add(index as usize) = *request;
                *field(parameters.sq[6]).add(index as usize) = index;
                std::sync::atomic::AtomicU32::from_ptr(tail)
                    .fetch_add(1, std::sync::atomic::Ordering::Release);
            }
            let ring = ring.as_raw_fd();
            libc::syscall(libc::SYS_io_uring_enter, ring, chain.len(), 1, WAIT, 0, 0);
            libc::usleep(3_000);
            libc::syscall(libc::SYS_io_uring_enter, ring, 0, 0, WAIT, 0, 0);
        }
    }
    // `IORING_REGISTER_FILES` and `IORING_UNREGISTER_FILES`.
    let files = [file.as_raw_fd()];
    // SAFETY: the array has one number.
    unsafe {
        libc::syscall(libc::SYS_io_uring_register, ring.as_raw_fd(), 2, files.as_ptr(), 1);
        libc::syscall(libc::SYS_io_uring_register, ring.as_raw_fd(), 3, 0, 0);
        libc::munmap(rings.cast(), 4096);
        libc::munmap(requests.cast(), 4096);
    }
    drop(writer);
    Ok(())
}
