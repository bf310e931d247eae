//! Bytes between two pages that cannot be read, so that a load beside them ends the test.

use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

use tracec_compiler::target::host::{Code, Room};
use tracec_kernel::selection::Selected;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// The size of a guard: a multiple of that of the machine's pages, and more than a record's own length or a location word
/// can lead past the bytes.
const GUARD: usize = 1 << 20;

/// Memory for bytes, with a guard on both sides.
pub(crate) struct Guarded {
    /// The address of the first guard.
    start: *mut u8,
    room: usize,
}

/// Where bytes lie between the guards.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Side {
    /// They begin behind the first.
    First,
    /// They end before the second.
    Second,
}

impl Guarded {
    /// Returns memory for so many bytes at most.
    pub(crate) fn new(most: usize) -> Guarded {
        let room = most.next_multiple_of(64 << 10);
        let size = room + 2 * GUARD;
        // SAFETY: a new mapping, of which the middle is made readable; nothing else has its address.
        unsafe {
            let start = mmap_anonymous(ptr::null_mut(), size, ProtFlags::empty(), MapFlags::PRIVATE);
            let start = start.expect("memory").cast::<u8>();
            mprotect(start.add(GUARD).cast(), room, MprotectFlags::READ | MprotectFlags::WRITE)
                .expect("memory");
            Guarded { start, room }
        }
    }

    /// Copies bytes next to a guard.
    pub(crate) fn put(&mut self, bytes: &[u8], side: Side) -> &[u8] {
        assert!(bytes.len() <= self.room, "{} bytes", bytes.len());
        let offset = match side {
            Side::First => GUARD,
            Side::Second => GUARD + self.room - bytes.len(),
        };
        // SAFETY: the bytes are in the middle of the mapping, which is borrowed until they are no longer used.
        unsafe {
            let start = self.start.add(offset);
            ptr::copy_nonoverlapping(bytes.as_ptr(), start, bytes.len());
            slice::from_raw_parts(start, bytes.len())
        }
    }
}

impl Guarded {
    /// Returns room for so many values, before the second guard.
    fn room<T>(&mut self, count: usize) -> &mut [MaybeUninit<T>] {
        let bytes = count * size_of::<T>();
        assert!(bytes <= self.room && bytes.is_multiple_of(align_of::<T>()), "{bytes} bytes");
        // SAFETY: the values are in the middle of the mapping, whose end is aligned for any type, and need not be valid; it
        // is borrowed until they are no longer used.
        unsafe {
            let start = self.start.add(GUARD + self.room - bytes).cast::<MaybeUninit<T>>();
            slice::from_raw_parts_mut(start, count)
        }
    }
}

/// All that a walk reads and writes, each between guards of its own.
pub(crate) struct Rooms {
    bytes: Guarded,
    tables: Guarded,
    results: Guarded,
    out: Guarded,
}

impl Rooms {
    pub(crate) fn new() -> Rooms {
        Rooms {
            bytes: Guarded::new(1 << 20),
            tables: Guarded::new(1 << 20),
            results: Guarded::new(1 << 16),
            out: Guarded::new(1 << 16),
        }
    }

    /// Copies the bytes of a page to memory beside a guard, and calls a function with them and with room beside guards for
    /// a walk over them by code: for so many more records than it needs at least.
    pub(crate) fn with<T>(
        &mut self,
        code: &Code,
        data: &[u8],
        (side, more): (Side, usize),
        walk: impl FnOnce(&[u8], Room<'_>) -> T,
    ) -> T {
        let (tables, results, most) = code.needs();
        let tables = self.tables.put(tables, side);
        let results = self.results.room::<u8>(results);
        results.fill(MaybeUninit::new(0xaa));
        // SAFETY: they have values now.
        let results = unsafe { &mut *(ptr::from_mut(results) as *mut [u8]) };
        let out = self.out.room::<Selected>(most + more);
        walk(self.bytes.put(data, side), Room { tables, results, out })
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`; no bytes of it are borrowed.
        unsafe { munmap(self.start.cast(), self.room + 2 * GUARD) }.expect("it is mapped");
    }
}
