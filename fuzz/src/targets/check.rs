//! Laws for the diagnostics of every text.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use tracec_compiler::diagnostic::render;
use tracec_compiler::ir::{Module, Stop};
use tracec_compiler::{
    Choice, Diagnostic, Input, KernelError, KernelSource, Options, Severity, SourceText, analyse,
};
use tracec_grammar::span::Span;
use tracec_kernel::plan::InstanceName;

/// Checks a text as a file and as the text of `-e`, and compiles it.
pub fn check(data: &[u8]) {
    let Ok(text) = tracec_grammar::decode(data) else { return };
    for one_liner in [false, true] {
        let source = SourceText { name: "fuzz.trc".to_owned(), text: text.to_owned(), one_liner };
        let analysis = analyse(Input::new(&source, kernel()), Choice::All);
        laws(&source, &analysis.diagnostics);
        valid(&analysis.module);
        compiled(&source, &analysis.diagnostics);
    }
}

/// Asserts that spans lie in the text, every diagnostic has a message, and each can be rendered.
fn laws(source: &SourceText, diagnostics: &[Diagnostic]) {
    let inside =
        |span: Span| assert!(source.text.get(span.range()).is_some(), "{span:?} is outside the text");
    for diagnostic in diagnostics {
        assert!(!diagnostic.message.is_empty(), "{:?} says nothing", diagnostic.code);
        diagnostic.primary.iter().chain(&diagnostic.secondary).for_each(|label| inside(label.span));
        diagnostic.fixes.iter().flat_map(|fix| &fix.edits).for_each(|edit| inside(edit.span));
    }
    let shown = render::text::render(&source.clone().into(), diagnostics, false);
    for diagnostic in diagnostics {
        assert!(shown.contains(diagnostic.code.id), "{:?} is not shown", diagnostic.code);
    }
}

/// Asserts that every condition has a valid form and tests fields of its event.
fn valid(module: &Module) {
    for session in &module.sessions {
        let records = session.events.iter().flat_map(|event| {
            let triggers = event.triggers.iter().map(|trigger| trigger.condition);
            let all = event.record.iter().map(|record| record.filter).chain(triggers);
            all.map(|condition| (event.id, condition)).collect::<Vec<_>>()
        });
        let stops = session.stops.iter().flat_map(|stop| match &stop.value {
            Stop::On { events, count: _ } => events.clone(),
            _ => Vec::new(),
        });
        for (event, condition) in records.chain(stops) {
            for conjunct in &module.conditions[condition] {
                let form = conjunct.value.check();
                let form = form.and_then(|()| conjunct.value.check_fields(&module.catalogue[event]));
                assert_eq!(form, Ok(()), "{}", conjunct.value);
            }
        }
    }
}

/// Asserts that a text compiles to a plan or has an error, and that a text with an error for `check` has no plan.
fn compiled(source: &SourceText, checked: &[Diagnostic]) {
    let instance = InstanceName::new("fuzz").expect("a name for an instance");
    let compilation = tracec_compiler::compile(Input::new(source, kernel()), &Options::new(None, instance));
    laws(source, &compilation.diagnostics);
    let is_wrong = |diagnostics: &[Diagnostic]| diagnostics.iter().any(|d| d.severity == Severity::Error);
    assert_eq!(compilation.plan.is_none(), is_wrong(&compilation.diagnostics), "no plan and no reason");
    if let Some(plan) = &compilation.plan {
        assert!(!is_wrong(checked), "there is a plan for what `check` refuses: {checked:?}");
        assert!(!plan.to_string().is_empty());
    }
}

/// Returns the copy of a kernel in the tree, read once.
fn kernel() -> &'static Copy {
    static KERNEL: OnceLock<Copy> = OnceLock::new();
    KERNEL.get_or_init(Copy::read)
}

struct Copy {
    files: BTreeMap<String, String>,
}

impl Copy {
    fn read() -> Copy {
        // Relative to the directory of the fuzz targets, or to that of the main workspace.
        let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let root = above.map(|path| path.join("tests/data/kernel")).find(|path| path.is_dir());
        let root = root.expect("the tree has the copy of a kernel");
        let mut files = BTreeMap::new();
        let mut directories: Vec<PathBuf> = vec![root.clone()];
        while let Some(directory) = directories.pop() {
            for entry in std::fs::read_dir(directory).expect("a readable directory") {
                let path = entry.expect("a readable directory").path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let name = path.strip_prefix(&root).expect("a file below the root").to_str();
                    let name = name.expect("a name in UTF-8").to_owned();
                    files.insert(name, std::fs::read_to_string(&path).expect("a readable file"));
                }
            }
        }
        Copy { files }
    }
}

impl KernelSource for Copy {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Ok(self.files.get(path).cloned())
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let below = format!("{path}/");
        let inside = self.files.keys().filter_map(|file| file.strip_prefix(&below)?.split_once('/'));
        let mut names: Vec<String> = inside.map(|(name, _)| name.to_owned()).collect();
        names.dedup();
        Ok(names)
    }

    fn describe(&self) -> String {
        "the kernel of the fuzzer".to_owned()
    }
}
