//! The target `script`: its text for the sessions of the tree, and the verdicts of shells and shellcheck on it.
//!
//! Sessions are built for the small copy of a kernel in `tests/data/kernel`. The effect of the scripts on a kernel is
//! tested in `tests/harness/script.rs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use expect_test::{expect, expect_file};
use tracec::{Choice, Input, InstanceName, KernelDirectory, SourceText, analyse};
use tracec_compiler::Severity;
use tracec_compiler::target::{Request, Target};
use xtask::workspace::WAITS;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The first line of the part that is the same in every script.
const SAME: &str = "# ---- From here on every script of tracec is the same. ----\n";

/// Builds the only session of a text; otherwise returns the codes and messages of its diagnostics.
fn build(name: &str, text: &str) -> Result<String, String> {
    let kernel = KernelDirectory(root().join("tests/data/kernel"));
    let source = SourceText { name: name.to_owned(), text: text.to_owned(), one_liner: name == "-e" };
    let target = Target::find("script").expect("the target");
    let input = Input { target, ..Input::new(&source, &kernel) };
    let analysis = analyse(input, Choice::One(None));
    let said = |diagnostics: &[tracec::Diagnostic]| {
        let line = |said: &tracec::Diagnostic| format!("{} {}", said.code.id, said.message);
        let errors = diagnostics.iter().filter(|said| said.severity == Severity::Error);
        errors.map(line).collect::<Vec<_>>().join("; ")
    };
    if analysis.has_errors() {
        return Err(said(&analysis.diagnostics));
    }
    let instance = InstanceName::new("tracec.test").expect("a name");
    let request = Request { instance: &instance, kernel: &kernel, sources: &analysis.sources };
    let session = analysis.sessions().next().expect("a session");
    let files = (target.build)(session, &request).map_err(|refusals| said(&refusals))?;
    let [file] = files.as_slice() else { panic!("{} files", files.len()) };
    assert!(file.executable && file.name.ends_with(".sh"), "{}", file.name);
    Ok(String::from_utf8(file.content.clone()).expect("UTF-8"))
}

/// Returns each `.trc` file of the live tests and the examples: its path below the root, and the result of the build.
fn sessions() -> Vec<(String, Result<String, String>)> {
    let mut built = Vec::new();
    for directory in ["tests/live", "examples", "examples/tasks"] {
        let entries = std::fs::read_dir(root().join(directory)).expect("a directory");
        let mut names: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
        names.retain(|path| path.extension().is_some_and(|extension| extension == "trc"));
        names.sort();
        for path in names {
            let text = std::fs::read_to_string(&path).expect("a text");
            if text.starts_with(WAITS) {
                continue;
            }
            let name = format!("{directory}/{}", path.file_name().expect("a name").to_string_lossy());
            let script = build(&name, &text);
            built.push((name, script));
        }
    }
    built
}

/// Runs a program on a script. `None` where the program is not installed, which is printed.
fn checked(program: &[&str], script: &Path) -> Option<Output> {
    let said = Command::new(program[0]).args(&program[1..]).arg(script).output();
    if said.is_err() {
        println!("SKIPPED: no {} on this machine: cargo xtask setup", program[0]);
    }
    said.ok()
}

