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
//!
//! It calls nothing, keeps nothing and has no state of its own, so several threads may run it at once. Its memory is
//! writable while the code is copied and executable afterwards, never both (`SystemMemoryProvider` of cranelift-jit),
//! and is unmapped when the [`Entry`] is dropped, which no borrow of it outlives.

use std::fmt;
use std::mem::offset_of;
use std::sync::Mutex;

use cranelift::codegen::ir::Function;
use cranelift::codegen::isa::OwnedTargetIsa;
use cranelift::jit::{JITBuilder, JITModule};
use cranelift::module::{Linkage, Module, ModuleError, default_libcall_names};
use tracec_kernel::selection::{Selected, Selection};

use super::program::Program;
use super::{Code, CodeError};

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
    /// Owns the memory. There is one until it is dropped.
    memory: Mutex<Option<JITModule>>,
    size: usize,
}

impl Entry {
    /// Compiles a program and copies it to executable memory.
    pub(super) fn new(isa: OwnedTargetIsa, program: &Program<'_>) -> Result<Entry, ModuleError> {
        let (function, tables) = super::write(program, &*isa);
        // SAFETY: the function is as it was written for the program.
        unsafe { Entry::load(isa, function, tables, program.most()) }
    }

    /// Compiles a function and copies it to executable memory.
    ///
    /// # Safety
    /// The function has to keep to what the head of this file says, with these tables, for at most `most` selections of
    /// one record.
    unsafe fn load(
        isa: OwnedTargetIsa,
        function: Function,
        tables: Box<[u8]>,
        most: usize,
    ) -> Result<Entry, ModuleError> {
        let mut module = JITModule::new(JITBuilder::with_isa(isa, default_libcall_names()));
        match define(&mut module, function) {
            Ok((address, size)) => {
                // SAFETY: the address is that of a function with this signature.
                let function = unsafe {
                    std::mem::transmute::<*const u8, unsafe extern "C" fn(*mut State) -> u32>(address)
                };
                Ok(Entry { function, tables, most, memory: Mutex::new(Some(module)), size })
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
        // The function computes what is left, which an offset from anywhere could make more than there is.
        if position.offset >= bytes.len() {
            return DONE;
        }
        selected.reserve(self.most.max(64));
        let (used, room) = (selected.len(), selected.capacity() - selected.len());
        let range = bytes.as_ptr_range();
        let out = selected.spare_capacity_mut().as_mut_ptr().cast::<Selected>();
        let mut state = State {
            position: range.start.wrapping_add(position.offset),
            end: range.end,
            base: range.start,
            tables: self.tables.as_ptr(),
            out,
            limit: out.wrapping_add(room - self.most),
            time: position.time,
            records: 0,
            cpu,
            padded: u32::from(position.is_padded),
        };
        // SAFETY: `load` was given a function that keeps to what the head of this file says; the state points to `bytes`
        // and to the spare capacity of `selected`, which has room for `most` at least, and both are borrowed until the
        // function returns. The code is mapped as long as `self` lives.
        let outcome = unsafe { (self.function)(&raw mut state) };
        position.offset = state.position.addr().wrapping_sub(range.start.addr());
        position.time = state.time;
        position.is_padded = state.padded != 0;
        position.records += state.records;
        let added = (state.out.addr() - out.addr()) / size_of::<Selected>();
        // SAFETY: the function has written `added` whole values, which fit into the spare capacity.
        unsafe { selected.set_len(used + added) };
        outcome
    }
}

/// Compiles the function and makes it executable; returns its address and size.
fn define(module: &mut JITModule, function: Function) -> Result<(*const u8, usize), ModuleError> {
    let id = module.declare_function("select", Linkage::Export, &function.signature)?;
    let mut context = module.make_context();
    context.func = function;
    module.define_function(id, &mut context)?;
    let size = context.compiled_code().map_or(0, |code| code.code_buffer().len());
    module.finalize_definitions()?;
    Ok((module.get_finalized_function(id), size))
}

impl Code {
    /// Compiles a selection after an edit of its function: for tests, which have to find that it is wrong.
    ///
    /// # Safety
    /// The edited function may read and write only what the one that was written may; other errors are fine.
    ///
    /// # Errors
    /// [`CodeError`], also for a function that Cranelift's verifier refuses.
    #[doc(hidden)]
    pub unsafe fn edited(selection: &Selection, edit: impl FnOnce(&mut Function)) -> Result<Code, CodeError> {
        let (isa, program) = (super::isa()?, super::program(selection)?);
        let (mut function, tables) = super::write(&program, &*isa);
        edit(&mut function);
        // SAFETY: the caller says so.
        let entry = unsafe { Entry::load(isa, function, tables, program.most()) }.map_err(super::refused)?;
        Ok(Code { entry })
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
