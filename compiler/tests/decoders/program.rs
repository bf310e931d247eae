//! Decoders as programs: many conditions are built as one decoder, which is compiled and decides the records that it is
//! given.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tracec_compiler::ir::{AtomSpan, Conjunct, Event, EventLayout, Module, Recording, Session, Shown};
use tracec_compiler::target::DecoderTarget;
use tracec_compiler::{SourceMap, SourceText};
use tracec_grammar::span::Span;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::format::EventFormat;

/// A language that decoders are written in.
pub(crate) struct Language {
    /// The target.
    pub(crate) target: &'static str,
    /// The name of the file of the program.
    pub(crate) program: &'static str,
    /// Returns the program that reads pairs and prints the decision of each, of the decoder that it uses.
    pub(crate) main: fn(decoder: &str, sessions: usize) -> String,
    /// Returns the program that prints the fields of each record of an event.
    pub(crate) fields: fn(&EventFormat) -> String,
    /// Returns the compiler and its arguments but the program; for a planted error warnings are fine.
    pub(crate) compiler: fn(planted: bool) -> Command,
    /// Whether a decoder takes a record that is shorter than its layout; else it says so.
    pub(crate) takes_short: bool,
}

/// An error in what a target writes.
pub(crate) struct Planted {
    pub(crate) name: &'static str,
    /// What stands in the file, and what stands there instead.
    pub(crate) text: &'static str,
    pub(crate) instead: &'static str,
}

/// Returns the decoder of a text with a session for each condition, at the event of the index in `formats`.
pub(crate) fn decoder<'c>(
    target: &DecoderTarget,
    formats: &[&EventFormat],
    sessions: impl Iterator<Item = (usize, &'c Condition)>,
) -> String {
    let mut module = Module::default();
    let mut layout = |format: &EventFormat| {
        module.catalogue.add(EventLayout { format: format.clone(), text: "of a kernel".to_owned() })
    };
    let ids: Vec<_> = formats.iter().map(|format| layout(format)).collect();
    for (index, (event, condition)) in sessions.enumerate() {
        let filter = module.conditions.add(conjuncts(condition));
        let record =
            Recording { filter, demands: Vec::new(), shown: Shown::default(), clause: Span::default() };
        let mut session = Session::new(format!("s{index}"), Span::default());
        session.events.push(Event { id: ids[event], record: Some(record), triggers: Vec::new() });
        module.sessions.push(session);
    }
    let text = SourceText { name: "decoder.trc".to_owned(), ..SourceText::default() };
    let files = target.build(&module, &SourceMap::new(text)).expect("it is built");
    let [file] = files.as_slice() else { panic!("{} files", files.len()) };
    String::from_utf8(file.content.clone()).expect("UTF-8")
}

/// Returns a condition as a session has it.
fn conjuncts(condition: &Condition) -> Vec<Conjunct> {
    let parts = match condition {
        Condition::And(parts) => parts.clone(),
        other => vec![other.clone()],
    };
    let conjunct = |value: Condition| match value {
        // A conjunction in a conjunction is not one conjunct; twice denied it is.
        Condition::And(_) => Condition::Not(Box::new(Condition::Not(Box::new(value)))),
        other => other,
    };
    let parts = parts.into_iter().map(conjunct).map(|value| {
        let atoms = vec![AtomSpan { span: Span::default(), written: None }; value.atoms().len()];
        Conjunct { value, span: Span::default(), atoms }
    });
    parts.collect()
}

/// Returns a directory of the tests with this name, which is made.
pub(crate) fn directory(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&directory).expect("a directory");
    directory
}

/// Compiles a decoder with the program that uses it, and returns the program's path.
pub(crate) fn compile(
    language: &Language,
    directory: &Path,
    decoder: &str,
    main: &str,
    planted: bool,
) -> PathBuf {
    let target = DecoderTarget::find(language.target).expect("a target");
    let extension = language.program.rsplit_once('.').map_or("", |(_, extension)| extension);
    let extension = if extension == "c" { "h" } else { extension };
    std::fs::write(directory.join(format!("decoder.{extension}")), decoder).expect("a file");
    std::fs::write(directory.join(language.program), main).expect("a file");
    let output = (language.compiler)(planted).arg(language.program).current_dir(directory).output();
    let output = output.unwrap_or_else(|error| panic!("the compiler of {}: {error}", target.name));
    let errors = String::from_utf8_lossy(&output.stderr);
    let shown: String = errors.chars().take(4_000).collect();
    assert!(output.status.success(), "{} in {}:\n{shown}", target.name, directory.display());
    directory.join("program")
}

/// A record, and what its moment has beside it, for the condition of a session.
pub(crate) struct Question<'a> {
    pub(crate) session: usize,
    pub(crate) cpu: u32,
    pub(crate) tgid: i32,
    pub(crate) comm: &'a [u8],
    pub(crate) record: &'a [u8],
}

impl Question<'_> {
    /// Returns it as a program reads it: the number of the session, the CPU, the process id, the task's name in 16 bytes,
    /// the length of the record and the record.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        bytes.extend((self.session as u32).to_ne_bytes());
        bytes.extend(self.cpu.to_ne_bytes());
        bytes.extend(self.tgid.to_ne_bytes());
        let mut comm = self.comm.to_vec();
        comm.resize(16, 0);
        bytes.extend(comm);
        bytes.extend((self.record.len() as u32).to_ne_bytes());
        bytes.extend(self.record);
        bytes
    }
}

/// Runs a program and returns what it prints.
pub(crate) fn decisions(program: &Path, input: &[u8]) -> String {
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut pipe = child.stdin.take().expect("a pipe");
    let output = std::thread::scope(|scope| {
        // A program that fails reads no more; its exit code says so.
        scope.spawn(move || pipe.write_all(input).ok());
        child.wait_with_output().expect("it ends")
    });
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {}\n{errors}", program.display(), output.status);
    String::from_utf8(output.stdout).expect("digits")
}
