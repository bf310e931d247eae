//! Every code has a page that says what it means, and a test that raises it: the page's own wrong example, at the place
//! that the page marks, or, where the machine plays a part, a test that is named here.

mod common;
mod fixes;

use std::path::PathBuf;

use common::{Copy, check, text};
use tracec_compiler::diagnostic::{Code, codes};
use tracec_compiler::target::is_implemented;
use tracec_compiler::validate::Clause;
use tracec_compiler::{Diagnostic, KernelError, KernelSource, SourceText};
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::triggers;

/// The location that the test of a code without an example compares.
enum TestedLocation {
    /// The test compares the place: this stands in its source, as it is written there.
    Compared(&'static str),
    /// What is raised points into no text, such as a file that cannot be read: what raises it knows no place.
    None,
}

/// Codes that no example on a page can raise, with the test that does: its file and its function, which names the code,
/// and the place that it compares.
const ELSEWHERE: &[(&str, &str, &str, TestedLocation)] = &[
    (
        "T0757",
        "compiler/tests/spellings.rs",
        "functions_that_no_list_has_are_remarked",
        TestedLocation::Compared("\"vfs_wriite\""),
    ),
    ("T0001", "tests/cli.rs", "a_large_wrong_file_is_refused_quickly", TestedLocation::None),
    (
        "T0002",
        "compiler/tests/mistakes.rs",
        "a_mistake_over_a_group_is_said_once_and_many_are_cut",
        TestedLocation::Compared("Some((\"T0002\", &None))"),
    ),
    (
        "T0003",
        "compiler/tests/mistakes.rs",
        "what_is_too_deep_or_too_long_is_one_mistake",
        TestedLocation::Compared("\"T0003\", \"!\""),
    ),
    (
        "T0028",
        "compiler/tests/mistakes.rs",
        "what_is_too_deep_or_too_long_is_one_mistake",
        TestedLocation::Compared("\"when\""),
    ),
    (
        "T0040",
        "compiler/tests/lints.rs",
        "characters_that_change_the_direction_of_text_are_marked",
        TestedLocation::Compared("\"\\u{202e}\""),
    ),
    ("T0110", "tests/cli.rs", "one_session_of_several_is_chosen_by_name", TestedLocation::None),
    (
        "T0113",
        "compiler/tests/imports.rs",
        "module_without_values_for_the_kernel_is_reported",
        TestedLocation::Compared("\"std::syscall\""),
    ),
    (
        "T0115",
        "compiler/tests/imports.rs",
        "files_that_import_each_other_are_a_circle",
        TestedLocation::Compared("\"\\\"test.trc\\\"\""),
    ),
    (
        "T0121",
        "compiler/tests/imports.rs",
        "sessions_include_each_other_up_to_a_limit",
        TestedLocation::Compared("\"a65\""),
    ),
    (
        "T0242",
        "compiler/src/check/condition/tests.rs",
        "impossible_conditions_are_reported_at_their_span",
        TestedLocation::Compared("\"vfs_raed\""),
    ),
    (
        "T0245",
        "compiler/src/check/condition/tests.rs",
        "impossible_cpus_are_reported",
        TestedLocation::Compared("\"CPUS{0,512}\""),
    ),
    (
        "T0137",
        "compiler/tests/imports.rs",
        "what_is_included_has_a_limit",
        TestedLocation::Compared("\"a59\""),
    ),
    ("T0309", "tests/cli.rs", "one_session_of_several_is_chosen_by_name", TestedLocation::None),
    (
        "T0402",
        "compiler/tests/mistakes.rs",
        "what_is_too_deep_or_too_long_is_one_mistake",
        TestedLocation::Compared("condition.as_str()"),
    ),
    (
        "T0403",
        "compiler/tests/plans.rs",
        "what_no_target_carries_out_is_refused",
        TestedLocation::Compared("\"option overwrite off;\""),
    ),
    (
        "T0406",
        "src/machine.rs",
        "other_layout_is_a_diagnostic_at_the_condition",
        TestedLocation::Compared("Span::new(2, 5)"),
    ),
    (
        "T0407",
        "compiler/src/validate/tests.rs",
        "condition_of_a_wrong_form_is_refused",
        TestedLocation::Compared("Span::new(0, 5)"),
    ),
    (
        "T0408",
        "tests/build.rs",
        "what_only_another_target_carries_out_is_refused_at_its_place",
        TestedLocation::Compared("-e:1:23"),
    ),
    ("T0501", "tests/harness/bad_input.rs", "no_tracefs", TestedLocation::None),
    ("T0502", "tests/harness/bad_input.rs", "not_root", TestedLocation::None),
    ("T0503", "tests/harness/bad_input.rs", "read_only", TestedLocation::None),
    ("T0504", "xtask/src/test/machine.rs", "locked_down", TestedLocation::None),
    ("T0505", "tests/harness/refusals.rs", "stale_profile", TestedLocation::Compared("stale.trc:{}:")),
    ("T0506", "tests/harness/refusals.rs", "taken", TestedLocation::None),
    ("T0507", "tests/harness/bad_input.rs", "instance_names", TestedLocation::None),
    ("T0508", "tests/harness/bad_input.rs", "full_runtime_dir", TestedLocation::None),
    ("T0509", "tests/harness/bad_input.rs", "full_disk", TestedLocation::Compared("-e:1:38")),
    ("T0510", "tests/harness/signals.rs", "no_command", TestedLocation::None),
    ("T0511", "src/machine.rs", "residue_is_a_diagnostic_with_all_paths", TestedLocation::None),
    ("T0512", "tests/cli.rs", "files_that_cannot_be_used_are_reported", TestedLocation::Compared("-e:1:1")),
    ("T0513", "tests/cli.rs", "files_that_cannot_be_used_are_reported", TestedLocation::None),
    ("T0514", "tests/check.rs", "what_concerns_no_text_has_the_form_too", TestedLocation::None),
    ("T0515", "tests/cli.rs", "files_that_cannot_be_used_are_reported", TestedLocation::None),
    ("T0516", "tests/harness/bad_input.rs", "not_a_tracefs", TestedLocation::None),
    ("T0517", "src/machine.rs", "refused_system_call_is_a_diagnostic", TestedLocation::None),
    ("T0518", "tests/cli.rs", "every_code_can_be_explained", TestedLocation::None),
    ("T0519", "tests/cli.rs", "lists_take_globs_and_parts", TestedLocation::None),
    ("T0520", "tests/harness/bad_input.rs", "json_and_output", TestedLocation::Compared("-e:1:34")),
    ("T0521", "tests/harness/bad_input.rs", "no_command", TestedLocation::Compared("-e:1:27")),
    (
        "T0522",
        "src/commands/module/kbuild.rs",
        "error_of_gcc_is_reported_at_its_definition",
        TestedLocation::Compared("Span::new(7, 9)"),
    ),
    (
        "T0525",
        "src/machine.rs",
        "refused_program_is_a_diagnostic_at_its_clause",
        TestedLocation::Compared("Some(Span::new(2, 5))"),
    ),
    ("T0526", "tests/harness/scopes.rs", "refused", TestedLocation::Compared(".trc:1:24")),
    ("T0527", "tests/harness/life.rs", "value_taken", TestedLocation::Compared("-e:1:10")),
    ("T0529", "tests/harness/rotations.rs", "without_a_file", TestedLocation::Compared("-e:1:1")),
    ("T0528", "tests/harness/started.rs", "two_of_a_name", TestedLocation::None),
    ("T0523", "tests/harness/kbuild.rs", "event_taken", TestedLocation::Compared("kbuild.trc:1:24")),
    (
        "T0524",
        "src/commands/module/inspect.rs",
        "module_of_another_name_text_or_kernel_or_that_stays_loaded_is_refused",
        TestedLocation::None,
    ),
    ("T0602", "tests/kernels.rs", "file_that_is_not_a_profile_is_reported", TestedLocation::None),
    ("T0603", "tests/kernels.rs", "file_that_is_not_a_profile_is_reported", TestedLocation::None),
    ("T0604", "tests/kernels.rs", "file_that_is_not_a_profile_is_reported", TestedLocation::None),
    ("T0605", "tests/kernels.rs", "file_that_is_not_a_profile_is_reported", TestedLocation::None),
    (
        "T0752",
        "compiler/tests/definitions/mistakes.rs",
        "probes_have_a_limit_of_fields",
        TestedLocation::Compared("\"f128 = %di: u8;\""),
    ),
    (
        "T0756",
        "tests/kernels.rs",
        "definitions_need_what_the_kernel_has",
        TestedLocation::Compared("0.trc:2:12"),
    ),
    (
        "T0901",
        "compiler/src/diagnostic/lints/tests.rs",
        "wrong_names_and_levels_are_reported_with_the_nearest",
        TestedLocation::Compared("(\"T0901\", 130,"),
    ),
    (
        "T0902",
        "compiler/src/diagnostic/lints/tests.rs",
        "wrong_names_and_levels_are_reported_with_the_nearest",
        TestedLocation::Compared("(\"T0902\", 430,"),
    ),
];

/// What only a file declares: an example that holds one is a file.
const DECLARATIONS: [&str; 9] =
    ["session", "use", "const", "enum", "flags", "class", "event", "subsystem", "lint"];

/// An example on a page.
#[derive(Debug)]
struct Example {
    text: String,
    marks: Vec<Mark>,
}

/// A line of carets below a line of an example, and what stands behind them.
#[derive(Debug, PartialEq, Eq)]
struct Mark {
    /// The first byte of the example that is marked.
    start: usize,
    /// How many are; an empty place is marked by one caret.
    width: usize,
    label: String,
}

/// The indented block behind a line such as `Wrong:`.
fn example(page: &str, heading: &str) -> Option<Example> {
    let mut lines = page.lines().skip_while(|line| *line != heading);
    lines.next()?;
    let mut example = Example { text: String::new(), marks: Vec::new() };
    let mut line_start = 0;
    for line in lines.skip_while(|line| line.is_empty()).map_while(|line| line.strip_prefix("    ")) {
        let indent = line.len() - line.trim_start().len();
        let width = line[indent..].chars().take_while(|&c| c == '^').count();
        if width > 0 {
            let label = line[indent + width..].trim().to_owned();
            example.marks.push(Mark { start: line_start + indent, width, label });
        } else {
            line_start = example.text.len();
            example.text.push_str(line);
            example.text.push('\n');
        }
    }
    (!example.text.is_empty()).then_some(example)
}

/// The text that an example stands for, and where in it the example begins: pages show clauses, and a session that
/// holds them has an event besides.
fn source(example: &Example) -> (SourceText, usize) {
    let is_file = |line: &str| {
        let word = line.split_whitespace().next().unwrap_or_default();
        line.starts_with("//!") || DECLARATIONS.contains(&word)
    };
    if example.text.lines().any(is_file) {
        return (text(&example.text), 0);
    }
    let head = "session s {\n";
    let tail = "on sched:sched_process_wait { trigger traceoff; }\n}\n";
    (text(&format!("{head}{}{tail}", example.text)), head.len())
}

/// The kernel of the tree, and in it another system with an event that `sched` has too.
struct Twice;

impl KernelSource for Twice {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Copy.read(&path.replace("events/demo/", "events/sched/"))
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        match path {
            "events/demo" => Ok(vec!["sched_switch".to_owned()]),
            "events" => {
                let systems = Copy.directories(path)?;
                Ok(systems.into_iter().chain(["demo".to_owned()]).collect())
            }
            other => Copy.directories(other),
        }
    }

