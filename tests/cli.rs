//! The command line without a kernel: exit statuses, standard output and standard error, help and lists.

use std::process::{Command, Output};

use tracec::Plan;

fn tracec(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).args(args).output().expect("tracec starts")
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

const KERNEL: [&str; 2] = ["--kernel", "tests/data/kernel"];

fn with_kernel(args: &[&str]) -> Output {
    tracec(&[args, &KERNEL].concat())
}

#[test]
fn wrong_usage_is_64_and_help_is_0() {
    for args in [&["run"][..], &["check", "a.trc", "-e", "b"], &["fly"], &["check", "--nothing", "a"], &[]] {
        assert_eq!(tracec(args).status.code(), Some(64), "{args:?}");
    }
    for args in [&["--help"][..], &["--version"], &["run", "--help"]] {
        let output = tracec(args);
        assert_eq!(output.status.code(), Some(0), "{args:?}");
        assert!(!output.stdout.is_empty() && output.stderr.is_empty(), "{args:?}");
    }
    assert!(stdout(&tracec(&["--help"])).contains("tracec run -e"), "help teaches");
}

#[test]
fn words_of_other_tools_on_the_command_line_are_answered_with_what_to_type() {
    let session = "sched:sched_switch";
    for (args, wanted) in [
        (&["run", session][..], "-e 'sched:sched_switch'"),
        (&["check", "sched:sched_switch if next_pid == 1"], "-e 'sched:sched_switch if next_pid == 1'"),
        (&["run", "-e", session, "sleep", "1"], "-- sleep 1"),
        (&["run", "-e", session, "true"], "-- sleep 1"),
        (&["run", "-e", session, "-f", "next_prio < 100"], "if CONDITION"),
        (&["run", "-e", session, "-p", "1234"], "if current.pid == 1234"),
        (&["run", "-e", session, "--duration", "5s"], "stop after 5s"),
        (&["check", "-e", session, "-o", "out.json"], "output \"FILE.json\""),
        (&["run", "-e", session, "-c", "ls"], "-- sleep 1"),
        (&["run", "-e", session, "-e", "sched:sched_waking"], "{SYSTEM:EVENT, SYSTEM:EVENT}"),
        (&["report", "x.dat", "-o", "y.txt"], "behind `>`"),
        (&["summary", "x.dat", "y.dat"], "`tracec report` merges several"),
        (&["report", "x.dat", "--since", "1.5"], "`--from TIME` and `--to TIME`"),
        (&["report", "-i", "x.dat"], "tracec report FILE"),
        (&["filter", "x.dat", "-p", "12", session], "`--task PID|NAME`"),
        (&["convert", "x.dat", "y.dat"], "behind `-o`: FILE -o NEW.dat"),
        (&["split", "x.dat", "-o", "y.dat", "--to", "1", "--task", "ls"], "tracec filter FILE"),
        (&["split", "x.dat", "-o", "y.dat", "--from", "-1"], "it is not a time: expected"),
        (&["record", "-e", session], "tracec run"),
        (&["trace", session], "tracec run"),
        (&["start", session], "-e 'sched:sched_switch'"),
        (&["lint", "x.trc"], "tracec check"),
        (&["validate", "x.trc"], "tracec check"),
        (&["format", "x.trc"], "tracec fmt"),
    ] {
        let output = tracec(args);
        assert!(!output.status.success(), "{args:?}");
        let said = stderr(&output);
        assert!(said.contains(wanted), "{args:?}: {said}");
        assert!(!said.contains("to pass '-") && !said.contains("similar subcommand"), "{args:?}: {said}");
    }
}

#[test]
fn check_says_so_and_mistakes_are_1() {
    let good = with_kernel(&["check", "examples/quickstart.trc"]);
    assert_eq!((good.status.code(), stderr(&good)), (Some(0), ""));
    let bad = with_kernel(&["check", "-e", "sched:sched_switch if next_com == \"bash\""]);
    assert_eq!((bad.status.code(), stdout(&bad)), (Some(1), ""));
    assert!(stderr(&bad).contains("-e:1:23") && stderr(&bad).contains("did you mean `next_comm`?"));
}

