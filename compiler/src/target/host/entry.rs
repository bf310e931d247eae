//! The code in memory, and the one place where it is entered.
//!
//! # Soundness
//!
//! The function takes the address of a [`State`] and reads and writes nothing but what that points to:
//!
//! - It reads the bytes from `base` to `end`, which are a slice that the caller borrows. Each load of an entry's head is
//!   behind a comparison of what is left with its size, each record lies whole before `end`, and each load of a record is
//!   behind a comparison with its length ([`emitter::Bounds`](super::emitter::Bounds)) or with the length of the bytes
//!   that a location word refers to, which are checked to lie in the record.
//! - It reads the tables, whose addresses are computed from indices that are checked against their sizes.
//! - It writes whole [`Selected`]s from `out` on. It writes those of a record only if `out` is at most `limit` before the
//!   first, and behind `limit` there is room for as many as one record can be selected.
//! - It writes results of conditions to `results`, of which there are as many bytes as the function has results, and
//!   reads one only where it has written it for the same record.
//! - Its frame on the stack of the caller's thread is at most [`FRAME`](super::FRAME) bytes: a function with a larger one
//!   is not loaded. Where a frame is larger than a page of memory each page is touched in order
//!   (`enable_probestack`), so that a stack without room for it ends the program at the stack's guard.
//!
//! It calls nothing, keeps nothing and has no state of its own, so several threads may run it at once. Its memory is
//! writable while the code is copied and executable afterwards, never both (`SystemMemoryProvider` of cranelift-jit),
//! and is unmapped when the [`Entry`] is dropped, which no borrow of it outlives.

use std::fmt;
use std::mem::{MaybeUninit, offset_of};
use std::sync::Mutex;

use cranelift::codegen::ir::Function;
use cranelift::codegen::isa::OwnedTargetIsa;
use cranelift::jit::{JITBuilder, JITModule};
use cranelift::module::{Linkage, Module, default_libcall_names};
#[cfg(feature = "host-test")]
use tracec_kernel::page::{Entries, PageError};
use tracec_kernel::selection::Selected;

use super::program::Program;
#[cfg(feature = "host-test")]
use super::{Code, walk_over};
use super::{CodeError, fits, refused};

/// What a call of the function reads and writes.
#[repr(C)]
#[derive(Debug)]
struct State {
    position: *const u8,
    end: *const u8,
    base: *const u8,
    tables: *const u8,
    out: *mut Selected,
    limit: *const Selected,
    time: u64,
    records: u64,
    cpu: u32,
    padded: u32,
    results: *mut u8,
}

/// The offset of the address of the next entry.
pub(super) const POSITION: i32 = offset_of!(State, position) as i32;
/// The offset of the address behind all entries.
pub(super) const END: i32 = offset_of!(State, end) as i32;
/// The offset of the address of the bytes that offsets count from.
pub(super) const BASE: i32 = offset_of!(State, base) as i32;
/// The offset of the address of the tables.
pub(super) const TABLES: i32 = offset_of!(State, tables) as i32;
/// The offset of the address of the next selected record.
pub(super) const OUT: i32 = offset_of!(State, out) as i32;
/// The offset of the last address at which there is room for all that may be selected of one record.
pub(super) const LIMIT: i32 = offset_of!(State, limit) as i32;
/// The offset of the address of the results that are kept.
pub(super) const RESULTS: i32 = offset_of!(State, results) as i32;
/// The offset of the time before the next entry.
pub(super) const TIME: i32 = offset_of!(State, time) as i32;
/// The offset of the number of records that were read.
pub(super) const RECORDS: i32 = offset_of!(State, records) as i32;
/// The offset of the CPU.
pub(super) const CPU: i32 = offset_of!(State, cpu) as i32;
/// The offset of whether the rest of the page is padding.
pub(super) const PADDED: i32 = offset_of!(State, padded) as i32;

/// The outcome of a walk that is at its end.
pub(super) const DONE: u32 = 0;
/// The outcome of a walk that needs more room for what is selected.
pub(super) const FULL: u32 = 1;
/// The outcome of a walk at an entry that reaches past the end.
pub(super) const OUTSIDE: u32 = 2;
/// The outcome of a walk at an entry with an impossible length.
pub(super) const IMPOSSIBLE: u32 = 3;

