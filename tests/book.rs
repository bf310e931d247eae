//! Every ```` ```trc ```` block of the book and the README is checked: without a code it has no mistakes, with codes
//! after the word `trc` it raises exactly these, with the word `syntax` it is only parsed. The kernel is the small copy
//! in `tests/data/kernel`. An example has a plan, or its first line says what it waits for. The README's plan is the
//! output of the command for a shipped kernel. The pages of targets and of signals are generated from the existing
//! targets and the table of signals; `UPDATE_EXPECT=1` writes them.

use std::path::{Path, PathBuf};
use std::process::Command;

use expect_test::expect_file;
use tracec::{Choice, Input, KernelDirectory, SourceText, analyse};
use tracec_compiler::place::InKernel;
use tracec_compiler::target::{DECODER_TARGETS, DEFINITION_TARGETS, TARGETS, Target, is_implemented};
use tracec_compiler::validate::{Clause, ClauseSupport};
use tracec_grammar::planned::{PLANNED, PlannedWord};
use tracec_kernel::tables::signals::{self, Effect};
use xtask::workspace::WAITS;

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

/// Returns the examples: path and text.
fn examples() -> Vec<(PathBuf, String)> {
    let folders = ["examples", "examples/tasks"].map(|folder| files(&root().join(folder), "trc"));
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a readable example");
        (path, text)
    };
    folders.into_iter().flatten().map(read).collect()
}

#[test]
fn examples_run_or_say_what_they_wait_for() {
    let (mut running, mut waiting) = (0, 0);
    for (path, text) in examples() {
        // The small copy of a kernel does not have the events of all examples.
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        let output = command.args(["plan", "--kernel", "6.12"]).arg(&path).output().expect("tracec runs");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        if text.starts_with(WAITS) {
            // Once it has a plan, the line has to go.
            assert_eq!(output.status.code(), Some(1), "{}: {said}", path.display());
            waiting += 1;
        } else {
            assert_eq!((output.status.code(), said.as_str()), (Some(2), ""), "{}", path.display());
            running += 1;
        }
    }
    assert!(running >= 8 && waiting >= 4, "{running} examples run, {waiting} wait");
}

