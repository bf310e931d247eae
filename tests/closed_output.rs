//! Exit statuses if nobody reads standard output: they are those of a run whose output is read.

use std::process::{Command, Stdio};

/// The small kernel, for commands that would otherwise read tracefs.
const K: &str = "--kernel=tests/data/kernel";

/// Command lines with their exit status. `FILES` stands for a directory of texts and journals.
const CASES: &[(i32, &[&str])] = &[
    (0, &["check", "-e", "sched:sched_switch", K]),
    (1, &["check", "-e", "sched:sched_switc", K]),
    (1, &["check", "-e", "sched:sched_switc", "--format", "short", K]),
    (1, &["check", "-e", "sched:sched_switc", "--format", "json", K]),
    (1, &["check", "-e", "sched:sched_switc", "--format", "lsp", K]),
    (1, &["check", "-e", "sched:sched_switch if prev_prio = 1", "--fix", "--diff", K]),
    (1, &["check", "-e", "sched:sched_switch if prev_pri == 1", "--fix", K]),
    (2, &["plan", "-e", "sched:sched_switch", K]),
    (2, &["plan", "-e", "sched:sched_switch", "--json", K]),
    (1, &["plan", "-e", "sched:sched_switc", K]),
    (0, &["explain", "-e", "sched:sched_switch", K]),
    (1, &["explain", "FILES/mixed.trc", K]),
    (1, &["explain", "FILES/mixed.trc", "--format", "json", K]),
    (0, &["explain"]),
    (0, &["explain", "T0101"]),
    (1, &["explain", "T9999"]),
    (0, &["build", "-e", "sched:sched_switch", "--target", "script", "-o", "-", K]),
    (1, &["build", "-e", "sched:sched_switc", "--target", "script", "-o", "-", K]),
    (1, &["build", "-e", "sched:sched_switc", "--dump", "resolve", K]),
    (0, &["build", "--target", "list"]),
    (0, &["list", K]),
    (1, &["list", "sched_nothing", K]),
    (0, &["list", "--kind", "clocks", K]),
    (1, &["fmt", "--check", "FILES/unformatted.trc"]),
    (1, &["fmt", "--check", "--diff", "FILES/unformatted.trc"]),
    (1, &["fmt", "--diff", "FILES/unformatted.trc", "FILES/wrong.trc"]),
    (1, &["fmt", "--diff", "FILES/wrong.trc", "FILES/unformatted.trc"]),
    (0, &["fmt", "--diff", "FILES/unformatted.trc"]),
    (2, &["kernel", "diff", "6.1", "6.12"]),
    (2, &["kernel", "diff", "6.1", "6.12", "--json"]),
    (0, &["kernel", "diff", "6.1", "6.1"]),
    (0, &["kernel", "list"]),
    (0, &["report", "tests/data/quickstart.dat"]),
    (0, &["report", "tests/data/quickstart.dat", "--json"]),
    (1, &["report", "FILES/wrong.trc"]),
    (0, &["report", "FILES/a.jsonl"]),
    (1, &["report", "FILES/wrong.jsonl"]),
    (0, &["dump", "tests/data/quickstart.dat"]),
    (0, &["dump", "tests/data/quickstart.dat", "--json"]),
    (0, &["convert", "tests/data/quickstart.dat", "-o", "FILES/converted.dat"]),
    (0, &["filter", "tests/data/quickstart.dat", "sched:sched_process_exec"]),
    (0, &["summary", "tests/data/quickstart.dat"]),
    (0, &["summary", "tests/data/quickstart.dat", "--json"]),
    (1, &["summary", "FILES/wrong.trc"]),
    (0, &["split", "tests/data/quickstart.dat", "--from", "0s", "-o", "FILES/split.dat"]),
    (1, &["recover", "--tracefs", "FILES", "--runtime-dir", "FILES/journals"]),
    (1, &["run", "--tracefs", "FILES", "-e", "sched:sched_switch"]),
    (64, &["run"]),
    (0, &["--help"]),
];

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Files {
        let files = Files(tempfile::tempdir().expect("a directory"));
        let write = |name: &str, text: &str| {
            std::fs::write(files.0.path().join(name), text).expect("written");
        };
        write("unformatted.trc", "session s{trace sched:sched_switch;}");
        write("wrong.trc", "session s { trace");
        write("mixed.trc", "session a { trace sched:sched_switch; } session b { trace sched:sched_switc; }");
        write("a.jsonl", "{\"lost\":1,\"cpu\":0}\n");
        write("wrong.jsonl", "{\"lost\":1,\"cpu\":0}\n{\n");
        std::fs::create_dir_all(files.0.path().join("journals")).expect("a directory");
        std::fs::create_dir_all(files.0.path().join("instances")).expect("a directory");
        write("journals/a.journal", "damaged\n");
        files
    }

    fn words(&self, case: &[&str]) -> Vec<String> {
        let directory = self.0.path().to_str().expect("UTF-8");
        case.iter().map(|word| word.replace("FILES", directory)).collect()
    }
}

/// Returns the statuses of a case: with a reader, with one that has gone, and without standard output.
fn statuses(words: &[String]) -> [Option<i32>; 3] {
    let tracec = env!("CARGO_BIN_EXE_tracec");
    let run = |program: &str, first: &[&str], stdout: Stdio| {
        let mut command = Command::new(program);
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(first).args(words);
        let status = command.stdin(Stdio::null()).stdout(stdout).stderr(Stdio::null()).status();
        status.expect("it starts").code()
    };
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let shell = ["-c", "exec \"$0\" \"$@\" >&-", tracec];
    [run(tracec, &[], Stdio::null()), run(tracec, &[], writer.into()), run("sh", &shell, Stdio::null())]
}

#[test]
fn status_does_not_depend_on_the_reader() {
    let files = Files::new();
    let wrong: Vec<String> = CASES
        .iter()
        .filter_map(|(status, case)| {
            let found = statuses(&files.words(case));
            (found != [Some(*status); 3]).then(|| format!("{case:?}: {found:?}, expected {status}"))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "with a reader, with one that has gone, without standard output:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn full_disk_is_an_error() {
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").expect("a device");
    for words in [
        &["list", "--kernel", "tests/data/kernel"][..],
        &["explain", "T0101"],
        &["build", "--target", "list"],
    ] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).args(words);
        let output = command.stdout(full()).output().expect("tracec starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!((output.status.code(), said.contains("T0509")), (Some(1), true), "{words:?}: {said}");
    }
}
