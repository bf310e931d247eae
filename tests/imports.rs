//! Imports are regular `.trc` files below the project, or below a directory that the user names.

use std::path::Path;
use std::process::{Command, Output};

const MAIN: &str =
    "use \"NAME\" as other;\nsession s { trace sched:sched_switch if prev_prio == other::LIMIT; }\n";
const OTHER: &str = "const LIMIT: u32 = 7;\n";

/// Checks a text that imports a file.
fn check(directory: &Path, name: &str, more: &[&str]) -> Output {
    let file = directory.join("main.trc");
    std::fs::write(&file, MAIN.replace("NAME", name)).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(env!("CARGO_MANIFEST_DIR")).arg("check").arg(&file);
    command.args(["--kernel", "tests/data/kernel"]).args(more).output().expect("tracec")
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).expect("UTF-8")
}

#[track_caller]
fn is_refused(output: &Output, parts: &[&str]) {
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    for part in [&["error[T0114]: cannot import"], parts].concat() {
        assert!(stderr(output).contains(part), "{part}: {}", stderr(output));
    }
}

/// Returns a directory with a file in it, and a directory beside that.
fn directories() -> (tempfile::TempDir, std::path::PathBuf) {
    let outer = tempfile::tempdir().expect("a directory");
    let inner = outer.path().join("inner");
    std::fs::create_dir(&inner).expect("a directory");
    std::fs::write(outer.path().join("other.trc"), OTHER).expect("written");
    std::fs::write(inner.join("beside.trc"), OTHER).expect("written");
    (outer, inner)
}

#[test]
fn file_below_the_project_is_imported() {
    let (outer, inner) = directories();
    assert!(check(&inner, "beside.trc", &[]).status.success());
    is_refused(
        &check(&inner, "../other.trc", &[]),
        &["outside of the project", "help: with `--import-path "],
    );
    std::fs::create_dir(outer.path().join(".git")).expect("a directory");
    assert!(check(&inner, "../other.trc", &[]).status.success());
}

#[test]
fn file_below_another_directory_is_imported_on_request() {
    let (outer, inner) = directories();
    let outer = outer.path().to_str().expect("UTF-8");
    for path in ["../other.trc", &format!("{outer}/other.trc")] {
        is_refused(&check(&inner, path, &[]), &["outside of the project"]);
        assert!(check(&inner, path, &["--import-path", outer]).status.success());
        assert!(check(&inner, path, &["--import-path", "tests", "--import-path", outer]).status.success());
        is_refused(&check(&inner, path, &["--import-path", "tests"]), &["outside of the project"]);
    }
    let missing = check(&inner, "beside.trc", &["--import-path", "/no/such/directory"]);
    assert_eq!(missing.status.code(), Some(64), "{}", stderr(&missing));
}

#[test]
fn link_counts_as_the_file_that_it_leads_to() {
    let (_outer, inner) = directories();
    let link = |name: &str, to: &str| std::os::unix::fs::symlink(to, inner.join(name)).expect("a link");
    link("inside.trc", "beside.trc");
    assert!(check(&inner, "inside.trc", &[]).status.success());
    link("outside.trc", "../other.trc");
    is_refused(&check(&inner, "outside.trc", &[]), &["outside of the project"]);
}

#[test]
fn lines_of_other_files_are_not_shown() {
    let (_outer, inner) = directories();
    std::fs::write(inner.join("notes.txt"), "password hunter2\n").expect("written");
    std::os::unix::fs::symlink("notes.txt", inner.join("notes.trc")).expect("a link");
    for name in ["notes.txt", "notes.trc"] {
        let output = check(&inner, name, &[]);
        is_refused(&output, &["`notes.txt` is not a `.trc` file", "help: "]);
        assert!(!stderr(&output).contains("hunter2"), "{}", stderr(&output));
    }
}

#[test]
fn only_regular_files_are_opened() {
    let (_outer, inner) = directories();
    std::fs::create_dir(inner.join("directory.trc")).expect("a directory");
    is_refused(&check(&inner, "directory.trc", &[]), &["a directory, not a regular file"]);
    let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, inner.join("pipe.trc"), kind, mode, 0).expect("a FIFO");
    // If it were opened, this would wait for a writer.
    is_refused(&check(&inner, "pipe.trc", &[]), &["a named pipe, not a regular file"]);
    let _socket = std::os::unix::net::UnixListener::bind(inner.join("socket.trc")).expect("a socket");
    is_refused(&check(&inner, "socket.trc", &[]), &["a socket, not a regular file"]);
}