    fn feature(&self, name: &str) -> Support {
        Copy.feature(name)
    }

    fn describe(&self) -> String {
        Copy.describe()
    }
}

/// The kernel of the tree without sub-buffers of several pages.
struct OnePage;

impl KernelSource for OnePage {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Copy.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        Copy.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        if name == "subbuffer-size" { Support::No } else { Copy.feature(name) }
    }

    fn describe(&self) -> String {
        Copy.describe()
    }
}

/// The kernel that a code's examples are for.
fn kernel(code: &Code) -> &'static dyn KernelSource {
    match code.id {
        // What is ambiguous depends on the kernel.
        "T0103" => &Twice,
        "T0332" => &OnePage,
        _ => &Copy,
    }
}

fn is_elsewhere(code: &Code) -> bool {
    ELSEWHERE.iter().any(|(id, ..)| *id == code.id)
}

/// What a diagnostic marks, as a page would.
fn mark(diagnostic: &Diagnostic, begin: usize) -> Option<Mark> {
    let label = diagnostic.primary.as_ref()?;
    let range = label.span.range();
    Some(Mark { start: range.start - begin, width: range.len().max(1), label: label.text.clone() })
}

#[test]
fn every_code_has_an_id_of_its_own_and_a_page() {
    let ids: Vec<&str> = codes::ALL.iter().map(|code| code.id).collect();
    let mut sorted = ids.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(ids, sorted, "ids ascend and none stands twice");
    for code in codes::ALL {
        let Code { id, name, page, .. } = code;
        let body =
            page.strip_prefix(&format!("# {id}: {name}\n\n")).unwrap_or_else(|| panic!("{id}: no heading"));
        let (summary, rest) =
            body.split_once("\n\n").unwrap_or_else(|| panic!("{id}: nothing but a summary"));
        assert!(
            summary == code.summary() && summary.ends_with('.') && summary.len() <= 110,
            "{id}: {summary}"
        );
        let (why, _) =
            rest.split_once("\n\nWrong:\n\n").unwrap_or_else(|| panic!("{id}: no why, or no wrong"));
        assert!(why.len() > 20 && !why.starts_with(' '), "{id}: says why");
        assert!(example(page, "Wrong:").is_some() && example(page, "Right:").is_some(), "{id}: no example");
        assert!(page.is_ascii() && page.ends_with('\n'), "{id}");
        assert!(page.lines().all(|line| line.len() <= 116), "{id}: long lines");
    }
}

