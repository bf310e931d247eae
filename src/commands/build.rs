//! `tracec build`: the artifacts of a session, and the result of each pass.

mod depfile;
mod names;
mod output;
mod source_tree;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use tracec::kernel::library;
use tracec_compiler::diagnostic::codes::unreadable_source::unreadable_source;
use tracec_compiler::dump::Pass;
use tracec_compiler::target::{
    DECODER_TARGETS, DEFINITION_TARGETS, DecoderTarget, DefinitionTarget, File, Request, Surroundings,
    TARGETS, Target,
};
use tracec_compiler::{Analysis, Choice, Input, analyse, analyse_and_dump};
use tracec_kernel::nearest::nearest;
use tracec_kernel::plan::InstanceName;

use self::source_tree::SourceTree;
use super::Failure;
use super::code;
use super::unknown::Looked;
use crate::cli::Build;
use crate::out::out;
use crate::source::Loaded;
use crate::{print, selected_kernel, source};

/// What is built, and as which form.
#[derive(Clone, Copy)]
enum Chosen {
    /// A session.
    Session(&'static Target),
    /// The tracepoints that the text defines.
    Definitions(&'static DefinitionTarget),
    /// Decoders of the records of sessions and tracepoints.
    Records(&'static DecoderTarget),
}

/// What definitions are built with besides the text.
#[derive(Clone, Copy)]
struct Besides<'a> {
    /// The C files of `--with`.
    code: &'a [File],
    /// The kernel tree of `--into`.
    tree: Option<&'a SourceTree>,
}

/// Builds the artifacts of a session or of the tracepoints of a text, lists the targets, or prints the result of a pass.
pub(crate) fn build(arguments: &Build) -> Result<ExitCode, Failure> {
    let Build { file, source, kernel, target, output, instance, with, into, dump } = arguments;
    if target.as_deref() == Some("list") {
        if file.is_some() || source.expression.is_some() {
            let why = "`tracec build --target list` takes no file: it lists the targets that exist";
            return Err(Failure::Usage(why.to_owned()));
        }
        if *arguments != (Build { target: target.clone(), ..Build::default() }) {
            return Err(Failure::Usage("`tracec build --target list` takes no other argument".to_owned()));
        }
        return list();
    }
    if file.is_none() && source.expression.is_none() {
        return Err(Failure::Usage("name a .trc file, or a session with -e".to_owned()));
    }
    let loaded = source::load_or(file.as_deref(), source)?;
    let chosen = target.as_deref().map(found).transpose()?;
    match chosen {
        Some(Chosen::Definitions(target)) => needs_no_session(target, &loaded, instance.as_deref())?,
        Some(Chosen::Records(target)) => needs_no_instance(target, instance.as_deref())?,
        Some(Chosen::Session(_)) | None => {}
    }
    takes_code(chosen, with)?;
    takes_tree(chosen, into.as_deref())?;
    let target = match chosen {
        Some(Chosen::Session(target)) => target,
        Some(Chosen::Records(target)) => &target.conditions,
        _ => Target::recorder(),
    };
    let profile = kernel.kernel.as_deref().and_then(library::file);
    let kernel = selected_kernel::source(kernel)?;
    let looked = Looked::new(kernel.as_ref());
    let instance = instance_name(&loaded, instance.as_deref())?;
    if let Some(word) = dump {
        return dumped(&loaded, &looked, target, word);
    }
    let (Some(chosen), Some(directory)) = (chosen, output) else {
        let why = "`build` needs `--target NAME` and `-o DIR`; `--target list` lists the targets";
        return Err(Failure::Usage(why.to_owned()));
    };
    let input = Input { target, ..loaded.input(&looked) };
    let choice = match chosen {
        Chosen::Session(_) => Choice::One(loaded.session.as_deref()),
        Chosen::Records(_) if loaded.session.is_some() => Choice::One(loaded.session.as_deref()),
        Chosen::Definitions(_) | Chosen::Records(_) => Choice::All,
    };
    let analysis = analyse(input, choice);
    looked.report();
    if matches!(chosen, Chosen::Records(_)) && choice == Choice::All {
        needs_all_sessions(&analysis)?;
    }
    let code = code::read(with)?;
    let tree = into.as_deref().map(SourceTree::of).transpose()?;
    let besides = Besides { code: &code, tree: tree.as_ref() };
    let files = artifacts(&analysis, chosen, &instance, &looked, besides)?;
    print::diagnostics(&analysis.sources, &analysis.diagnostics);
    if directory.as_os_str() == "-" {
        return to_stdout(&files);
    }
    let texts = analysis.inputs.iter().map(|id| analysis.sources.file(*id));
    let inputs: Vec<PathBuf> = texts
        .filter(|text| !text.one_liner && text.name != "-")
        .map(|text| PathBuf::from(&text.name))
        .chain(profile)
        .chain(with.iter().cloned())
        .collect();
    output::write(directory, &files, &inputs)?;
    Ok(ExitCode::SUCCESS)
}

fn list() -> Result<ExitCode, Failure> {
    let mut out = out();
    let all: Vec<_> = all_targets().collect();
    let width = all.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, about) in all {
        writeln!(out, "{name:width$}  {about}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns name and description of each target.
fn all_targets() -> impl Iterator<Item = (&'static str, &'static str)> {
    let of_sessions = TARGETS.iter().map(|target| (target.name, target.about));
    let of_definitions = DEFINITION_TARGETS.iter().map(|target| (target.name, target.about));
    let of_records = DECODER_TARGETS.iter().map(|target| (target.name, target.about));
    of_sessions.chain(of_definitions).chain(of_records)
}

fn found(name: &str) -> Result<Chosen, Failure> {
    let session = Target::find(name).map(Chosen::Session);
    let definitions = || DefinitionTarget::find(name).map(Chosen::Definitions);
    let records = || DecoderTarget::find(name).map(Chosen::Records);
    session.or_else(definitions).or_else(records).ok_or_else(|| {
        let known: Vec<&str> = all_targets().map(|(name, _)| name).collect();
        let meant = match &*nearest(name, known.iter().copied(), 1) {
            [] => ";".to_owned(),
            near => format!(": did you mean `{}`?", near.join("`, `")),
        };
        Failure::Usage(format!("there is no target `{name}`{meant} there are `{}`", known.join("`, `")))
    })
}

/// Refuses C files for a target that has no use for them.
fn takes_code(chosen: Option<Chosen>, with: &[PathBuf]) -> Result<(), Failure> {
    let name = match chosen {
        _ if with.is_empty() => return Ok(()),
        Some(Chosen::Definitions(target)) if target.takes_code => return Ok(()),
        Some(Chosen::Definitions(target)) => target.name,
        Some(Chosen::Session(target)) => target.name,
        Some(Chosen::Records(target)) => target.name,
        None => return Err(Failure::Usage("`--with` needs `--target module`".to_owned())),
    };
    Err(Failure::Usage(format!("the target `{name}` takes no C file: leave out `--with`")))
}

/// Refuses a target that is made for a kernel tree without one, and a kernel tree for another.
fn takes_tree(chosen: Option<Chosen>, into: Option<&Path>) -> Result<(), Failure> {
    let needs = matches!(chosen, Some(Chosen::Definitions(target)) if target.needs_tree);
    match (needs, into) {
        (false, Some(_)) => Err(Failure::Usage("`--into` needs `--target kernel-tree`".to_owned())),
        (true, None) => {
            let why =
                "name the directory of the tree that gets the tracepoints: `--into LINUX/drivers/block`";
            Err(Failure::Usage(format!("the target `kernel-tree` is made for a kernel tree; {why}")))
        }
        _ => Ok(()),
    }
}

/// Refuses arguments that concern a session where none is built.
fn needs_no_session(
    target: &DefinitionTarget,
    loaded: &Loaded,
    instance: Option<&str>,
) -> Result<(), Failure> {
    let what = match (&loaded.session, instance) {
        (Some(session), _) => format!("leave out `#{session}`"),
        (None, Some(_)) => "leave out `--instance`".to_owned(),
        (None, None) => return Ok(()),
    };
    let why = "is made of the tracepoints of a file, and not of a session";
    Err(Failure::Usage(format!("the target `{}` {why}: {what}", target.name)))
}

/// Refuses the name of an instance where nothing is recorded.
fn needs_no_instance(target: &DecoderTarget, instance: Option<&str>) -> Result<(), Failure> {
    if instance.is_none() {
        return Ok(());
    }
    let why = "reads records, whatever instance they are from";
    Err(Failure::Usage(format!("the target `{}` {why}: leave out `--instance`", target.name)))
}

/// Refuses a text with a session that depends on a parameter without a value: the analysis of all sessions leaves it
/// out.
fn needs_all_sessions(analysis: &Analysis) -> Result<(), Failure> {
    if analysis.has_errors() {
        return Ok(());
    }
    let parsed = tracec_grammar::parse(&analysis.sources.main().text);
    let names = parsed.file.sessions().filter_map(|session| session.name.as_ref());
    let is_there = |name: &str| analysis.module.sessions.iter().any(|session| session.name == name);
    match names.map(|name| &name.value).find(|name| !is_there(name)) {
        Some(left_out) => {
            let why = "has a parameter without a value";
            Err(Failure::Usage(format!(
                "the session `{left_out}` {why}: give it one with `--set NAME=VALUE`"
            )))
        }
        None => Ok(()),
    }
}

/// Prints the result of a pass for a target, also for a text with mistakes.
fn dumped(
    loaded: &Loaded,
    kernel: &Looked<'_>,
    target: &'static Target,
    pass: &str,
) -> Result<ExitCode, Failure> {
    let Some(pass) = Pass::ALL.into_iter().find(|known| known.word() == pass) else {
        let known = Pass::ALL.map(Pass::word).join("`, `");
        return Err(Failure::Usage(format!("there is no pass `{pass}`; in their order they are `{known}`")));
    };
    let choice = loaded.session.as_deref().map_or(Choice::All, |name| Choice::One(Some(name)));
    let (analysis, text) = analyse_and_dump(Input { target, ..loaded.input(kernel) }, choice, pass);
    out().write_all(text.as_bytes())?;
    kernel.report();
    print::diagnostics(&analysis.sources, &analysis.diagnostics);
    Ok(if analysis.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Returns the files that a target makes.
fn artifacts(
    analysis: &Analysis,
    chosen: Chosen,
    instance: &InstanceName,
    kernel: &Looked<'_>,
    besides: Besides<'_>,
) -> Result<Vec<File>, Failure> {
    let sources = &analysis.sources;
    let named = names::in_artifacts(sources, &analysis.inputs).map_err(|error| {
        unreadable_source(&sources.main().name, &format!("the current directory cannot be read: {error}"))
    })?;
    let request = Request { instance, kernel, sources: &named };
    let Besides { code, tree } = besides;
    let tree = tree.map(SourceTree::as_tree);
    let surroundings = Surroundings { kernel, sources: &named, code, tree };
    let (files, said) = match chosen {
        Chosen::Session(target) => analysis.make(|session| (target.build)(session, &request)),
        Chosen::Definitions(target) => {
            analysis.make_of_definitions(|module| target.build(module, &surroundings))
        }
        Chosen::Records(target) => analysis.make_of_definitions(|module| target.build(module, &named)),
    };
    files.ok_or_else(|| Failure::Diagnostics(sources.clone(), said))
}

/// Returns the instance's name. It does not depend on this process: the same input yields the same bytes.
fn instance_name(loaded: &Loaded, wanted: Option<&str>) -> Result<InstanceName, Failure> {
    match wanted {
        Some(_) => super::plan::instance_name(loaded, wanted),
        None => super::plan::instance_name(loaded, Some(&format!("tracec.{}", super::plan::stem(loaded)))),
    }
}

/// Writes the file of a target to standard output.
fn to_stdout(files: &[File]) -> Result<ExitCode, Failure> {
    let [file] = files else {
        let why = format!("`-o -` takes one file, and the target makes {}: name a directory", files.len());
        return Err(Failure::Usage(why));
    };
    out().write_all(&file.content)?;
    Ok(ExitCode::SUCCESS)
}
