//! `tracec build`: the artifacts of a session, and the result of each pass.

mod depfile;
mod names;
mod output;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use tracec::kernel::library;
use tracec_compiler::diagnostic::codes::unreadable_source::unreadable_source;
use tracec_compiler::dump::Pass;
use tracec_compiler::target::{File, Request, TARGETS, Target};
use tracec_compiler::{Analysis, Choice, Input, analyse, analyse_and_dump};
use tracec_kernel::plan::InstanceName;

use super::Failure;
use super::unknown::Looked;
use crate::cli::Build;
use crate::out::out;
use crate::source::Loaded;
use crate::{print, selected_kernel, source};

/// Builds the artifacts of a session, lists the targets, or prints the result of a pass.
pub(crate) fn build(arguments: &Build) -> Result<ExitCode, Failure> {
    let Build { file, source, kernel, target, output, instance, dump } = arguments;
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
    let target = target.as_deref().map(found).transpose()?;
    let profile = kernel.kernel.as_deref().and_then(library::file);
    let kernel = selected_kernel::source(kernel)?;
    let looked = Looked::new(kernel.as_ref());
    let instance = instance_name(&loaded, instance.as_deref())?;
    if let Some(word) = dump {
        return dumped(&loaded, &looked, target.unwrap_or(Target::recorder()), word);
    }
    let (Some(target), Some(directory)) = (target, output) else {
        let why = "`build` needs `--target NAME` and `-o DIR`; `--target list` lists the targets";
        return Err(Failure::Usage(why.to_owned()));
    };
    let input = Input { target, ..loaded.input(&looked) };
    let analysis = analyse(input, Choice::One(loaded.session.as_deref()));
    looked.report();
    let files = artifacts(&analysis, target, &instance, &looked)?;
    print::diagnostics(&analysis.sources, &analysis.diagnostics);
    if directory.as_os_str() == "-" {
        return to_stdout(&files);
    }
    let texts = analysis.inputs.iter().map(|id| analysis.sources.file(*id));
    let inputs: Vec<PathBuf> = texts
        .filter(|text| !text.one_liner && text.name != "-")
        .map(|text| PathBuf::from(&text.name))
        .chain(profile)
        .collect();
    output::write(directory, &files, &inputs)?;
    Ok(ExitCode::SUCCESS)
}

fn list() -> Result<ExitCode, Failure> {
    let mut out = out();
    let width = TARGETS.iter().map(|target| target.name.len()).max().unwrap_or(0);
    for Target { name, about, .. } in TARGETS {
        writeln!(out, "{name:width$}  {about}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn found(name: &str) -> Result<&'static Target, Failure> {
    Target::find(name).ok_or_else(|| {
        let known: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        Failure::Usage(format!("there is no target `{name}`; there are `{}`", known.join("`, `")))
    })
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

/// Returns the files that a target makes of the session.
fn artifacts(
    analysis: &Analysis,
    target: &Target,
    instance: &InstanceName,
    kernel: &Looked<'_>,
) -> Result<Vec<File>, Failure> {
    let sources = &analysis.sources;
    let named = names::in_artifacts(sources, &analysis.inputs).map_err(|error| {
        unreadable_source(&sources.main().name, &format!("the current directory cannot be read: {error}"))
    })?;
    let request = Request { instance, kernel, sources: &named };
    let (files, said) = analysis.make(|session| (target.build)(session, &request));
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
