//! `tracec list`: the events, options and other features of a kernel.

use std::io::Write;
use std::process::ExitCode;

use clap::ValueEnum;
use tracec_compiler::diagnostic::codes;
use tracec_compiler::resolve::pattern;
use tracec_compiler::{KernelError, KernelSource, stdlib};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::{clocks, features, options, tracers, triggers};

use super::Failure;
use crate::cli::{Kernel, ListKind};
use crate::out::out;
use crate::{print, selected_kernel};

/// Lists the things of a kind that match a pattern.
pub(crate) fn list(
    pattern: Option<&str>,
    verbose: bool,
    kind: ListKind,
    kernel: &Kernel,
) -> Result<ExitCode, Failure> {
    let kernel = selected_kernel::source(kernel)?;
    let mut out = std::io::BufWriter::new(out());
    let found = match kind {
        ListKind::Events => events(pattern, verbose, kernel.as_ref(), &mut out)?,
        ListKind::Options => table(pattern, options::ALL.iter().map(|o| (o.name, o.doc)), &mut out)?,
        ListKind::Clocks => {
            let all = clocks::ALL.iter().map(|clock| (clock.name, clock.doc)).collect();
            present(pattern, words_of("trace_clock", kernel.as_ref())?, all, kernel.as_ref(), &mut out)?
        }
        ListKind::Triggers => {
            let all = triggers::ALL.iter().map(|trigger| (trigger.name, trigger.doc)).collect();
            present(pattern, triggers_of(kernel.as_ref())?, all, kernel.as_ref(), &mut out)?
        }
        ListKind::Tracers => {
            let all = tracers::ALL.iter().map(|tracer| (tracer.name, tracer.doc)).collect();
            present(pattern, words_of("available_tracers", kernel.as_ref())?, all, kernel.as_ref(), &mut out)?
        }
        ListKind::Functions => functions(pattern, kernel.as_ref(), &mut out)?,
        ListKind::Modules => {
            let modules = stdlib::modules().iter().map(|module| (module.name, module.about()));
            table(pattern, modules, &mut out)?
        }
        ListKind::Features => features_of(pattern, kernel.as_ref(), &mut out)?,
    };
    out.flush()?;
    match (found, pattern) {
        (0, Some(pattern)) => {
            let said = codes::nothing_listed::nothing_listed(pattern, &kernel.describe());
            let is_kind = ListKind::from_str(pattern, true).is_ok();
            Err(if is_kind { said.help(format!("write `tracec list --kind {pattern}`")) } else { said }
                .into())
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn events(
    wanted: Option<&str>,
    verbose: bool,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(None, &reason);
    let mut systems = kernel.directories("events").map_err(|error| unreadable(error.to_string()))?;
    systems.sort();
    let mut found = 0;
    for system in systems.iter().filter(|system| *system != "ftrace") {
        let members = kernel.directories(&format!("events/{system}"));
        let mut members = members.map_err(|error| unreadable(error.to_string()))?;
        members.sort();
        for member in members {
            let name = format!("{system}:{member}");
            if !fits(wanted, &name) {
                continue;
            }
            found += 1;
            writeln!(out, "{}", Escaped::text(&name))?;
            if verbose {
                fields(kernel, system, &member, out)?;
            }
        }
    }
    Ok(found)
}

fn fields(
    kernel: &dyn KernelSource,
    system: &str,
    member: &str,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let path = format!("events/{system}/{member}/format");
    let unreadable = |reason: String| codes::kernel_unreadable::kernel_unreadable(None, &reason);
    let Some(text) = kernel.read(&path).map_err(|error| unreadable(error.to_string()))? else {
        return Ok(());
    };
    let format = EventFormat::parse(system, &text).map_err(|error| unreadable(format!("{path}: {error}")))?;
    for field in format.own_fields() {
        writeln!(out, "    {:<24} {}", field.name, Escaped::text(&field.type_text))?;
    }
    Ok(())
}

fn table<'a>(
    wanted: Option<&str>,
    rows: impl Iterator<Item = (&'a str, &'a str)>,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let mut found = 0;
    for (name, doc) in rows.filter(|(name, _)| fits(wanted, name)) {
        found += 1;
        writeln!(out, "{name:<20} {doc}")?;
    }
    Ok(found)
}

/// Lists the names that the kernel has, in its order; all that tracec knows if the kernel does not say which it has.
fn present(
    wanted: Option<&str>,
    names: Option<Vec<String>>,
    known: Vec<(&str, &str)>,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let Some(names) = names else {
        let kernel = kernel.describe();
        print::complain(&format!("tracec: {kernel} does not say which of these it has\n"));
        return table(wanted, known.into_iter(), out);
    };
    let doc = |name: &str| known.iter().find(|(known, _)| *known == name).map_or("", |(_, doc)| *doc);
    let rows: Vec<(String, &str)> =
        names.iter().map(|name| (Escaped::text(name).to_string(), doc(name))).collect();
    table(wanted, rows.iter().map(|(name, doc)| (name.as_str(), *doc)), out)
}

/// Returns the words of a control file, without the marks of the one that is chosen; `None` if there is no such file.
fn words_of(file: &str, kernel: &dyn KernelSource) -> Result<Option<Vec<String>>, Failure> {
    let text = kernel.read(file).map_err(|error| unreadable(&error))?;
    let word = |word: &str| word.trim_matches(['[', ']']).to_owned();
    Ok(text.map(|text| text.split_whitespace().map(word).collect()))
}

/// Returns the triggers that the first event without an armed one lists; `None` if there is no such event.
fn triggers_of(kernel: &dyn KernelSource) -> Result<Option<Vec<String>>, Failure> {
    for system in kernel.directories("events").map_err(|error| unreadable(&error))? {
        // Events of the kernel's own records have no triggers.
        if system == "ftrace" {
            continue;
        }
        for event in kernel.directories(&format!("events/{system}")).map_err(|error| unreadable(&error))? {
            let path = format!("events/{system}/{event}/trigger");
            let text = kernel.read(&path).map_err(|error| unreadable(&error))?;
            if let Some(listed) = text.as_deref().and_then(triggers::listed) {
                return Ok(Some(listed.map(str::to_owned).collect()));
            }
        }
    }
    Ok(None)
}

fn functions(
    wanted: Option<&str>,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let Some(functions) = kernel.functions() else {
        let reason = format!("{} has no list of its functions", kernel.describe());
        return Err(codes::kernel_unreadable::kernel_unreadable(None, &reason).into());
    };
    let mut found = 0;
    for name in functions.names.iter().filter(|name| fits(wanted, name)) {
        found += 1;
        writeln!(out, "{}", Escaped::text(name))?;
    }
    Ok(found)
}

fn unreadable(error: &KernelError) -> Failure {
    codes::kernel_unreadable::kernel_unreadable(None, &error.to_string()).into()
}

fn features_of(
    wanted: Option<&str>,
    kernel: &dyn KernelSource,
    out: &mut impl Write,
) -> Result<usize, Failure> {
    let mut found = 0;
    for feature in features::ALL.iter().filter(|feature| fits(wanted, feature.name)) {
        found += 1;
        let (name, doc) = (feature.name, feature.doc);
        match kernel.feature(name) {
            Support::Unknown(reason) => {
                writeln!(out, "{name:<24} unknown  {doc} ({})", Escaped::text(&reason))?
            }
            support => writeln!(out, "{name:<24} {:<7}  {doc}", support.to_string())?,
        }
    }
    Ok(found)
}

/// Returns whether a name matches: a pattern with wildcards is matched against the whole name, another is searched for
/// in it.
fn fits(wanted: Option<&str>, name: &str) -> bool {
    match wanted {
        None => true,
        Some(wanted) if pattern::is_glob(wanted) => pattern::matches(wanted, name),
        Some(wanted) => name.contains(wanted),
    }
}
