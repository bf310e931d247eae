//! `--kernel` and `tracec kernel` without a tracefs: kernels by name and by path, several at once, and files that are
//! not profiles.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A home directory for each test, so that the profiles of the user who runs it are not found.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        Home(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn tracec(&self, args: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).env("XDG_DATA_HOME", self.0.path()).args(args);
        command.output().expect("tracec starts")
    }

    /// Checks a one-liner against kernels.
    fn check(&self, text: &str, kernels: &[&str]) -> Output {
        let mut args = vec!["check", "-e", text];
        args.extend(kernels.iter().flat_map(|kernel| ["--kernel", kernel]));
        self.tracec(&args)
    }

    /// Writes a file with these bytes.
    fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a directory")).expect("made");
        std::fs::write(&path, bytes).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).expect("UTF-8")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

fn shipped(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("profiles/{name}.trcprof"));
    std::fs::read(path).expect("a profile that is shipped")
}

const KERNELS: [&str; 3] = ["6.1", "6.12", "6.18"];

#[test]
fn kernels_have_names_and_paths() {
    let home = Home::new();
    let by_path = home.file("elsewhere.bin", &shipped("6.12"));
    home.file("tracec/kernels/mine.trcprof", &shipped("6.12"));
    for kernel in ["6.12", "mine", &by_path, "profiles/6.12.trcprof"] {
        let output = home.check("sched:sched_switch if prev_prio < 100", &[kernel]);
        assert_eq!(output.status.code(), Some(0), "{kernel}: {}", stderr(&output));
        assert!(stdout(&output).contains("for kernel 6.12."), "{kernel}: {}", stdout(&output));
    }
    let plan = home.tracec(&["plan", "-e", "sched:sched_switch", "--kernel", "6.1"]);
    assert_eq!(plan.status.code(), Some(2), "{}", stderr(&plan));
    assert!(stdout(&plan).contains("events/sched/sched_switch/enable     0 -> 1"), "{}", stdout(&plan));
    let list = home.tracec(&["list", "-v", "sched:sched_switch", "--kernel", "6.1"]);
    assert!(stdout(&list).contains("prev_comm"), "{}", stdout(&list));
}

#[test]
fn features_are_those_of_the_kernel() {
    let home = Home::new();
    let of = |feature: &str, kernel: &str| {
        let output = home.tracec(&["list", "--kind", "features", feature, "--kernel", kernel]);
        stdout(&output).split_whitespace().nth(1).unwrap_or_default().to_owned()
    };
    let table = [
        ("hist-nohitcount", ["no", "yes", "no"]),
        ("subbuffer-size", ["no", "yes", "yes"]),
        ("filter-cpus", ["no", "yes", "yes"]),
        ("filter-function", ["no", "yes", "yes"]),
        ("filter-ustring", ["yes", "yes", "yes"]),
        ("eprobe-events", ["yes", "yes", "no"]),
        ("function-graph-instances", ["no", "yes", "no"]),
        ("copy-trace-marker", ["no", "no", "yes"]),
        ("user-events", ["no", "no", "no"]),
    ];
    for (feature, expected) in table {
        assert_eq!(KERNELS.map(|kernel| of(feature, kernel)), expected, "{feature}");
    }
    // A copy of some files is not evidence of a missing feature.
    assert_eq!(of("hist-nohitcount", "tests/data/kernel"), "unknown");
}

#[test]
fn mistake_on_all_kernels_is_reported_once() {
    let output = Home::new().check("sched:sched_switch if next_com == \"a\"", &KERNELS);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
    let text = stderr(&output);
    assert_eq!(text.matches("error[").count(), 1, "{text}");
    assert!(text.contains("did you mean `next_comm`?") && !text.contains("6.1"), "{text}");
}