/// The mistake in it is one of the language, not of the command line.
#[test]
fn a_text_may_begin_with_a_dash() {
    let pasted = with_kernel(&["check", "-e", "-e sched:sched_switch -f 'prev_prio < 100'"]);
    assert_eq!((pasted.status.code(), stdout(&pasted)), (Some(1), ""));
    assert!(
        stderr(&pasted).starts_with("error[T0134]: this is written for trace-cmd"),
        "{}",
        stderr(&pasted)
    );
    assert_eq!(stderr(&pasted).matches("error").count(), 1, "{}", stderr(&pasted));
}

#[test]
fn a_plan_is_2_as_text_and_as_json() {
    let args = ["plan", "-e", "sched:sched_switch if prev_prio < 100", "--instance", "here"];
    let text = with_kernel(&args);
    assert_eq!(text.status.code(), Some(2));
    assert!(stdout(&text).contains("none -> prev_prio < 100"), "{}", stdout(&text));
    let json = with_kernel(&[&args[..], &["--json"]].concat());
    let plan: Plan = serde_json::from_slice(&json.stdout).expect("a plan");
    assert_eq!(plan.to_string(), stdout(&text));
}

#[test]
fn levels_of_lints_hold_for_whatever_reads_a_session() {
    let warned = "sched:sched_wakeup if comm == \"a\"";
    for (command, good) in [("plan", 2), ("explain", 0)] {
        for (level, status, said) in
            [("-A", good, ""), ("-W", good, "warning[T0211]"), ("-D", 1, "error[T0211]")]
        {
            let output = with_kernel(&[command, "-e", warned, level, "hidden-pseudo-field"]);
            let first = stderr(&output).split(':').next().unwrap_or_default();
            assert_eq!((output.status.code(), first), (Some(status), said), "{command} {level}");
        }
    }
}

#[test]
fn one_session_of_several_is_chosen_by_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("two.trc");
    std::fs::write(&file, "session a { trace sched:sched_switch; } session b { trace sched:sched_waking; }")
        .expect("written");
    let file = file.to_str().expect("UTF-8");
    assert!(stderr(&with_kernel(&["plan", file])).contains("[T0309]"));
    assert!(stderr(&with_kernel(&["plan", &format!("{file}#c")])).contains("[T0110]"));
    let chosen = with_kernel(&["plan", &format!("{file}#b")]);
    assert!(stdout(&chosen).contains("sched_waking") && !stdout(&chosen).contains("sched_switch"));
}

#[test]
fn lists_take_globs_and_parts() {
    let all = with_kernel(&["list", "sched:*"]);
    assert!(stdout(&all).lines().any(|line| line == "sched:sched_switch"));
    let part = with_kernel(&["list", "-v", "sched_switch"]);
    assert!(stdout(&part).contains("next_comm"), "{}", stdout(&part));
    let none = with_kernel(&["list", "sched_nothing"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(stderr(&none).contains("[T0519]"));
    assert!(stdout(&with_kernel(&["list", "--kind", "clocks"])).contains("mono"));
    assert!(stdout(&with_kernel(&["list", "--kind", "modules", "errno"])).starts_with("errno "));
}

#[test]
fn lists_show_what_the_kernel_has() {
    let list = |kind: &str, kernel: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.args(["list", "--kind", kind, "--kernel", kernel]).output().expect("tracec runs")
    };
    let names = |kind: &str, kernel: &str| -> Vec<String> {
        let output = list(kind, kernel);
        assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""), "{kind}");
        stdout(&output).lines().filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
    };
    // 6.18 was saved on a machine without most of them.
    for (kind, of_6_12, of_6_18) in
        [("triggers", "snapshot", "traceoff"), ("tracers", "function_graph", "nop")]
    {
        let (more, less) = (names(kind, "6.12"), names(kind, "6.18"));
        assert!(
            more.iter().any(|name| name == of_6_12) && !less.iter().any(|name| name == of_6_12),
            "{less:?}"
        );
        assert!(less.iter().any(|name| name == of_6_18), "{less:?}");
    }
    let clocks = names("clocks", "6.12");
    assert!(clocks.iter().any(|name| name == "x86-tsc") && !clocks.iter().any(|name| name == "ppc-tb"));
    let functions = list("functions", "6.12");
    assert_eq!(functions.status.code(), Some(1));
    assert!(stderr(&functions).contains("has no list of its functions"), "{}", stderr(&functions));
}