#[test]
fn wrong_examples_raise_their_code_where_they_are_marked() {
    let (mut raised, mut spans, mut failures) = (0, 0, Vec::new());
    for code in codes::ALL.iter().filter(|code| !is_elsewhere(code)) {
        let example = example(code.page, "Wrong:").expect("tested above");
        let (source, begin) = source(&example);
        let found = check(&source, kernel(code));
        let codes: Vec<&str> = found.iter().map(|diagnostic| diagnostic.code.id).collect();
        let marks: Vec<Mark> = found.iter().filter_map(|diagnostic| mark(diagnostic, begin)).collect();
        if codes.is_empty() || codes.iter().any(|id| *id != code.id) || marks != example.marks {
            failures.push(format!("{}: {codes:?} {marks:?}\n{}{:?}", code.id, example.text, example.marks));
        }
        raised += 1;
        spans += marks.len();
    }
    println!(
        "{} codes: {raised} raised by their pages, {} by tests of their own; {spans} spans checked",
        codes::ALL.len(),
        ELSEWHERE.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(raised > 50 && spans >= raised - 1, "{raised} codes, {spans} spans");
}

#[test]
fn right_examples_raise_nothing() {
    let (mut checked, mut failures) = (0, Vec::new());
    for code in codes::ALL {
        let example = example(code.page, "Right:").expect("tested above");
        assert_eq!(example.marks, [], "{}", code.id);
        // Command lines are examples too, but none that a checker could try.
        let command = ["tracec ", "sudo ", "iconv "].iter().any(|word| example.text.starts_with(word));
        if command {
            assert!(is_elsewhere(code), "{}", code.id);
            continue;
        }
        checked += 1;
        let found = check(&source(&example).0, kernel(code));
        if !found.is_empty() {
            failures.push(format!("{}: {found:?}\n{}", code.id, example.text));
        }
    }
    println!("{checked} right examples");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(checked > 50, "{checked}");
}

#[test]
fn fixes_of_the_pages_mend_and_are_described() {
    let (mut tried, mut failures) = (0, Vec::new());
    for code in codes::ALL.iter().filter(|code| !is_elsewhere(code)) {
        let (source, _) = source(&example(code.page, "Wrong:").expect("tested above"));
        let fixes = fixes::try_all(&source, kernel(code), &mut failures);
        if (fixes > 0) != code.page.contains("\n\nFix: ") {
            failures.push(format!("{}: {fixes} fixes, and the page says otherwise", code.id));
        }
        tried += fixes;
    }
    println!("{tried} fixes of pages");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(tried > 20, "{tried}");
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn codes_that_pages_cannot_raise_have_a_test() {
    for (id, file, test, place) in ELSEWHERE {
        assert!(codes::ALL.iter().any(|code| code.id == *id), "{id}: no such code");
        let source =
            std::fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{id}: {file}: {e}"));
        let head = format!("fn {test}(");
        let (before, body) = source.split_once(&head).unwrap_or_else(|| panic!("{id}: no {test} in {file}"));
        let indent = before.rsplit('\n').next().unwrap_or_default();
        let indent = &indent[..indent.len() - indent.trim_start().len()];
        let body = body.split_once(&format!("\n{indent}}}\n")).map_or(body, |(body, _)| body);
        assert!(
            body.contains(&format!("\"{id}\"")) || body.contains(&format!("[{id}]")),
            "{id}: {test} in {file} does not name it"
        );
        match place {
            TestedLocation::Compared(place) => {
                assert!(body.contains(place), "{id}: {test} in {file} does not compare the place {place}");
            }
            TestedLocation::None => {
                let code = codes::ALL.iter().find(|code| code.id == *id).expect("tested above");
                let module = format!("compiler/src/diagnostic/codes/{}.rs", code.name.replace('-', "_"));
                let module = std::fs::read_to_string(root().join(module)).expect("the module of a code");
                // A place comes as a span, or with what the grammar found.
                let knows = ["Span", ".at(", "from_grammar"].into_iter().find(|word| module.contains(word));
                assert_eq!(knows, None, "{id} has a place, and {test} in {file} is not asked for it");
                assert!(!code.page.contains("    ^"), "{id}: the page marks a place");
            }
        }
        let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
        let called = || sources(directory).iter().filter(|(_, source)| source.contains(test)).count() > 1;
        let runs = before.trim_end().ends_with("#[test]") || source.matches(test).count() > 1 || called();
        assert!(runs, "{id}: nothing runs {test} in {file}");
    }
}

/// The sources of a directory and those below it.
fn sources(directory: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut directories = vec![root().join(directory)];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).expect("a directory of the tree") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
                found.push((stem, std::fs::read_to_string(&path).expect("a source of the tree")));
            }
        }
    }
    found
}