/// The format of an example's file is that of `tracec fmt`, if its syntax is known.
#[test]
fn examples_are_formatted() {
    for (path, text) in examples() {
        if syntax_errors(&text).is_empty() {
            assert_eq!(tracec_grammar::format(&text), Ok(text.clone()), "{}", path.display());
        }
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

const DEFINITION_TARGETS_HEAD: &str = "
Other targets are made of the tracepoints that a file defines itself, and not of a session:

| target | what it makes |
|---|---|
";

const DECODER_TARGETS_HEAD: &str = "
Others are made of the records of a file: of each event that one of its sessions records, and of each tracepoint that it
defines. They are decoders, for programs that read records themselves:

| target | what it makes |
|---|---|
";

const TARGETS_TAIL: &str = "
`format` writes `SUBSYSTEM.EVENT.format` for each tracepoint, as the selected kernel will show it once a module with the
tracepoint is loaded; the kernel assigns the ID then, and the file has 0. A field whose size only a C compiler knows is
refused at its type.

`module` writes the sources of a kernel module: `SUBSYSTEM_trace.h` with the definitions of the tracepoints,
`SUBSYSTEM_trace.c`, which makes them, and `Kbuild`. `--with FILE.c`, any number of times, makes a C file of yours a
part of it: it includes the header, calls the tracepoints as `trace_NAME(..)`, and has the functions of `with (..)`; one
file may have `module_init`, and then `module_exit` too. With the headers of a kernel, gcc and make,

    make -C /lib/modules/$(uname -r)/build M=$PWD modules

builds `SUBSYSTEM_events.ko`. The tracepoints are exported to other modules. Once the module is loaded, the events are
recorded like all others. The sources build with each kernel that has the features of the one that `--kernel` names: the
arguments of `__assign_str` are read from its headers while it is built.

Values, conditions and templates of definitions compute as conditions of sessions do: with 64 bits, into which each
operand is extended by its own sign. The C has a conversion where C would compute something else: `a + b > limit`
becomes `(u64)a + b > limit` for two `u32`, and `bytes / 512` stays as it is. What is put into a field keeps the low
bytes of its type. Signs that no type holds both of need `as` (T0240). The members of structs and the results of
functions have types that only C knows: beside a number that cannot be negative such a value is the number that it is in
C; beside another one, and in arithmetic, it counts as `s64`, beside a `u64` as `u64`, unless `as` says what it is. An
operation that has no value for some operands needs a test of them before it, `n != 0 && bytes / n > 4096`
(T0760): in the kernel a division by 0 stops the machine. A division of numbers of 64 bits needs a kernel of 64 bits.
Nothing that is known to sleep may be called (T0759). A null pointer for text is recorded as `(null)`.

`kernel-tree` writes `SUBSYSTEM.patch`, which `patch -p1` or `git apply` applies to a kernel tree: the header
`include/trace/events/SUBSYSTEM.h`, the unit `DIR/SUBSYSTEM_trace.c` in the directory that `--into LINUX/DIR` names, and
the line of its Makefile. The tree is only read.

`c` writes `NAME.h` for `NAME.trc`, with a struct for each record, names of values, functions that read what a record
locates, and for each session and event the function `SESSION_SYSTEM_EVENT_matches`, which is true exactly for the
records that the clause `trace` asks for. Those of a kernel have the layout that the selected kernel has for them, those
of a tracepoint of the file the layout that `format` foresees. The other clauses of a session say how records are made,
and a decoder has no part in it: `scope`, triggers and `stop` change nothing. A condition may ask for the CPU, the process
id and the name of the task: they are arguments of the function. One that asks for memory behind a pointer, or where a
function of the kernel lies, is refused at its test. Decoders read records in the byte order of the machine that they
are compiled for. `rust` writes `NAME.rs`, which is a module without `unsafe` and needs `core` alone, with a type for
each record, its fields as methods, and the same condition as the method `SESSION_matches`.

`host` is a target of programs that use the library, and not of `build`: it makes machine code of the conditions under
which records are wanted, in the memory of the program. All of them together are one function, which walks over a page of
the ring buffer, finds the event of each record by its id, and writes down the place, the time and the condition of each
record that is selected. It is made for x86-64 and for records of little-endian machines. It never reads outside of the
page, whatever the lengths in it are, and its memory is never writable and executable at once. Where a system refuses
executable memory the program gets an error and uses the evaluator instead, which selects the same. The CPU is the only
thing that a condition may ask for beside the record.

The table of clauses does not have what depends on the steps that a session becomes on a kernel: `build` refuses it when
it has made them. A script writes each value with one `write(2)`, so a value of more than 4,095 bytes is refused at its
clause.

The bytes of a file do not depend on where the text lies and how its path is written: it is named by its file name, and
an import by its path from there, or by its whole path where the two have no directory in common but `/`.

`OUTPUT.d` is a rule for make, as a compiler writes it: `OUTPUT: TEXTS`, and `TEXT:` for each text, so that a text that
was removed does not stop make. A profile that `--kernel` reads from a file is among the texts; the files of a directory
that it reads are not. make includes the rule, ninja reads it as a `depfile` where no name has `=`, `&`, `*`, `?` or
`[`, which the two quote differently, and a recipe of a makefile that makes a text is kept. Only a text `NAME` beside its own script
`NAME.sh` gets an empty recipe: make has a rule that would overwrite the text with the script.

A plan begins with the `version` of its form. The type `Plan` of the library reads plans of its own version, and says so
of every other. It lists its texts in `files`, and each span in it names one of them by its index there.
";

const NOT_IMPLEMENTED_HEAD: &str = "## Not implemented yet

`check` and `explain` warn of these clauses, and every target refuses them:

";

/// Returns the last part of the grammar: the clauses that no target supports, and the words of later versions.
fn not_implemented() -> String {
    let mut part = NOT_IMPLEMENTED_HEAD.to_owned();
    part.push_str("| clause | until then |\n|---|---|\n");
    for clause in Clause::ALL {
        if !is_implemented(*clause) {
            let instead = clause.alternative().expect("an alternative");
            part.push_str(&format!("| {} | {instead} |\n", clause.words()));
        }
    }
    part.push_str(
        "\nThese words begin statements of a later version. Until then they are names as all others:\n\n",
    );
    part.push_str("| word | where | until then |\n|---|---|---|\n");
    for PlannedWord { word, context, until_then } in PLANNED {
        part.push_str(&format!("| `{word}` | {} | {until_then} |\n", context.describe()));
    }
    part
}

#[test]
fn grammar_ends_with_what_is_not_implemented() {
    let path = root().join("book/src/grammar.md");
    let page = std::fs::read_to_string(&path).expect("a readable chapter");
    let before = page.split("## Not implemented yet").next().expect("a first part");
    expect_file![path].assert_eq(&(before.to_owned() + &not_implemented()));
}

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
    let row = |what: &str, of: &dyn Fn(&Target) -> String| {
        format!("| {what} |{}\n", TARGETS.iter().map(of).collect::<String>())
    };
    let on_host = |target: &Target| match target.engines.host {
        true => " yes |".to_owned(),
        false => " no: run the session with `tracec run`, which decides it |".to_owned(),
    };
    let in_kernel = |target: &Target| match target.engines.kernel {
        Some(InKernel::Filter) => " by the event's filter |".to_owned(),
        Some(InKernel::Program) => " by a program at the event |".to_owned(),
        None => " no: run the session with `tracec run`, which decides it |".to_owned(),
    };
    page.push_str(&row("a condition that is decided in the kernel", &in_kernel));
    page.push_str(&row("a condition that is decided on the host", &on_host));
    for &clause in Clause::ALL {
        let of = TARGETS.iter().map(|target| match target.clauses.of(clause) {
            ClauseSupport::Yes => " yes |".to_owned(),
            ClauseSupport::Instead(instead) => format!(" no: {instead} |"),
            ClauseSupport::No => {
                let no = if is_implemented(clause) { "no" } else { "not yet" };
                format!(" {no}: {} |", clause.alternative().expect("an alternative"))
            }
        });
        page.push_str(&format!("| {} |{}\n", clause.words(), of.collect::<String>()));
    }
    page.push_str(DEFINITION_TARGETS_HEAD);
    for target in DEFINITION_TARGETS {
        page.push_str(&format!("| `{}` | {} |\n", target.name, target.about));
    }
    page.push_str(DECODER_TARGETS_HEAD);
    for target in DECODER_TARGETS {
        page.push_str(&format!("| `{}` | {} |\n", target.name, target.about));
    }
    page.push_str(TARGETS_TAIL);
    page
}

#[test]
fn page_of_targets_is_made_from_the_targets_that_exist() {
    expect_file![root().join("book/src/targets.md")].assert_eq(&page_of_targets());
}

const SIGNALS_HEAD: &str = "# Signals

Every signal that a program can catch ends a session and puts everything back, pauses it, or has no effect.

";

const SIGNALS_TAIL: &str = "
A signal that was ignored when tracec was started stays ignored, except for the real-time signals 32 and 33: `nohup` and
background jobs of a script work as usual. A session that a signal has ended has the [status](run.md#exit-status) of its
command, or 0. A signal that comes before the session begins, or after everything is put back, has its default action.

SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT and SIGSYS end a session only if another process sends them. If the
kernel sends one for a fault of tracec itself, tracec dies at once, and the core dump shows the fault. As after SIGKILL,
the instance and the journal are left, and `tracec recover` removes both.

While a session is paused (Ctrl-Z), its instance records nothing. `fg`, `bg` or `kill -CONT` continue it. The time of
`stop after` passes meanwhile, and a trigger `traceon` still switches recording on. The terminal stops the command
together with tracec; a signal that is sent to tracec alone does not stop the command. A process that has no shell to
continue it (`setsid`) is not stopped by the kernel, and only pauses for a moment. SIGSTOP cannot be caught: it stops
tracec while the kernel records, and what does not fit into the ring is lost and counted.

A terminal that is stopped with Ctrl-S delays [the output only](run.md): a signal ends the session and puts
everything back all the same.

With `stty tostop`, a session in the background still writes to its terminal.
";

/// Returns the words for the effect of a signal.
fn effect_of_signal(effect: Effect) -> &'static str {
    match effect {
        Effect::Ends => "ends the session",
        Effect::Pauses => "stops tracec; recording is off until SIGCONT",
        Effect::Nothing => "none",
        Effect::Uncatchable => "that of the kernel, since no program can catch it",
    }
}

/// Returns the page of signals, from the table.
fn page_of_signals() -> String {
    let mut page = SIGNALS_HEAD.to_owned();
    page.push_str("| signal | number | effect on a session that runs |\n|---|---|---|\n");
    for signal in signals::ALL {
        let effect = effect_of_signal(signal.effect);
        page.push_str(&format!("| {} | {} | {effect} |\n", signal.name, signal.number));
    }
    let (first, last) = (signals::REAL_TIME.start(), signals::REAL_TIME.end());
    let effect = effect_of_signal(signals::REAL_TIME_EFFECT);
    page.push_str(&format!(
        "| real-time signals, also those of the C library | {first} to {last} | {effect} |\n"
    ));
    page + SIGNALS_TAIL
}

#[test]
fn page_of_signals_is_made_from_the_table() {
    expect_file![root().join("book/src/signals.md")].assert_eq(&page_of_signals());
}