#[test]
fn every_code_can_be_explained() {
    let list = tracec(&["explain"]);
    for line in stdout(&list).lines() {
        let mut words = line.split_whitespace();
        let mut word = || words.next().expect("a code, its kind and its name");
        let (code, kind, name) = (word(), word(), word());
        assert!(["error", "allow", "warn", "deny"].contains(&kind), "{line}");
        let page = tracec(&["explain", code]);
        assert!(stdout(&page).starts_with(&format!("# {code}: {name}\n\n")), "{line}");
        let object = tracec(&["explain", name, "--format", "json"]);
        let object: serde_json::Value = serde_json::from_str(stdout(&object)).expect("JSON");
        assert_eq!(object["page"], stdout(&page), "{line}");
        assert!(line.ends_with(object["summary"].as_str().expect("a summary")), "{line}");
        assert_eq!((&object["kind"] == "error", &object["code"]), (kind == "error", &code.into()), "{line}");
    }
    let unknown = tracec(&["explain", "T9999"]);
    assert_eq!((unknown.status.code(), stderr(&unknown).contains("[T0518]")), (Some(1), true));
}

/// A directory that is not a copy of a kernel, an event without a readable layout, a text in another encoding, and a
/// file that is not a recording are reported.
#[test]
fn files_that_cannot_be_used_are_reported() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = |name: &str| dir.path().join(name).to_str().expect("UTF-8").to_owned();
    std::fs::create_dir_all(path("events/a/b")).expect("directories");
    std::fs::write(path("events/a/b/format"), "name: b\nID: x\n").expect("written");
    std::fs::write(path("latin1.trc"), b"// \xe4").expect("written");
    std::fs::write(path("text.dat"), "no recording").expect("written");
    let (latin1, dat, copy) = (path("latin1.trc"), path("text.dat"), path(""));
    for (args, code, place) in [
        (&["check", "-e", "a:b", "--kernel", "/nowhere"][..], "[T0605]", None),
        (&["check", "-e", "a:b", "--kernel", &copy], "[T0512]", Some("-e:1:1")),
        (&["check", &latin1, "--kernel", "tests/data/kernel"], "[T0513]", None),
        (&["report", &dat], "[T0515]", None),
    ] {
        let output = tracec(args);
        assert_eq!(output.status.code(), Some(1), "{args:?}");
        assert!(stderr(&output).starts_with(&format!("error{code}: ")), "{args:?}: {}", stderr(&output));
        let marked = stderr(&output).lines().find_map(|line| line.split_once("┌─ ")).map(|(_, place)| place);
        assert_eq!(marked, place, "{args:?}");
    }
}

#[test]
fn a_closed_output_is_no_error() {
    let script = "\"$0\" list --kernel tests/data/kernel | head -n 1; \"$0\" explain | head -n 1";
    let mut shell = Command::new("sh");
    shell.current_dir(env!("CARGO_MANIFEST_DIR"));
    let output = shell.args(["-c", script, env!("CARGO_BIN_EXE_tracec")]).output().expect("a shell");
    assert_eq!((stdout(&output).lines().count(), stderr(&output)), (2, ""));
}