/// Where a walk stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// The offset of the next entry.
    pub(super) offset: usize,
    /// The time before it.
    pub(super) time: u64,
    /// Whether the rest of the page is padding.
    pub(super) is_padded: bool,
    /// The number of records so far.
    pub(super) records: u64,
}

/// A function in executable memory.
pub(super) struct Entry {
    function: unsafe extern "C" fn(*mut State) -> u32,
    tables: Box<[u8]>,
    /// How often one record can be selected.
    most: usize,
    /// How many results it keeps.
    results: usize,
    /// Owns the memory. There is one until it is dropped.
    memory: Mutex<Option<JITModule>>,
    size: usize,
}

impl Entry {
    /// Compiles a program and copies it to executable memory.
    pub(super) fn new(isa: OwnedTargetIsa, program: &Program<'_>) -> Result<Entry, CodeError> {
        let (function, tables) = super::write(program, &*isa)?;
        // SAFETY: the function is as it was written for the program.
        unsafe { Entry::load(isa, function, tables, program) }
    }

    /// Compiles a function and copies it to executable memory.
    ///
    /// # Safety
    /// The function has to keep to what the head of this file says, with these tables, for at most as many selections and
    /// results as the program has for one record.
    unsafe fn load(
        isa: OwnedTargetIsa,
        function: Function,
        tables: Box<[u8]>,
        program: &Program<'_>,
    ) -> Result<Entry, CodeError> {
        let (most, results) = (program.most(), program.results());
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        match define(&mut module, function) {
            Ok((address, size)) => {
                // SAFETY: the address is that of a function with this signature.
                let function = unsafe {
                    std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut State) -> u32>(address)
                };
                Ok(Entry { function, tables, most, results, memory: Mutex::new(Some(module)), size })
            }
            Err(error) => {
                // SAFETY: nothing refers to the function.
                unsafe { module.free_memory() };
                Err(error)
            }
        }
    }

    /// Returns the number of bytes of the machine code.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Walks over entries from a position until they end, cannot be read, or there is no room; returns the outcome.
    pub(super) fn walk(
        &self,
        bytes: &[u8],
        position: &mut Position,
        cpu: u32,
        selected: &mut Vec<Selected>,
    ) -> u32 {
        // No more than the rest of the entries may need, each of which has eight bytes at least.
        let entries = bytes.len().saturating_sub(position.offset).div_ceil(8).max(1);
        selected.reserve(entries.saturating_mul(self.most).min(self.most.max(64)));
        let mut results = vec![0; self.results];
        let room = Room { tables: &self.tables, results: &mut results, out: selected.spare_capacity_mut() };
        // SAFETY: the tables are those of the function, and there is as much room as it needs.
        let (outcome, added) = unsafe { self.walk_in(bytes, position, cpu, room) };
        let used = selected.len();
        // SAFETY: the walk has written `added` whole values to the spare capacity.
        unsafe { selected.set_len(used + added) };
        outcome
    }

    /// Walks as [`walk`](Self::walk) does, in this room; returns the number of records that were written to it too.
    ///
    /// # Safety
    /// The room has the tables of the function, and is enough for its results and for all that is selected of one record.
    unsafe fn walk_in(
        &self,
        bytes: &[u8],
        position: &mut Position,
        cpu: u32,
        room: Room<'_>,
    ) -> (u32, usize) {
        let Room { tables, results, out } = room;
        // The function computes what is left, which an offset from anywhere could make more than there is.
        if position.offset >= bytes.len() {
            return (DONE, 0);
        }
        let range = bytes.as_ptr_range();
        let (start, room) = (out.as_mut_ptr().cast::<Selected>(), out.len());
        let mut state = State {
            position: range.start.wrapping_add(position.offset),
            end: range.end,
            base: range.start,
            tables: tables.as_ptr(),
            out: start,
            limit: start.wrapping_add(room - self.most),
            time: position.time,
            records: 0,
            cpu,
            padded: u32::from(position.is_padded),
            results: results.as_mut_ptr(),
        };
        // SAFETY: `load` was given a function that keeps to what the head of this file says; the state points to `bytes`,
        // to tables that are the function's, to as many results as it keeps and to room for `most` records at least, and
        // all are borrowed until the function returns. The code is mapped as long as `self` lives.
        let outcome = unsafe { (self.function)(&raw mut state) };
        position.offset = state.position.addr().wrapping_sub(range.start.addr());
        position.time = state.time;
        position.is_padded = state.padded != 0;
        position.records += state.records;
        (outcome, (state.out.addr() - start.addr()) / size_of::<Selected>())
    }
}