#[test]
fn sessions_of_the_tree_become_scripts_or_are_refused() {
    let refused: Vec<String> = sessions()
        .into_iter()
        .filter_map(|(name, built)| built.err().map(|said| format!("{name}: {said}\n")))
        // The message names the kernel's directory, which differs between machines.
        .map(|said| said.replace(&format!("{}/", root().display()), ""))
        .collect();
    expect![[r#"
        tests/live/bpf_arithmetic.trc: T0408 the target `script` does not support a condition that is decided on the host; T0408 the target `script` does not support a condition that is decided on the host; T0404 neither the kernel nor the host can decide this condition on `sched:sched_switch`
        tests/live/bpf_exec.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/bpf_fentry.trc: T0408 the target `script` does not support the event `opened` that the text defines
        tests/live/bpf_fetch.trc: T0408 the target `script` does not support the event `opened` that the text defines; T0408 the target `script` does not support `recorder bpf`
        tests/live/bpf_fexit.trc: T0408 the target `script` does not support the event `failed` that the text defines
        tests/live/bpf_kprobe.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/bpf_kretprobe.trc: T0408 the target `script` does not support the event `failed` that the text defines; T0408 the target `script` does not support `recorder bpf`
        tests/live/bpf_maybe_null.trc: T0748 invalid fetch argument
        tests/live/bpf_members.trc: T0748 invalid fetch argument
        tests/live/bpf_members_kprobe.trc: T0748 invalid fetch argument
        tests/live/bpf_mixed.trc: T0408 the target `script` does not support a condition that is decided on the host; T0401 the kernel's filter of `sched:sched_process_exec` cannot express this condition
        tests/live/bpf_raw_tp.trc: T0408 the target `script` does not support the event `execs` that the text defines
        tests/live/bpf_tp_btf.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/bpf_uprobe.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/bpf_user_text.trc: T0404 neither the kernel nor the host can decide this condition on `syscalls:sys_enter_openat`
        tests/live/digit_glob.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/host_condition.trc: T0408 the target `script` does not support a condition that is decided on the host
        tests/live/queue.trc: T0408 the target `script` does not support `queue`
        tests/live/shown.trc: T0408 the target `script` does not support `print`; T0408 the target `script` does not support `redact`
        tests/live/suffix_glob.trc: T0408 the target `script` does not support a condition that is decided on the host
        examples/disk_stalls.trc: T0512 whether it has `trigger-snapshot` is not known: the copy of the kernel has no README, so other files may be missing too
        examples/hidden.trc: T0408 the target `script` does not support `redact`; T0408 the target `script` does not support `redact`; T0408 the target `script` does not support `redact`; T0408 the target `script` does not support `redact`; T0408 the target `script` does not support `print`; T0408 the target `script` does not support `drop`
        examples/tasks/command_and_children.trc: T0408 the target `script` does not support `scope process`, `scope thread`, `scope command`
        examples/tasks/flight_recorder.trc: T0101 there is no event `oom:mark_victim` in the kernel in tests/data/kernel
        examples/tasks/large_reads.trc: T0101 there is no event `syscalls:sys_enter_read` in the kernel in tests/data/kernel
        examples/tasks/opens.trc: T0404 neither the kernel nor the host can decide this condition on `syscalls:sys_enter_openat`
    "#]].assert_eq(&refused.concat());
    assert!(sessions().iter().filter(|(_, built)| built.is_ok()).count() >= 15);
}

#[test]
fn scripts_pass_shellcheck_and_are_read_by_the_shells() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, built) in sessions() {
        let Ok(script) = built else { continue };
        let file = directory.path().join(name.replace('/', "-") + ".sh");
        std::fs::write(&file, script).expect("a file");
        for program in [&["shellcheck", "-s", "sh"][..], &["dash", "-n"], &["busybox", "sh", "-n"]] {
            let Some(said) = checked(program, &file) else { continue };
            let text = String::from_utf8_lossy(&said.stdout) + String::from_utf8_lossy(&said.stderr);
            assert!(said.status.success() && text.is_empty(), "{name}, {program:?}:\n{text}");
        }
    }
}

#[test]
fn script_with_special_characters_passes_shellcheck() {
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("special.sh");
    for text in [
        "trace sched:sched_switch; output \"$HOME/a b.txt\";",
        "trace sched:sched_switch if prev_comm == \"$(id)`\";",
        "trace sched:sched_switch; output \"it's.txt\";",
    ] {
        std::fs::write(&file, build("-e", text).expect("a script")).expect("a file");
        let Some(said) = checked(&["shellcheck", "-s", "sh"], &file) else { return };
        assert!(said.status.success(), "{text}:\n{}", String::from_utf8_lossy(&said.stdout));
    }
}

/// Scripts of the same instance, as two files of one stem have, know their own state files by the digest.
#[test]
fn digest_differs_between_sessions_and_not_by_where_a_clause_is() {
    let digest = |text: &str| {
        let script = build("-e", text).expect("a script");
        script.lines().find(|line| line.starts_with("digest=")).expect("a digest").to_owned()
    };
    let first = digest("trace sched:sched_switch;");
    assert_eq!(first, digest("  trace  sched:sched_switch;"));
    for other in [
        "trace sched:sched_wakeup;",
        "trace sched:sched_switch; stop after 1s;",
        "trace sched:sched_switch; output \"a.txt\";",
        "trace sched:sched_switch if prev_pid == 1;",
    ] {
        assert_ne!(first, digest(other), "{other}");
    }
}

