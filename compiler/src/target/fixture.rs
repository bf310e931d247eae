//! Definitions that tests build.

use super::{DefinitionTarget, File, Surroundings, Tree};
use crate::{Choice, Input, KernelError, KernelSource, Severity, SourceText, analyse};

/// Files by their paths: a kernel, or a kernel tree.
pub(super) struct Files<'a>(pub(super) &'a [(&'a str, &'a str)]);

impl KernelSource for Files<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Ok(self.0.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned()))
    }

    fn directories(&self, _: &str) -> Result<Vec<String>, KernelError> {
        Ok(Vec::new())
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// Returns names and texts of the files of a target, or the messages of the errors.
pub(super) fn built(
    target: &str,
    text: &str,
    kernel: &Files<'_>,
    code: &[File],
    tree: Option<Tree<'_>>,
) -> Result<Vec<(String, String)>, Vec<String>> {
    let source = SourceText { name: "test.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let analysis = analyse(Input::new(&source, kernel), Choice::All);
    let target = DefinitionTarget::find(target).expect("a target");
    let with = Surroundings { kernel, sources: &analysis.sources, code, tree };
    let (files, said) = analysis.make_of_definitions(|module| target.build(module, &with));
    let errors = said.iter().filter(|said| said.severity == Severity::Error);
    let files = files.ok_or_else(|| errors.map(|said| said.message.clone()).collect::<Vec<_>>())?;
    Ok(files.into_iter().map(|file| (file.name, String::from_utf8(file.content).expect("UTF-8"))).collect())
}

/// Returns the files as one text, each behind a line with its name.
pub(super) fn joined(files: &[(String, String)]) -> String {
    files.iter().map(|(name, content)| format!("==> {name} <==\n{content}")).collect()
}

/// Returns a file of the tree, by its path from this crate.
pub(super) fn read(path: &str) -> String {
    let path = format!("{}/{path}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}
