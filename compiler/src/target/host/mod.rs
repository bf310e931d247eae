//! Machine code for conditions, which selects records of ring-buffer pages: a [`Selection`] becomes one function.
//!
//! The function walks over the entries of a page, finds the event of each record by its id, decides the conditions of
//! the event and writes down what is selected. It calls nothing. [`Code`] is the function in memory; it is a
//! [`PageFilter`] and selects what [`Evaluator`](tracec_kernel::selection::Evaluator) selects. Where there can be no
//! machine code, for one of the reasons in [`CodeError`], a program uses the evaluator instead.
//!
//! The way from a selection to code, in [`Code::new`]: `program` decides which events share their conditions and which
//! lengths have to be checked, `walk` and the modules below it write the instructions for Cranelift, `entry` has the
//! code in memory and is the only place with unsafe code.

mod bytes;
mod condition;
mod emitter;
#[expect(unsafe_code, reason = "calls machine code, and frees its memory")]
mod entry;
mod mask;
mod number;
mod pattern;
mod program;
mod sequence;
mod set;
mod tables;
mod text;
mod walk;

use std::fmt;

use cranelift::codegen::ir::{Function, UserFuncName};
use cranelift::codegen::isa::{CallConv, OwnedTargetIsa};
use cranelift::module::ModuleError;
use cranelift::prelude::*;
use tracec_kernel::page::{Entries, PageError};
use tracec_kernel::selection::{PageFilter, Selected, Selection};

use emitter::Emitter;
pub use emitter::Part;
use entry::{Entry, Position};
use program::Program;

/// Machine code that selects records.
#[derive(Debug)]
pub struct Code {
    entry: Entry,
}

/// The reason why there is no machine code for a selection.
#[derive(Debug, thiserror::Error)]
pub enum CodeError {
    /// The pages are those of a big-endian kernel.
    #[error("the records are big-endian, and machine code reads little-endian records only")]
    ByteOrder,
    /// There is no machine code for this processor.
    #[error("there is no machine code for this processor: {0}")]
    Processor(String),
    /// The conditions are too many, or too large, for one function.
    #[error("the conditions do not fit into one function: {0}")]
    TooLarge(String),
    /// The system refuses executable memory.
    #[error("the system refuses executable memory: {0}")]
    Memory(String),
}

impl Code {
    /// Compiles a selection.
    ///
    /// # Errors
    /// [`CodeError`]; the records can be selected by the evaluator then.
    pub fn new(selection: &Selection) -> Result<Code, CodeError> {
        let entry = Entry::new(isa()?, &program(selection)?).map_err(refused)?;
        Ok(Code { entry })
    }

    /// Returns the number of bytes of machine code.
    pub fn size(&self) -> usize {
        self.entry.size()
    }
}

/// The machine code of a selection as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The function in Cranelift's intermediate form. It is the same for all processors.
    pub intermediate: String,
    /// The instructions of this processor.
    pub instructions: String,
}

impl Listing {
    /// Compiles a selection to text. No executable memory is needed.
    ///
    /// # Errors
    /// [`CodeError`], except for [`CodeError::Memory`].
    pub fn new(selection: &Selection) -> Result<Listing, CodeError> {
        let isa = isa()?;
        let (function, _) = write(&program(selection)?, &*isa);
        let intermediate = function.display().to_string();
        let mut context = codegen::Context::for_function(function);
        context.set_disasm(true);
        let code = context
            .compile(&*isa, &mut Default::default())
            .map_err(|error| CodeError::TooLarge(error.inner.to_string()))?;
        Ok(Listing { intermediate, instructions: code.vcode.clone().unwrap_or_default() })
    }
}

/// The instructions.
impl fmt::Display for Listing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.instructions)
    }
}

/// Returns the instructions of this processor that code may use.
fn isa() -> Result<OwnedTargetIsa, CodeError> {
    // The tests of this target run on these processors.
    if !cfg!(target_arch = "x86_64") {
        return Err(CodeError::Processor("it is made for x86-64 only".to_owned()));
    }
    let refused = |error: &dyn fmt::Display| CodeError::Processor(error.to_string());
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("unwind_info", "false"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ] {
        flags.set(name, value).map_err(|error| refused(&error))?;
    }
    let builder = cranelift::native::builder().map_err(|error| refused(&error))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| refused(&error))
}

fn program(selection: &Selection) -> Result<Program<'_>, CodeError> {
    match selection.layout().little_endian {
        true => Ok(Program::of(selection)),
        false => Err(CodeError::ByteOrder),
    }
}

/// Writes the function of a program and its tables.
fn write(program: &Program<'_>, isa: &dyn isa::TargetIsa) -> (Function, Box<[u8]>) {
    let mut signature = Signature::new(CallConv::triple_default(isa.triple()));
    signature.params.push(AbiParam::new(types::I64));
    signature.returns.push(AbiParam::new(types::I32));
    let mut function = Function::with_name_signature(UserFuncName::user(0, 0), signature);
    let mut context = FunctionBuilderContext::new();
    let mut emitter = Emitter::new(FunctionBuilder::new(&mut function, &mut context));
    walk::write(&mut emitter, program);
    let Emitter { mut to, tables, .. } = emitter;
    to.seal_all_blocks();
    to.finalize(isa.frontend_config());
    (function, tables.into_bytes())
}

/// Returns the reason why a function is not in memory.
fn refused(error: ModuleError) -> CodeError {
    match error {
        ModuleError::Compilation(error) => CodeError::TooLarge(error.to_string()),
        // The system's own error is below what Cranelift says of it.
        ModuleError::Backend(error) => CodeError::Memory(format!("{error:#}")),
        error => CodeError::Memory(error.to_string()),
    }
}

impl PageFilter for Code {
    fn select(
        &self,
        entries: &mut Entries<'_>,
        cpu: u32,
        selected: &mut Vec<Selected>,
    ) -> Result<u64, PageError> {
        if !entries.is_little_endian() {
            return Err(PageError::ByteOrder);
        }
        let bytes = entries.bytes();
        let mut position = Position {
            offset: entries.offset(),
            time: entries.timestamp(),
            is_padded: entries.is_padded(),
            records: 0,
        };
        let result = loop {
            let outcome = self.entry.walk(bytes, &mut position, cpu, selected);
            let offset = position.offset;
            match outcome {
                entry::DONE => break Ok(position.records),
                entry::FULL => {}
                entry::IMPOSSIBLE => {
                    let word = bytes.get(offset + 4..).and_then(<[u8]>::first_chunk);
                    let length = word.map_or(0, |word| u32::from_le_bytes(*word));
                    break Err(PageError::Length { offset, length });
                }
                _ => break Err(PageError::Entry { offset }),
            }
        };
        if result.is_err() {
            position.offset = bytes.len();
        }
        entries.resume(position.offset, position.time, position.is_padded);
        result
    }
}
