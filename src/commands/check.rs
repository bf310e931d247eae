//! `tracec check`: reports the mistakes of a text.

mod fix;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use tracec_compiler::diagnostic::merge::{self, merge};
use tracec_compiler::source::Functions;
use tracec_compiler::{
    Analysis, Choice, Diagnostic, Input, KernelError, KernelSource, Severity, SourceMap, SourceText, analyse,
};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::tables::features::Support;

use super::Failure;
use crate::cli::{CheckOptions, Kernels, Source};
use crate::out::out;
use crate::selected_kernel::Selected;
use crate::{print, selected_kernel, source};

/// The result of a check.
struct Checked {
    /// The texts that the diagnostics refer to.
    sources: SourceMap,
    /// Errors and warnings in the order of the text.
    diagnostics: Vec<Diagnostic>,
    /// Whether `tracec run` refuses a clause that is valid.
    refused: bool,
}

/// Checks every session of a text, or the chosen one.
pub(crate) fn check(source: &Source, kernels: &Kernels, options: &CheckOptions) -> Result<ExitCode, Failure> {
    match look(source, kernels, options) {
        Err(Failure::Diagnostics(sources, said)) => {
            print::report(&sources, &said, options.format)?;
            Ok(ExitCode::FAILURE)
        }
        other => other,
    }
}

fn look(source: &Source, kernels: &Kernels, options: &CheckOptions) -> Result<ExitCode, Failure> {
    let loaded = source::load(source)?;
    let selected = selected_kernel::selected(kernels)?;
    for one in selected.iter().filter(|one| one.is_stand_in) {
        print::complain(&format!(
            "tracec: no tracefs is mounted; checked against {}, shipped with tracec as `{}`\n",
            one.source.describe(),
            one.label
        ));
    }
    let kernels = match selected.as_slice() {
        [one] => one.source.describe(),
        selected => merge::list(&selected.iter().map(|one| one.label.clone()).collect::<Vec<_>>()),
    };
    let check = |text: &SourceText| {
        against(&selected, |kernel| {
            let input = loaded.input(kernel);
            let input = Input { source: text, ..input };
            let choice = loaded.session.as_deref().map_or(Choice::All, |name| Choice::One(Some(name)));
            let analysis = analyse(input, choice);
            let diagnostics = analysis.foreseen(kernel);
            let refused = diagnostics.len() > analysis.diagnostics.len();
            let Analysis { sources, module, placement, .. } = analysis;
            // They are not freed: that would take as long as to simplify every condition, and the process ends after a
            // few analyses, one for each kernel or each round of fixes.
            std::mem::forget((module, placement));
            Checked { sources, diagnostics, refused }
        })
    };
    if options.fix {
        return fix::fix(&loaded.text, check, &kernels, options);
    }
    report(check(&loaded.text), &kernels, options)
}

/// Prints the diagnostics, or that there are no mistakes.
fn report(checked: Checked, kernels: &str, options: &CheckOptions) -> Result<ExitCode, Failure> {
    let Checked { sources, diagnostics: said, refused } = checked;
    if said.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Failure::Diagnostics(sources, said));
    }
    print::report(&sources, &said, options.format)?;
    if !options.format.is_data() {
        let [name, kernels] = [sources.main().name.as_str(), kernels].map(Escaped::text);
        let but = if refused { ", but `run` refuses what is not implemented yet" } else { "" };
        writeln!(out(), "{name}: no mistakes for {kernels}{but}")?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Checks against each kernel and returns the diagnostics of all, each once.
fn against(selected: &[Selected], check: impl Fn(&dyn KernelSource) -> Checked) -> Checked {
    let mut found = Vec::new();
    let (mut sources, mut refused) = (None, false);
    for one in selected {
        let checked = match selected.len() {
            1 => return check(one.source.as_ref()),
            _ => check(&Unnamed(one.source.as_ref())),
        };
        sources.get_or_insert(checked.sources);
        refused |= checked.refused;
        found.push((one.label.clone(), checked.diagnostics));
    }
    Checked { sources: sources.unwrap_or_default(), diagnostics: merge(found), refused }
}

/// One of several kernels. Messages do not name it, so that the same mistake has the same message on each.
struct Unnamed<'k>(&'k dyn KernelSource);

impl KernelSource for Unnamed<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        self.0.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        self.0.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        self.0.feature(name)
    }

    fn functions(&self) -> Option<Arc<Functions>> {
        self.0.functions()
    }

    fn describe(&self) -> String {
        "the kernel".to_owned()
    }

    fn is_running(&self) -> bool {
        self.0.is_running()
    }

    fn arch(&self) -> String {
        self.0.arch()
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        self.0.btf()
    }

    fn release(&self) -> String {
        self.0.release()
    }
}