/// The memory of a walk beside the entries.
#[derive(Debug)]
#[cfg_attr(not(feature = "host-test"), expect(unreachable_pub, reason = "tests make rooms of their own"))]
pub struct Room<'a> {
    /// The tables of the function.
    pub tables: &'a [u8],
    /// Room for the results that it keeps.
    pub results: &'a mut [u8],
    /// Room for what it selects, of one record at least.
    pub out: &'a mut [MaybeUninit<Selected>],
}

/// Compiles the function and makes it executable; returns its address and size.
fn define(module: &mut JITModule, function: Function) -> Result<(*const u8, usize), CodeError> {
    let id = module.declare_function("select", Linkage::Export, &function.signature).map_err(refused)?;
    let mut context = module.make_context();
    context.func = function;
    module.define_function(id, &mut context).map_err(refused)?;
    let size = fits(context.compiled_code())?;
    module.finalize_definitions().map_err(refused)?;
    Ok((module.get_finalized_function(id), size))
}

#[cfg(feature = "host-test")]
impl Code {
    /// Compiles a selection after an edit of its function: for tests, which have to find that it is wrong.
    ///
    /// # Safety
    /// The edited function may read and write only what the one that was written may; other errors are fine.
    ///
    /// # Errors
    /// [`CodeError`], also for a function that Cranelift's verifier refuses.
    pub unsafe fn edited(
        selection: &tracec_kernel::selection::Selection,
        edit: impl FnOnce(&mut Function),
    ) -> Result<Code, CodeError> {
        let (isa, program) = (super::isa()?, super::program(selection)?);
        let (mut function, tables) = super::write(&program, &*isa)?;
        edit(&mut function);
        // SAFETY: the caller says so.
        let entry = unsafe { Entry::load(isa, function, tables, &program) }?;
        Ok(Code { entry })
    }

    /// Returns the tables that the function reads, how many results it keeps, and how often a record can be selected.
    pub fn needs(&self) -> (&[u8], usize, usize) {
        (&self.entry.tables, self.entry.results, self.entry.most)
    }

    /// Selects as [`PageFilter::select`](tracec_kernel::selection::PageFilter::select) does, with room that the caller has
    /// made: as often as it is full, what it holds goes to `selected`, and the walk continues.
    ///
    /// # Errors
    /// As those of a page filter.
    ///
    /// # Panics
    /// The room is not as [`needs`](Self::needs) says.
    pub fn select_in(
        &self,
        entries: &mut Entries<'_>,
        cpu: u32,
        selected: &mut Vec<Selected>,
        room: Room<'_>,
    ) -> Result<u64, PageError> {
        let Room { tables, results, out } = room;
        let (own, least_results, most) = self.needs();
        assert!(tables == own && results.len() >= least_results && out.len() >= most, "room as it is needed");
        walk_over(entries, |bytes, position| {
            let room = Room { tables, results: &mut *results, out: &mut *out };
            // SAFETY: the room was compared with what is needed.
            let (outcome, added) = unsafe { self.entry.walk_in(bytes, position, cpu, room) };
            // SAFETY: the walk has written so many values.
            selected.extend(out[..added].iter().map(|one| unsafe { one.assume_init() }));
            outcome
        })
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        let memory = self.memory.get_mut().map_or_else(|poisoned| poisoned.into_inner().take(), Option::take);
        if let Some(module) = memory {
            // SAFETY: the function is called through `self` alone, which ends here.
            unsafe { module.free_memory() };
        }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Entry({} bytes)", self.size)
    }
}