#[test]
fn time_that_no_sleep_can_hold_is_a_mistake_of_usage() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(file.path(), build("-e", "trace sched:sched_switch;").expect("a script")).expect("a file");
    for shell in [&["dash"][..], &["busybox", "sh"]] {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(file.path()).args(["--tracefs", "/", "run", "--for"]);
        let Ok(said) = command.arg("1000000000").output() else {
            println!("SKIPPED: no {} on this machine: cargo xtask setup", shell[0]);
            continue;
        };
        let errors = String::from_utf8_lossy(&said.stderr);
        assert_eq!(said.status.code(), Some(2), "{shell:?}: {errors}");
        assert!(errors.contains("--for takes at most 999999999 seconds"), "{shell:?}: {errors}");
    }
}

#[test]
fn start_that_is_refused_makes_no_output_file() {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, output) = (directory.path().join("a.sh"), directory.path().join("out.txt"));
    let text = format!("trace sched:sched_switch; output \"{}\";", output.display());
    std::fs::write(&file, build("-e", &text).expect("a script")).expect("a file");
    for shell in [&["dash"][..], &["busybox", "sh"]] {
        let mut command = Command::new(shell[0]);
        let Ok(said) = command.args(&shell[1..]).arg(&file).args(["--tracefs", "/", "run"]).output() else {
            println!("SKIPPED: no {} on this machine: cargo xtask setup", shell[0]);
            continue;
        };
        assert_eq!(said.status.code(), Some(3), "{shell:?}: {}", String::from_utf8_lossy(&said.stderr));
        assert!(!output.exists(), "{shell:?}");
    }
}

#[test]
fn show_writes_nothing_also_if_nobody_reads_it() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let script = build("-e", "trace sched:sched_switch; buffer 1MiB;").expect("a script");
    std::fs::write(file.path(), script).expect("a file");
    for shell in [&["dash"][..], &["busybox", "sh"]] {
        let mut command = Command::new(shell[0]);
        command.args(&shell[1..]).arg(file.path()).arg("show").stdin(Stdio::null()).stderr(Stdio::piped());
        let Ok(running) = command.stdout(std::io::pipe().expect("a pipe").1).spawn() else {
            println!("SKIPPED: no {} on this machine: cargo xtask setup", shell[0]);
            continue;
        };
        let output = running.wait_with_output().expect("an output");
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(!errors.contains("cannot be written"), "{shell:?}: {errors}");
    }
}

#[test]
fn goldens_hold_what_is_made_for_a_session() {
    for name in
        ["tests/live/settings", "tests/live/enable_event", "tests/live/soft_mode", "examples/quickstart"]
    {
        let path = format!("{name}.trc");
        let text = std::fs::read_to_string(root().join(&path)).expect("a text");
        let script = build(&path, &text).expect("a script");
        let (head, same) = script.split_once(SAME).expect("two parts");
        let golden = name.rsplit('/').next().unwrap_or(name);
        let directory = root().join("compiler/src/target/script");
        expect_file![directory.join(format!("goldens/{golden}.sh"))].assert_eq(head);
        let body = std::fs::read_to_string(directory.join("body.sh")).expect("a text");
        assert_eq!(format!("\n{SAME}{same}"), body);
    }
}

#[test]
fn host_condition_and_json_are_refused_at_the_clause() {
    for (text, place) in [
        ("trace sched:sched_switch if prev_prio * 2 > next_prio;", "prev_prio * 2 > next_prio"),
        ("trace sched:sched_switch; output \"a.jsonl\";", "\"a.jsonl\""),
    ] {
        let kernel = KernelDirectory(root().join("tests/data/kernel"));
        let source = SourceText { name: "-e".to_owned(), text: text.to_owned(), one_liner: true };
        let target = Target::find("script").expect("the target");
        let input = Input { target, ..Input::new(&source, &kernel) };
        let analysis = analyse(input, Choice::One(None));
        let instance = InstanceName::new("tracec.test").expect("a name");
        let request = Request { instance: &instance, kernel: &kernel, sources: &analysis.sources };
        let session = analysis.sessions().next().expect("a session");
        let refusals = (target.build)(session, &request).expect_err("a refusal");
        let places: Vec<(&str, &str)> = refusals
            .iter()
            .chain(&analysis.diagnostics)
            .map(|said| (said.code.id, said.primary.as_ref().map_or("", |label| &text[label.span.range()])))
            .collect();
        assert_eq!(places, [("T0408", place)]);
    }
}

