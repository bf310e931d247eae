//! The interpreters, with what a kernel has beside it: helpers, constants, and memory of a program's own.

use std::cell::RefCell;
use std::ops::Range;

use rbpf::EbpfVmMbuff;
use tracec_compiler::target::bpf::Filter;
use tracec_kernel::condition::context::Context;

use crate::cases::Asked;
use crate::event::Moment;
use crate::interpreter;
use crate::planted::Planted;

/// What follows a record in memory, as the buffer of an event has it: no NUL.
const BEHIND: [u8; 64] = [b'a'; 64];

/// The error number of an address that cannot be read, negative.
const EFAULT: u64 = -14_i64 as u64;

/// The moment of a record, for helpers.
#[derive(Default)]
struct Now {
    cpu: u32,
    ids: u64,
    comm: [u8; 16],
    /// Where the kernel's memory can be read.
    readable: Range<u64>,
    memory: u64,
    /// The moment with the texts behind pointers.
    moment: Option<Moment>,
}

thread_local! {
    static NOW: RefCell<Now> = RefCell::default();
}

/// A program in the interpreters.
pub(crate) struct Machine {
    bytes: Vec<u8>,
    /// Constants, at an address that does not change.
    constants: Vec<u8>,
    memory: RefCell<Vec<u8>>,
    /// Whether rbpf runs it too.
    in_rbpf: bool,
}

impl Machine {
    /// Prepares a program, with an error or without.
    pub(crate) fn new(filter: Filter, planted: Option<&Planted>) -> Machine {
        let Filter { mut bytes, constants, constant_addresses, memory_maps, memory_bytes, .. } = filter;
        if let Some(planted) = planted {
            planted.put_into(&mut bytes);
        }
        let constants_at = constants.as_ptr() as u64;
        for at in constant_addresses {
            let place = |half: usize| 8 * (at + half) + 4..8 * (at + half) + 8;
            let offset = u32::from_le_bytes(bytes[place(1)].try_into().expect("four bytes"));
            let address = constants_at + u64::from(offset);
            bytes[place(0)].copy_from_slice(&(address as u32).to_le_bytes());
            bytes[place(1)].copy_from_slice(&((address >> 32) as u32).to_le_bytes());
            // The interpreter takes no kind of a number.
            bytes[8 * at + 1] &= 0x0f;
        }
        for at in memory_maps {
            bytes[8 * at + 1] &= 0x0f;
        }
        let in_rbpf = planted.is_none() && interpreter::rbpf_runs(&bytes);
        Machine { bytes, constants, memory: RefCell::new(vec![0xa5; memory_bytes as usize]), in_rbpf }
    }

    /// Runs the program on a record.
    pub(crate) fn run(&self, asked: &Asked, pid: i32) -> Result<u64, String> {
        let mut memory = self.memory.borrow_mut();
        memory.fill(0xa5);
        // The first 8 bytes hold something else.
        let mut record = asked.moment.bytes.clone();
        record[..8].fill(0x5a);
        let readable = record.len() + BEHIND.len();
        record.extend(BEHIND);
        let begin = record.as_ptr() as u64;
        let mut comm = [0; 16];
        comm[..asked.moment.comm.len()].copy_from_slice(&asked.moment.comm);
        NOW.with_borrow_mut(|now| {
            *now = Now {
                cpu: asked.moment.cpu,
                ids: (u64::from(asked.tgid as u32) << 32) | u64::from(pid as u32),
                comm,
                readable: begin..begin + readable as u64,
                memory: memory.as_mut_ptr() as u64,
                moment: Some(asked.moment.clone()),
            };
        });
        let helpers: [(u32, interpreter::Helper); 7] = [
            (1, map_lookup),
            (8, cpu),
            (14, ids),
            (16, comm_of_task),
            (113, probe_read),
            (114, probe_read_user_str),
            (115, probe_read_str),
        ];
        let range = |bytes: &[u8]| bytes.as_ptr() as u64..bytes.as_ptr() as u64 + bytes.len() as u64;
        let ranges = [range(&record), range(&self.constants), range(&memory)];
        let own = interpreter::run(&self.bytes, begin, &ranges, &helpers);
        if self.in_rbpf {
            memory.fill(0xa5);
            let failed = |error: std::io::Error| error.to_string();
            let mut machine = EbpfVmMbuff::new(Some(&self.bytes)).map_err(failed)?;
            ranges.into_iter().for_each(|range| machine.register_allowed_memory(range));
            for (number, helper) in helpers {
                machine.register_helper(number, helper).map_err(failed)?;
            }
            let theirs = machine.execute_program(&[], &record).map_err(failed);
            assert_eq!(own, theirs, "the interpreters differ");
        }
        own
    }
}