#[test]
fn a_large_wrong_file_is_refused_quickly() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("large.trc");
    std::fs::write(&file, vec![b'x'; 10 << 20]).expect("written");
    let output = with_kernel(&["check", file.to_str().expect("UTF-8")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("[T0001]"), "{}", stderr(&output));
}

/// `--set` gives a parameter its value; a word that is not a constant is a string, whose quotes the shell has removed.
#[test]
fn parameters_are_set_from_the_command_line() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("a.trc");
    let text = "session s(most: s32 = 100, who: string = \"sh\") {\n    \
                trace sched:sched_switch if prev_prio < most && next_comm == who;\n}\n";
    std::fs::write(&file, text).expect("written");
    let file = file.to_str().expect("UTF-8");
    let filter = |set: &[&str]| {
        let args = [&["plan", file, "--kernel", "tests/data/kernel"], set].concat();
        let output = tracec(&args);
        let line =
            stdout(&output).lines().find(|line| line.contains("/filter")).unwrap_or_default().to_owned();
        let written = line.split_once("none -> ").map(|(_, filter)| filter.to_owned());
        written.unwrap_or_else(|| stderr(&output).lines().next().unwrap_or_default().to_owned())
    };
    assert_eq!(filter(&[]), "prev_prio < 100 && next_comm == \"sh\"");
    assert_eq!(
        filter(&["--set", "most=1 << 4", "--set", "who=bash"]),
        "prev_prio < 16 && next_comm == \"bash\""
    );
    assert_eq!(filter(&["--set", "who=\"a b\""]), "prev_prio < 100 && next_comm == \"a b\"");
    // A second part would be left out without a word.
    for value in ["most=2; const x = 1", "most=2; // x"] {
        let said = filter(&["--set", value]);
        assert!(said.starts_with("error[T0012]: expected the end of the value, found `;`"), "{said}");
    }
    assert!(filter(&["--set", "mos=1"]).starts_with("error[T0122]"), "{}", filter(&["--set", "mos=1"]));
    assert!(
        filter(&["--set", "most=5000000000"]).starts_with("error[T0707]"),
        "{}",
        filter(&["--set", "most=5000000000"])
    );
}

/// A message shows the ends of a very long name.
#[test]
fn message_shortens_a_long_name() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("long.trc");
    let name = "a".repeat(1 << 20);
    for text in [
        format!("session s {{ trace sched:{name}; }}"),
        format!("session s {{ trace sched:sched_switch if {name} == 1; }}"),
        format!("session s {{ clock {name}; trace sched:sched_switch; }}"),
        format!("use std::{name};\nsession s {{ trace sched:sched_switch; }}"),
        format!("use \"{name}.trc\";\nsession s {{ trace sched:sched_switch; }}"),
    ] {
        std::fs::write(&file, text).expect("written");
        for format in ["text", "short", "json"] {
            let output = with_kernel(&["check", file.to_str().expect("UTF-8"), "--format", format]);
            assert_eq!(output.status.code(), Some(1));
            let length = output.stderr.len() + output.stdout.len();
            assert!((50..5000).contains(&length), "{format}: {length} bytes");
        }
    }
}

/// A name in a recording's malformed layout does not command the terminal.
#[test]
fn names_of_a_recording_are_escaped() {
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("names.dat");
    let mut recorded = std::fs::read("tests/data/quickstart.dat").expect("a recording");
    let at = recorded.windows(6).position(|bytes| bytes == b"name: ").expect("a layout");
    recorded[at + 6] = 0x1b;
    let id = recorded[at..].windows(4).position(|bytes| bytes == b"ID: ").expect("an id");
    recorded[at + id + 4] = b'x';
    std::fs::write(&file, recorded).expect("written");
    for more in [&[][..], &["--json"]] {
        let output = tracec(&[&["report", file.to_str().expect("UTF-8")], more].concat());
        assert!(stderr(&output).contains("\\x1b"), "{}", stderr(&output));
        assert!(!stderr(&output).contains('\u{1b}') && !stdout(&output).contains('\u{1b}'), "{output:?}");
    }
}
