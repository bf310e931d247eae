//! The targets that write decoders: their files for texts of the tree, and the verdicts of compilers on them, for the
//! shipped kernel 6.12. What their functions decide is tested in `compiler/tests/decoders`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use expect_test::expect_file;
use tracec_compiler::target::DECODER_TARGETS;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn build(args: &[&str], directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(root()).args(["build", "--kernel", "6.12", "-o"]).arg(directory).args(args);
    command.output().expect("tracec runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Returns the extension of a target's files.
fn extension(target: &str) -> &'static str {
    match target {
        "c" => "h",
        "rust" => "rs",
        other => panic!("how are the files of the target {other} compiled?"),
    }
}

/// Compiles a decoder with all warnings as errors.
fn compile(target: &str, path: &Path) {
    let mut command = match target {
        "c" => {
            let mut gcc = Command::new("gcc");
            gcc.args([
                "-std=c11",
                "-O2",
                "-Wall",
                "-Wextra",
                "-Wpedantic",
                "-Werror",
                "-c",
                "-o",
                "/dev/null",
            ]);
            // A header is used by a file: as the main one, it would be warned of what it does not use.
            let user = path.with_extension("c");
            let name = path.file_name().expect("a name").to_string_lossy();
            std::fs::write(&user, format!("#include \"{name}\"\n#include \"{name}\"\n")).expect("a file");
            gcc.arg(user);
            gcc
        }
        _ => {
            let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or("rustc".into()));
            let user = path.with_file_name("lib.rs");
            let name = path.file_stem().expect("a name").to_string_lossy();
            let module = format!("#![no_std]\n#![forbid(unsafe_code)]\npub mod {name};\n");
            std::fs::write(&user, module).expect("a file");
            rustc.args(["--edition=2021", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "--out-dir"]);
            rustc.arg(path.parent().expect("a directory")).arg(user);
            rustc
        }
    };
    let output = command.output().expect("a compiler");
    assert!(output.status.success(), "{}:\n{}", path.display(), text(&output.stderr));
}

/// Builds a text, compiles the decoder and returns it.
fn compiled(target: &str, file: &str) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let output = build(&[file, "--target", target], directory.path());
    assert!(output.status.success(), "{file}: {}", text(&output.stderr));
    let stem = Path::new(file).file_stem().expect("a name").to_string_lossy().into_owned();
    let path = directory.path().join(format!("{stem}.{}", extension(target)));
    compile(target, &path);
    std::fs::read_to_string(path).expect("a file")
}

#[test]
fn decoders_are_as_recorded_and_compile() {
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        for file in ["examples/quickstart.trc", "examples/storage.trc", "tests/decoders/fields.trc"] {
            let made = compiled(target, file);
            let stem = Path::new(file).file_stem().expect("a name").to_string_lossy();
            // rustfmt would change a recorded file that has the extension of Rust.
            let recorded = if target == "rust" { "rs.txt" } else { extension(target) };
            let golden = format!("compiler/src/target/{target}/goldens/{stem}.{recorded}");
            expect_file![root().join(golden)].assert_eq(&made);
        }
    }
}

/// Words of the languages, and names that differ in their case or their underscores, each get a name of their own.
#[test]
fn decoders_of_any_names_compile() {
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        let made = compiled(target, "tests/decoders/names.trc");
        assert!(made.contains("errno_"), "{made}");
    }
}

#[test]
fn decoders_of_tasks_compile() {
    let tasks = ["command_and_children", "failed_opens", "killed", "large_kmalloc", "large_reads", "one_cpu"];
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        for task in tasks.into_iter().chain(["flight_recorder", "switches"]) {
            compiled(target, &format!("examples/tasks/{task}.trc"));
        }
    }
}

/// Every event of many systems: names, tables and layouts as kernels have them.
#[test]
fn decoders_of_whole_systems_compile() {
    let systems =
        ["sched", "syscalls", "block", "kmem", "irq", "net", "ipi", "timer", "task", "writeback", "xdp"];
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        let directory = tempfile::tempdir().expect("a directory");
        let traced: String = systems.iter().map(|system| format!("trace {system}:*;\n")).collect();
        let file = directory.path().join("systems.trc");
        std::fs::write(&file, format!("session s {{ {traced} }}")).expect("a file");
        let output = build(&[file.to_str().expect("UTF-8"), "--target", target], directory.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        compile(target, &directory.path().join(format!("systems.{}", extension(target))));
    }
}

/// Returns what is said of a text that no decoder can be made of.
fn refused(target: &str, session: &str, more: &[&str]) -> String {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("refused.trc");
    std::fs::write(&file, session).expect("a file");
    let output =
        build(&[&[file.to_str().expect("UTF-8"), "--target", target], more].concat(), directory.path());
    assert!(!output.status.success(), "{session}");
    text(&output.stderr)
}

#[test]
fn what_a_decoder_cannot_have_is_refused_at_its_place() {
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        let opens = "session s { trace syscalls:sys_enter_openat if dfd == 3 && filename.ustring == \"a\"; }";
        let said = refused(target, opens, &[]);
        assert!(said.contains("T0408") && said.contains(":1:60"), "{said}");
        assert!(said.contains("the task's memory behind a pointer"), "{said}");
        let said =
            refused(target, "session s { trace timer:timer_start if function.function == \"f\"; }", &[]);
        assert!(said.contains("where the kernel's functions lie"), "{said}");
        let unknown = "subsystem s; include <linux/x.h>; event e { proto (a: enum x) entry { a: enum x; } }";
        let said = refused(target, unknown, &[]);
        assert!(said.contains("whose size and sign the C compiler chooses"), "{said}");
        let said = refused(target, "const A: u32 = 1;", &[]);
        assert!(said.contains("records no event and defines no tracepoint"), "{said}");
        let open = "session s(prio: u32) { trace sched:sched_switch if prev_prio > prio; }";
        let said = refused(target, open, &[]);
        assert!(said.contains("the session `s` has a parameter without a value"), "{said}");
        let plain = "session s { trace sched:sched_switch; }";
        let said = refused(target, plain, &["--instance", "i"]);
        assert!(said.contains("leave out `--instance`"), "{said}");
    }
}

/// What a record does not hold of its task is an argument of the condition's function.
#[test]
fn conditions_may_ask_for_the_task_and_the_cpu() {
    let session = "session s { trace sched:sched_process_exit if current.tgid == 5 && current.comm != \"x\" && cpu < 4; }";
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("task.trc");
        std::fs::write(&file, session).expect("a file");
        let output = build(&[file.to_str().expect("UTF-8"), "--target", target], directory.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
        let made = directory.path().join(format!("task.{}", extension(target)));
        compile(target, &made);
        let made = std::fs::read_to_string(made).expect("a file");
        assert!(["tgid", "comm", "cpu"].into_iter().all(|argument| made.contains(argument)), "{made}");
    }
}

/// How a session is run does not change its records, so that a decoder takes any session.
#[test]
fn clauses_of_a_run_are_taken() {
    let session = "session s { start paused; scope cpus 0-3; ring; stop on sched:sched_process_exit; \
                   trace sched:sched_switch if prev_prio < 100 { trigger snapshot once; } }";
    for target in DECODER_TARGETS.iter().map(|target| target.name) {
        let directory = tempfile::tempdir().expect("a directory");
        let file = directory.path().join("run.trc");
        std::fs::write(&file, session).expect("a file");
        let output = build(&[file.to_str().expect("UTF-8"), "--target", target], directory.path());
        assert!(output.status.success(), "{}", text(&output.stderr));
    }
}
