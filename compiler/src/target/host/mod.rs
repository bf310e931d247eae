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
use tracec_kernel::grouped::Grouped;
use tracec_kernel::page::{Entries, PageError};
use tracec_kernel::selection::{PageFilter, Selected, Selection};

use emitter::Emitter;
pub use emitter::Part;
#[cfg(feature = "host-test")]
pub use entry::Room;
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

/// The instructions of the intermediate form that a function may have. Cranelift compiles so many in about half a second,
/// of many conditions as of a few long ones.
const INSTRUCTIONS: usize = 100_000;

/// The tokens that one pattern or text may have: the time that Cranelift takes for one grows faster than its length.
const TOKENS: usize = 4096;

/// The bytes that a function may take on the stack of the thread that calls it.
const FRAME: usize = 8192;

impl Code {
    /// Compiles a selection.
    ///
    /// # Errors
    /// [`CodeError`]; the records can be selected by the evaluator then.
    pub fn new(selection: &Selection) -> Result<Code, CodeError> {
        Ok(Code { entry: Entry::new(isa()?, &program(selection)?)? })
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
        let (function, _) = write(&program(selection)?, &*isa)?;
        let intermediate = function.display().to_string();
        let mut context = codegen::Context::for_function(function);
        context.set_disasm(true);
        let code = context
            .compile(&*isa, &mut Default::default())
            .map_err(|error| CodeError::TooLarge(error.inner.to_string()))?;
        fits(Some(code))?;
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
        // A frame that is larger than the guard of a stack touches each page.
        ("enable_probestack", "true"),
        ("probestack_strategy", "inline"),
        ("enable_verifier", if cfg!(debug_assertions) { "true" } else { "false" }),
    ] {
        flags.set(name, value).map_err(|error| refused(&error))?;
    }
    let builder = cranelift::native::builder().map_err(|error| refused(&error))?;
    builder.finish(settings::Flags::new(flags)).map_err(|error| refused(&error))
}

fn program(selection: &Selection) -> Result<Program<'_>, CodeError> {
    if !selection.layout().little_endian {
        return Err(CodeError::ByteOrder);
    }
    let program = Program::of(selection);
    let work = program.work();
    within(work.longest, TOKENS, "bytes in one text or pattern")?;
    // What is far beyond the limit is not written at all.
    within(work.instructions / 4, INSTRUCTIONS, "instructions")?;
    Ok(program)
}

/// Returns an error if a function has more of something than it may have.
fn within(count: usize, most: usize, of: &str) -> Result<(), CodeError> {
    if count <= most {
        return Ok(());
    }
    Err(CodeError::TooLarge(format!("it would have more than {} {of}", Grouped(most))))
}

/// Returns the size of compiled code, unless its frame is too large.
fn fits(code: Option<&codegen::CompiledCode>) -> Result<usize, CodeError> {
    // There is no code and no frame that the compiler does not return.
    let frame = code.and_then(|code| code.buffer.frame_layout());
    let frame = frame.map_or(usize::MAX, |frame| frame.frame_to_fp_offset as usize);
    within(frame, FRAME, "bytes on the stack")?;
    Ok(code.map_or(0, |code| code.code_buffer().len()))
}

/// Writes the function of a program and its tables.
fn write(program: &Program<'_>, isa: &dyn isa::TargetIsa) -> Result<(Function, Box<[u8]>), CodeError> {
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
    within(function.dfg.num_insts(), INSTRUCTIONS, "instructions")?;
    Ok((function, tables.into_bytes()))
}

/// Returns the reason why a function is not in memory.
fn refused(error: ModuleError) -> CodeError {
    match error {
        ModuleError::Compilation(error) => CodeError::TooLarge(error.to_string()),
        ModuleError::Backend(error) => CodeError::Memory(of_system(&error.root_cause().to_string())),
        error => CodeError::Memory(of_system(&error.to_string())),
    }
}

/// Returns what the system says in an error: `System call failed: Permission denied (os error 13)` is the text of the
/// error that Cranelift passes on, which has no source.
fn of_system(text: &str) -> String {
    let text = text.rsplit_once(" (os error ").map_or(text, |(text, _)| text);
    text.rsplit_once(": ").map_or(text, |(_, text)| text).to_owned()
}

impl PageFilter for Code {
    fn select(
        &self,
        entries: &mut Entries<'_>,
        cpu: u32,
        selected: &mut Vec<Selected>,
    ) -> Result<u64, PageError> {
        walk_over(entries, |bytes, position| self.entry.walk(bytes, position, cpu, selected))
    }
}

/// Walks over entries to their end; `walk` walks from a position until there is no room, or to the end, and returns the
/// outcome.
fn walk_over(
    entries: &mut Entries<'_>,
    mut walk: impl FnMut(&[u8], &mut Position) -> u32,
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
        let outcome = walk(bytes, &mut position);
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
