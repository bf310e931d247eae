//! `tracec recover` on a directory that replaces tracefs: its lines and its exit status.

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

/// A copy of tracefs with two instances, and a directory for journals.
struct Machine(tempfile::TempDir);

impl Machine {
    fn new() -> Self {
        let machine = Machine(tempfile::tempdir().expect("a directory"));
        for path in ["tracing/instances/theirs", "run"] {
            std::fs::create_dir_all(machine.0.path().join(path)).expect("a directory");
        }
        machine
    }

    fn journals(&self) -> std::path::PathBuf {
        self.0.path().join("run")
    }

    fn journal(&self, name: &str, text: &str) {
        std::fs::write(self.journals().join(format!("{name}.journal")), text).expect("a journal");
    }

    /// Runs `recover` and returns its status, and the lines of standard output without the directory of journals.
    fn recover(&self) -> (Option<i32>, Vec<String>, String) {
        self.recover_to(Stdio::piped())
    }

    /// The same with another standard output.
    fn recover_to(&self, out: Stdio) -> (Option<i32>, Vec<String>, String) {
        let tracefs = self.0.path().join("tracing");
        let arguments: [&Path; 5] =
            ["recover".as_ref(), "--tracefs".as_ref(), &tracefs, "--runtime-dir".as_ref(), &self.journals()];
        let tracec = Command::new(env!("CARGO_BIN_EXE_tracec"))
            .args(arguments)
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .and_then(Child::wait_with_output);
        let Output { status, stdout, stderr } = tracec.expect("tracec runs");
        let text = |bytes| {
            String::from_utf8(bytes).expect("UTF-8").replace(&format!("{}/", self.0.path().display()), "")
        };
        (status.code(), text(stdout).lines().map(str::to_owned).collect(), text(stderr))
    }
}

#[test]
fn status_is_zero_if_nothing_is_left() {
    let machine = Machine::new();
    let (status, lines, _) = machine.recover();
    assert_eq!((status, lines), (Some(0), vec!["nothing to recover in run".to_owned()]));
    machine.journal("mine", "");
    let (status, lines, errors) = machine.recover();
    let expected = [
        "run/mine.journal: there is no instance of its name, and nothing else to undo",
        "run/mine.journal: journal removed",
    ];
    assert_eq!((status, lines, errors.as_str()), (Some(0), expected.map(str::to_owned).to_vec(), ""));
    assert_eq!(std::fs::read_dir(machine.journals()).expect("readable").count(), 0);
}

#[test]
fn state_of_a_script_is_named() {
    let machine = Machine::new();
    for name in ["tracec.b.script", "tracec.a.script", "other"] {
        std::fs::write(machine.journals().join(name), "").expect("a file");
    }
    let (status, lines, errors) = machine.recover();
    let expected = ["a", "b"].map(|name| {
        format!(
            "run/tracec.{name}.script: the state of a shell script of `tracec build`; if the script was killed, \
             `SCRIPT undo` undoes it"
        )
    });
    assert_eq!((status, lines, errors.as_str()), (Some(0), expected.to_vec(), ""));
    assert_eq!(std::fs::read_dir(machine.journals()).expect("readable").count(), 3);
}

#[test]
fn status_is_one_if_a_journal_cannot_be_used_and_the_others_are_recovered() {
    let machine = Machine::new();
    std::os::unix::fs::symlink("nothing", machine.journals().join("a.journal")).expect("a symlink");
    machine.journal("b", "damaged\n");
    machine.journal("mine", "");
    let (status, lines, errors) = machine.recover();
    let expected = [
        "run/a.journal: not changed, since it cannot be used: it is a symbolic link",
        "run/b.journal: not changed, since it cannot be used: line 1 is damaged: it has no checksum",
        "run/mine.journal: there is no instance of its name, and nothing else to undo",
        "run/mine.journal: journal removed",
    ];
    assert_eq!((status, lines), (Some(1), expected.map(str::to_owned).to_vec()));
    assert!(
        errors.contains("T0511") && errors.contains(expected[0]) && errors.contains(expected[1]),
        "{errors}"
    );
    assert!(!errors.contains("mine"), "{errors}");
}

#[test]
fn status_is_one_if_an_instance_is_left() {
    let machine = Machine::new();
    machine.journal("theirs", "");
    let (status, lines, errors) = machine.recover();
    let expected = [
        "run/theirs.journal: journal kept",
        "run/theirs.journal: tracing/instances/theirs is left as it is: the journal does not say whether the session \
         created it (last line written ",
    ];
    assert_eq!((status, lines.len()), (Some(1), expected.len()));
    lines.iter().zip(expected).for_each(|(line, expected)| assert!(line.starts_with(expected), "{line}"));
    assert!(errors.contains("tracing/instances/theirs is left as it is"), "{errors}");
}

#[test]
fn what_is_left_is_reported_even_if_nobody_reads_the_output() {
    for full in [true, false] {
        let machine = Machine::new();
        machine.journal("b", "damaged\n");
        machine.journal("mine", "");
        let out = match full {
            true => std::fs::OpenOptions::new().write(true).open("/dev/full").expect("/dev/full").into(),
            false => Stdio::from(std::io::pipe().expect("a pipe").1),
        };
        let (status, _, errors) = machine.recover_to(out);
        assert_eq!(status, Some(1), "{errors}");
        assert!(errors.contains("T0511") && errors.contains("run/b.journal: not changed"), "{errors}");
    }
}