#[test]
fn something_raises_every_code() {
    let sources = [sources("compiler/src"), sources("src")].concat();
    for code in codes::ALL {
        let module = code.name.replace('-', "_");
        let raise = format!("{module}::");
        let used = sources
            .iter()
            .any(|(stem, source)| *stem != module && stem != "tests" && source.contains(&raise));
        assert!(used, "{} {}: nothing raises it", code.id, code.name);
    }
}

/// The words in the first column of the table behind a heading.
fn table(text: &str, heading: &str) -> Vec<String> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let cells = lines.filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    cells.filter_map(|cell| cell.split_whitespace().next()).map(str::to_owned).collect()
}

#[test]
fn what_is_written_of_triggers_names_those_there_are() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../book/src/language.md");
    let chapter = std::fs::read_to_string(path).expect("the chapter");
    let mut written = table(&chapter, "## Triggers");
    let mut usable: Vec<&str> = triggers::ALL
        .iter()
        .filter(|kind| is_implemented(Clause::of_trigger(kind)))
        .map(|kind| kind.name)
        .collect();
    written.sort();
    usable.sort();
    assert_eq!(written, usable, "book/src/language.md");
    let page = Code::find("unknown-trigger").expect("a code").page;
    let list = page.split("Wrong:").next().expect("a text before the example");
    for trigger in triggers::names() {
        let named = list.contains(&format!("`{trigger}`"));
        assert_eq!(named, usable.contains(&trigger), "{trigger} on the page of T0107");
    }
}
