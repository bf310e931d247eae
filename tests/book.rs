//! Every ```` ```trc ```` block of the book and the README is checked: without a code it has no mistakes, with codes
//! after the word `trc` it raises exactly these, with the word `syntax` it is only parsed. Examples are checked too;
//! one with the line `// Checked for its syntax only.` is only parsed. The kernel is the small copy in
//! `tests/data/kernel`. The README's plan is the output of the command for a shipped kernel. The page of targets is
//! generated from the existing targets; `UPDATE_EXPECT=1` writes it.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use tracec::{Choice, Input, KernelDirectory, SourceText, analyse};
use tracec_compiler::target::TARGETS;
use tracec_compiler::validate::{Clause, Support};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn kernel() -> KernelDirectory {
    KernelDirectory(root().join("tests/data/kernel"))
}

/// Returns the codes that a text raises.
fn codes(name: &str, text: &str) -> Vec<&'static str> {
    let text = SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: false };
    let analysis = analyse(Input::new(&text, &kernel()), Choice::All);
    analysis.diagnostics.iter().map(|diagnostic| diagnostic.code.id).collect()
}

/// The line of an example that needs another kernel than the copy, or a part of the compiler that is not implemented.
const SYNTAX_ONLY: &str = "// Checked for its syntax only.";

/// Returns the syntax errors of a text.
fn syntax_errors(text: &str) -> Vec<String> {
    tracec_grammar::parse(text).errors.iter().map(|error| format!("{:?}: {error}", error.span)).collect()
}

/// Returns the fenced blocks of a Markdown text whose info string begins with `trc`: line, expected codes, content.
fn blocks(markdown: &str) -> Vec<(usize, Vec<String>, String)> {
    let mut blocks = Vec::new();
    let mut lines = markdown.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.strip_prefix("```trc") else { continue };
        let content: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
        blocks.push((number + 1, info.split_whitespace().map(str::to_owned).collect(), content.join("\n")));
    }
    blocks
}

fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()));
    let paths = entries.map(|entry| entry.expect("a readable directory").path());
    paths.filter(|path| path.extension().is_some_and(|found| found == ending)).collect()
}

#[test]
fn blocks_of_the_book_do_as_they_say() {
    let mut checked = 0;
    for file in files(&root().join("book/src"), "md").into_iter().chain([root().join("README.md")]) {
        let markdown = std::fs::read_to_string(&file).expect("a readable chapter");
        for (line, expected, content) in blocks(&markdown) {
            let place = format!("{}:{line}", file.display());
            if expected == ["syntax"] {
                assert_eq!(syntax_errors(&content), Vec::<String>::new(), "{place}");
            } else {
                assert_eq!(codes(&place, &content), expected, "{place}");
            }
            checked += 1;
        }
    }
    assert!(checked >= 8, "only {checked} blocks were found");
}

#[test]
fn examples_have_no_mistakes() {
    let examples = files(&root().join("examples"), "trc");
    assert!(!examples.is_empty());
    for file in examples {
        let text = std::fs::read_to_string(&file).expect("a readable example");
        if text.lines().any(|line| line == SYNTAX_ONLY) {
            assert_eq!(syntax_errors(&text), Vec::<String>::new(), "{}", file.display());
            continue;
        }
        assert_eq!(codes(&file.display().to_string(), &text), Vec::<&str>::new(), "{}", file.display());
    }
}

/// Returns a plan without the number of the process that made it, which ends the name of the instance in its first
/// line.
fn without_process(plan: &str) -> String {
    let instance = plan.lines().next().and_then(|line| line.rsplit(' ').next()).expect("an instance");
    let (name, _) = instance.rsplit_once('.').expect("a number behind its name");
    plan.replace(instance, name)
}

#[test]
fn the_plan_of_the_readme_is_what_the_command_prints() {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a readable README");
    let block = readme.lines().skip_while(|line| !line.starts_with("    session quickstart in "));
    let shown: String =
        block.map_while(|line| line.strip_prefix("    ")).map(|line| format!("{line}\n")).collect();
    assert!(shown.ends_with("0 triggers\n"), "the whole plan stands in one block: {shown}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["plan", "examples/quickstart.trc", "--kernel", "6.12"]);
    let output = command.output().expect("tracec runs");
    let printed = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(without_process(&shown), without_process(&printed));
}

const TARGETS_HEAD: &str = "# What a session can be built as

`tracec build FILE --target NAME -o DIR` writes files that do without the text, and a rule for make that names the texts
they were made of. The same input yields the same bytes. `tracec build --target list` lists the targets:

";

const TARGETS_BETWEEN: &str = "
A target supports a clause, or `build` refuses it at its place and says what to do instead. No target leaves a
clause out in silence.

";

/// Returns the page of targets, from each target's description of itself.
fn page_of_targets() -> String {
    let mut page = TARGETS_HEAD.to_owned();
    page.push_str("| target | what it makes |\n|---|---|\n");
    for target in TARGETS {
        page.push_str(&format!("| `{}` | {} |\n", target.name, target.about));
    }
    page.push_str(TARGETS_BETWEEN);
    let names: Vec<String> = TARGETS.iter().map(|target| format!(" `{}` |", target.name)).collect();
    page.push_str(&format!("| clause |{}\n|---|{}\n", names.concat(), "---|".repeat(names.len())));
    for &clause in Clause::ALL {
        let of = TARGETS.iter().map(|target| match (target.supports)(clause) {
            Support::Yes => " yes |".to_owned(),
            Support::No(instead) => format!(" no: {instead} |"),
            Support::NotYet(instead) => format!(" not yet: {instead} |"),
        });
        page.push_str(&format!("| {} |{}\n", clause.words(), of.collect::<String>()));
    }
    page
}

#[test]
fn page_of_targets_is_made_from_the_targets_that_exist() {
    expect_file![root().join("book/src/targets.md")].assert_eq(&page_of_targets());
}
