//! Bytes between two pages that cannot be read, so that a load beside them ends the test.

use std::ptr;
use std::slice;

use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// The size of a page of the machine, or a multiple of it.
const GUARD: usize = 64 << 10;

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
        let room = most.next_multiple_of(GUARD);
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

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`; no bytes of it are borrowed.
        unsafe { munmap(self.start.cast(), self.room + 2 * GUARD) }.expect("it is mapped");
    }
}