fn map_lookup(_: u64, _: u64, _: u64, _: u64, _: u64) -> u64 {
    NOW.with_borrow(|now| now.memory)
}

fn cpu(_: u64, _: u64, _: u64, _: u64, _: u64) -> u64 {
    NOW.with_borrow(|now| now.cpu.into())
}

fn ids(_: u64, _: u64, _: u64, _: u64, _: u64) -> u64 {
    NOW.with_borrow(|now| now.ids)
}

fn comm_of_task(to: u64, size: u64, _: u64, _: u64, _: u64) -> u64 {
    NOW.with_borrow(|now| {
        assert!(size >= 16, "the name of a task has 16 bytes");
        // SAFETY: the program gives the address of as many bytes of its stack or memory, which the compiler laid out.
        unsafe { std::ptr::copy_nonoverlapping(now.comm.as_ptr(), to as *mut u8, 16) };
    });
    0
}

/// Returns the bytes of the kernel's memory from an address, at most so many.
fn readable(from: u64, size: u64) -> Option<&'static [u8]> {
    NOW.with_borrow(|now| {
        if !now.readable.contains(&from) {
            return None;
        }
        let size = size.min(now.readable.end - from);
        // SAFETY: the bytes are those of the record, which the machine holds while the program runs.
        Some(unsafe { std::slice::from_raw_parts(from as *const u8, size as usize) })
    })
}

fn probe_read(to: u64, size: u64, from: u64, _: u64, _: u64) -> u64 {
    if size == 0 {
        return 0;
    }
    match readable(from, size).filter(|bytes| bytes.len() as u64 == size) {
        Some(bytes) => {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), to as *mut u8, bytes.len()) };
            0
        }
        None => EFAULT,
    }
}

fn probe_read_str(to: u64, size: u64, from: u64, _: u64, _: u64) -> u64 {
    let pointed = NOW.with_borrow(|now| Some(now.moment.as_ref()?.kernel_text(from)?.to_vec()));
    if let Some(text) = pointed {
        return put(to, size, &text);
    }
    let Some(bytes) = readable(from, size) else { return EFAULT };
    match bytes.iter().position(|byte| *byte == 0) {
        Some(length) => put(to, size, &bytes[..length]),
        None if (bytes.len() as u64) < size => EFAULT,
        None => put(to, size, bytes),
    }
}

fn probe_read_user_str(to: u64, size: u64, from: u64, _: u64, _: u64) -> u64 {
    let text = NOW.with_borrow(|now| Some(now.moment.as_ref()?.user_text(from)?.to_vec()));
    text.map_or(EFAULT, |text| put(to, size, &text))
}

/// Copies a text and a NUL behind it, and returns how many bytes that were.
fn put(to: u64, size: u64, text: &[u8]) -> u64 {
    let text = &text[..text.len().min(size as usize - 1)];
    // SAFETY: the program gives the address of as many bytes of its stack or memory, which the compiler laid out.
    unsafe {
        std::ptr::copy_nonoverlapping(text.as_ptr(), to as *mut u8, text.len());
        (to as *mut u8).add(text.len()).write(0);
    }
    text.len() as u64 + 1
}