/// Runs calls of the functions of the second part in each shell. Returns the status and the standard error of each.
fn called(calls: &str) -> Vec<(Option<i32>, String)> {
    let script = build("-e", "sched:sched_switch").expect("a script");
    let (_, body) = script.split_once(SAME).expect("two parts");
    let (functions, _) = body.rsplit_once("\nmain ").expect("the last line");
    let text = format!("set -u\ninstance=x\n{functions}\n{calls}\n");
    let run = |shell: &[&str]| {
        let said =
            Command::new(shell[0]).args(&shell[1..]).args(["-c", &text, "s"]).output().expect("a shell");
        (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned())
    };
    [&["dash"][..], &["busybox", "sh"]].map(run).to_vec()
}

/// A list shows an entry in one line: the head of one and the tail of another are not the entry.
#[test]
fn entry_is_looked_for_in_one_line() {
    let directory = tempfile::tempdir().expect("a directory");
    let list = directory.path().join("trigger");
    for (shown, status) in [
        ("stacktrace:unlimited if a == 1", 0),
        ("traceoff:unlimited\nstacktrace:count=2 if a == 1", 0),
        ("stacktrace:unlimited\ntraceoff:unlimited if a == 1", 1),
        ("stacktrace:unlimited if a == 1 && b == 2", 1),
    ] {
        let call = "phase=apply; entry 'a.trc:1:1' trigger '\n' stacktrace ' if a == 1'";
        let calls = format!("dir='{}'; newline='\n'; {call}", directory.path().display());
        // The value that is written takes the place of the first line, which is empty.
        std::fs::write(&list, format!("\n{shown}\n")).expect("a file");
        for (ended, said) in called(&calls) {
            assert_eq!(ended, Some(status), "{shown:?}: {said}");
        }
    }
}

#[test]
fn message_does_not_control_the_terminal() {
    for (status, said) in called(r#"fail 3 "$(printf 'a\033[2Jb') cannot be written""#) {
        assert_eq!((status, said.as_str()), (Some(3), "s: a^[[2Jb cannot be written\n"));
    }
}

/// Checks with strace on a file that accepts every write that one call writes each value, in each shell.
#[test]
fn each_value_is_one_write() {
    let script = build("-e", "sched:sched_switch").expect("a script");
    let (_, body) = script.split_once(SAME).expect("two parts");
    let (functions, _) = body.rsplit_once("\nmain ").expect("the last line");
    let directory = tempfile::tempdir().expect("a directory");
    let (file, target, log) =
        (directory.path().join("put.sh"), directory.path().join("target"), directory.path().join("log"));
    for shell in [&["dash"][..], &["busybox", "sh"]] {
        for length in [1, 1023, 1025, 4095] {
            let value = "a'\"\\ %s\n".repeat(600)[..length].to_owned();
            let quoted = value.replace('\'', "'\\''");
            let text = format!("set -u\ninstance=x\n{functions}\nput '{}' '{quoted}'\n", target.display());
            std::fs::write(&file, text).expect("a file");
            std::fs::write(&target, "").expect("a file");
            let mut strace = Command::new("strace");
            strace.args([
                "-f",
                "-y",
                "-e",
                "trace=write,writev,pwrite64,sendfile,copy_file_range,splice",
                "-o",
            ]);
            match strace.arg(&log).args(shell).arg(&file).output() {
                Ok(said) => assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr)),
                Err(_) => return println!("SKIPPED: no strace on this machine: cargo xtask setup"),
            }
            assert_eq!(std::fs::read_to_string(&target).expect("a text"), value);
            let calls = std::fs::read_to_string(&log).expect("a log");
            let name = format!("<{}>", target.display());
            let calls: Vec<&str> = calls.lines().filter(|line| line.contains(&name)).collect();
            assert_eq!(calls.len(), 1, "{shell:?}, {length} bytes:\n{}", calls.join("\n"));
            // The result is in another column if another process was traced in between.
            assert!(calls[0].contains(&format!(", {length}")), "{}", calls[0]);
        }
    }
}