#[test]
fn a_mistake_on_some_kernels_names_them() {
    let home = Home::new();
    let output = home.check("trace sched:sched_prepare_exec; trace sched:sched_stat_wait;", &KERNELS);
    let text = stderr(&output);
    assert_eq!((output.status.code(), text.matches("error[").count()), (Some(1), 2), "{text}");
    assert!(text.contains("note: on 6.1, not on 6.12 and 6.18"), "{text}");
    assert!(text.contains("note: on 6.18, not on 6.1 and 6.12"), "{text}");
    let good = home.check("sched:sched_switch", &KERNELS);
    assert_eq!((good.status.code(), stderr(&good)), (Some(0), ""));
    assert_eq!(stdout(&good), "-e: no mistakes for 6.1, 6.12 and 6.18\n");
    let twice = home.check("sched:sched_switch", &["6.1", "6.1"]);
    assert!(stdout(&twice).contains("no mistakes for kernel 6.1."), "{}", stdout(&twice));
}

#[test]
fn kernels_are_listed_with_what_they_hold() {
    let home = Home::new();
    home.file("tracec/kernels/mine.trcprof", &shipped("6.1"));
    let output = home.tracec(&["kernel", "list"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), ""));
    let names: Vec<&str> =
        stdout(&output).lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names, ["NAME", "6.1", "6.12", "6.18", "mine"]);
    assert!(stdout(&output).contains("mine.trcprof"), "{}", stdout(&output));
    // The version of the source package and its date are the kernel's own words.
    let verbose = home.tracec(&["kernel", "list", "--verbose"]);
    assert!(
        stdout(&verbose).contains(" Debian 6.1.") && stdout(&verbose).contains("; saved 20"),
        "{verbose:?}"
    );
    // The CPUs of a machine are shown only for a kernel that the user has saved.
    let machines: Vec<&str> = stdout(&verbose).lines().filter(|line| line.contains("pages of")).collect();
    let [shipped, saved] = ["    pages of 4,096 bytes", "    CPUs up to 1, pages of 4,096 bytes"];
    assert_eq!(machines, [shipped, shipped, shipped, saved]);

    home.file("tracec/kernels/bad.trcprof", b"no profile");
    let output = home.tracec(&["kernel", "list"]);
    assert_eq!((output.status.code(), stdout(&output).lines().count()), (Some(1), 5));
    assert!(
        stderr(&output).contains("T0602") && stderr(&output).contains("bad.trcprof"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn differences_are_2_and_none_is_0() {
    let home = Home::new();
    let same = home.tracec(&["kernel", "diff", "6.1", "profiles/6.1.trcprof"]);
    assert_eq!((same.status.code(), stdout(&same).lines().count()), (Some(0), 1));
    assert!(stdout(&same).starts_with("no differences: from 6.1."), "{}", stdout(&same));
    let same = home.tracec(&["kernel", "diff", "6.1", "profiles/6.1.trcprof", "--json"]);
    assert_eq!(same.status.code(), Some(0));
    let same: serde_json::Value = serde_json::from_slice(&same.stdout).expect("JSON");
    assert_eq!(same["changed"], serde_json::json!([]), "programs get an object, as ever: {same}");
    let text = home.tracec(&["kernel", "diff", "6.1", "6.12"]);
    assert_eq!(text.status.code(), Some(2));
    let lines = [
        "~ feature filter-cpus: no -> yes",
        "+ sched:sched_prepare_exec",
        "    ~ rwbs: char[8] at 32, 8 bytes -> char[8] at 34, 8 bytes",
    ];
    for line in lines {
        assert!(stdout(&text).lines().any(|found| found == line), "{line} is not in\n{}", stdout(&text));
    }
    let json = home.tracec(&["kernel", "diff", "6.1", "6.12", "--json"]);
    assert_eq!(json.status.code(), Some(2));
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let added = json["added"].as_array().expect("a list");
    assert!(added.contains(&"sched:sched_prepare_exec".into()), "{added:?}");
    let field = &json["changed"][0]["fields"][0];
    assert!(field["field"].is_string() && field.get("before").is_some(), "{field}");
    let error = home.tracec(&["kernel", "diff", "6.1", "6.2"]);
    assert_eq!(error.status.code(), Some(1));
}

#[test]
fn unreadable_tracefs_offers_a_saved_kernel() {
    let output =
        Home::new().tracec(&["check", "-e", "sched:sched_switch", "--tracefs", "/no/such/directory"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("help: `--kernel 6.18` uses a saved kernel"), "{}", stderr(&output));
}

#[test]
fn file_that_is_not_a_profile_is_reported() {
    let home = Home::new();
    let good = shipped("6.1");
    let (mut flipped, mut later) = (good.clone(), good.clone());
    let last = flipped.len() - 1;
    flipped[last / 2] ^= 0x10;
    later[8] = 77;
    // A table that claims more than the file holds, in a file that is long enough for the claim.
    let mut huge = good[..16].to_vec();
    huge[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
    let huge = home.file("huge", &huge);
    let sparse = std::fs::OpenOptions::new().write(true).open(&huge).expect("opened");
    sparse.set_len(16 << 30).expect("a sparse file");
    let pipe = home.path("pipe").to_str().expect("UTF-8").to_owned();
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo starts").success());
    let table = [
        ("T0602", home.file("text", b"session s {}")),
        ("T0602", home.file("empty", b"")),
        ("T0602", home.file("zeros", &[0; 65536])),
        ("T0603", home.file("later", &later)),
        ("T0604", home.file("flipped", &flipped)),
        ("T0604", home.file("cut", &good[..good.len() - 1])),
        ("T0604", home.file("head", &good[..9])),
        ("T0604", home.file("grown", &[&good[..], b"x"].concat())),
        ("T0604", huge),
        ("T0605", "6.2".to_owned()),
        ("T0605", home.path("nothing").to_str().expect("UTF-8").to_owned()),
        ("T0605", String::new()),
        ("T0512", "/dev/zero".to_owned()),
        ("T0512", pipe),
        ("T0512", "src".to_owned()),
    ];
    for (code, kernel) in table {
        for command in [&["check"][..], &["plan"]] {
            let output = home.tracec(&[command, &["-e", "sched:sched_switch", "--kernel", &kernel]].concat());
            let text = stderr(&output);
            assert_eq!(output.status.code(), Some(1), "{kernel}: {text}");
            assert!(text.contains(&format!("error[{code}]")), "{kernel}: expected {code} in {text}");
        }
    }
}

/// `when has feature` asks what the kernel supports, and does not guess if that is not known.
#[test]
fn features_decide_between_clauses() {
    let home = Home::new();
    let session =
        "when has feature synthetic-events { trace sched:sched_waking; } else { trace sched:sched_wakeup; }";
    let plan = |session: &str, kernel: &str| {
        let output = home.tracec(&["plan", "-e", session, "--kernel", kernel]);
        let (out, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        format!("{out}{said}")
    };
    assert!(plan(session, "6.1").contains("sched_waking/enable"), "{}", plan(session, "6.1"));
    assert!(plan(session, "6.18").contains("sched_wakeup/enable"), "{}", plan(session, "6.18"));
    let unknown = session.replace("synthetic-events", "synthetic-event");
    assert!(plan(&unknown, "6.1").contains("did you mean"), "{}", plan(&unknown, "6.1"));
    assert!(plan(session, "tests/data/kernel").contains("[T0512]"), "{}", plan(session, "tests/data/kernel"));
}

/// Probes and their arguments are looked up in the kernel, as its events are.
#[test]
fn definitions_need_what_the_kernel_has() {
    let home = Home::new();
    let table = [
        ("event e at fprobe vfs_read(file: *struct file)", ["no", "yes", "no"]),
        ("event e at tprobe sched_switch(preempt: bool)", ["no", "yes", "no"]),
        ("event e at kprobe vfs_read(file: *struct file)", ["yes", "yes", "no"]),
        ("event e at kretprobe vfs_read -> (ret: ssize_t) { ret; a = $arg1: u64; }", ["no", "yes", "no"]),
        ("event e at kretprobe vfs_read(file: *struct file) -> (ret: ssize_t)", ["no", "yes", "no"]),
        ("event e at kretprobe vfs_read -> (ret: ssize_t)", ["yes", "yes", "no"]),
        ("event e at kprobe vfs_read(file: *struct file) { c = +0($arg1): char; }", ["no", "yes", "no"]),
        ("event e at event sched:sched_process_exec { filename; }", ["yes", "yes", "no"]),
        ("event e at uprobe \"/bin/bash\":readline(prompt: *user char)", ["yes", "yes", "yes"]),
        ("event e at fentry vfs_read(file: *struct file)", ["yes", "yes", "yes"]),
    ];
    for (number, (definition, has)) in table.into_iter().enumerate() {
        let end = if definition.ends_with('}') { "" } else { ";" };
        let file =
            home.file(&format!("{number}.trc"), format!("subsystem s;\n{definition}{end}\n").as_bytes());
        for (kernel, has) in KERNELS.into_iter().zip(has) {
            let output = home.tracec(&["check", &file, "--kernel", kernel]);
            let lacks = stderr(&output).contains("error[T0756]: kernel 6.");
            assert_eq!(lacks, has == "no", "{definition} on {kernel}: {}", stderr(&output));
            assert_eq!(
                output.status.code(),
                Some(i32::from(lacks)),
                "{definition} on {kernel}: {}",
                stderr(&output)
            );
        }
        // A copy of formats is not evidence.
        let output = home.tracec(&["check", &file, "--kernel", "tests/data/kernel"]);
        assert_eq!(output.status.code(), Some(0), "{definition}: {}", stderr(&output));
    }
    let fprobe = home.path("0.trc");
    let fprobe = fprobe.to_str().expect("UTF-8");
    let output = home.tracec(&["check", fprobe, "--kernel", "6.1", "--kernel", "6.12"]);
    let said = stderr(&output);
    assert!(said.contains("the kernel does not have probes of the kind `fprobe`"), "{said}");
    assert!(said.contains("`fprobe-events`: events at entry and exit of a function"), "{said}");
    assert!(said.contains("on 6.1, not on 6.12"), "{said}");

    assert!(said.contains("0.trc:2:12\n"), "the kind of probe is marked: {said}");
}

/// The output in the book for a text that is checked against several kernels is the actual output.
#[test]
fn the_book_shows_what_several_kernels_say() {
    let home = Home::new();
    home.file(
        "boot.trc",
        b"session boot {\n    trace sched:sched_process_exec;\n    trace sched:sched_prepare_exec;\n}\n",
    );
    let chapter = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/kernels.md");
    let chapter = std::fs::read_to_string(chapter).expect("the chapter");
    let (_, block) = chapter.split_once("    # tracec check boot.trc ").expect("the command in the chapter");
    let (args, shown) = block.split_once('\n').expect("what it prints");
    let lines = shown.lines().map_while(|line| line.strip_prefix("    "));
    let shown = lines.map(|line| format!("{line}\n")).collect::<String>();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(home.0.path()).env("XDG_DATA_HOME", home.0.path()).args(["check", "boot.trc"]);
    let output = command.args(args.split_whitespace()).output().expect("tracec starts");
    assert_eq!(stderr(&output).trim_end(), shown.trim_end());
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_trigger_that_few_kernels_have_is_denied_to_the_others_alone() {
    let home = Home::new();
    for (kernel, says) in [
        ("6.1", "error[T0329]: `trigger snapshot` needs a ring"),
        ("6.12", "error[T0329]: `trigger snapshot` needs a ring"),
        ("6.18", "error[T0107]: there is no trigger `snapshot` in kernel 6.18"),
    ] {
        let output = home.check("on sched:sched_switch { trigger snapshot; }", &[kernel]);
        assert!(stderr(&output).contains(says), "{kernel}: {}", stderr(&output));
    }
}
