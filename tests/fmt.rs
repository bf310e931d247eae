//! `tracec fmt` on files: the files that are written, those that are not, and the messages.

use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::Path;
use std::process::{Command, Output, Stdio};

const UGLY: &str = "session a{trace a:b if(x==1);clock mono;}";
const NEAT: &str = "session a {\n    trace a:b if x == 1;\n    clock mono;\n}\n";

fn fmt(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.current_dir(directory).arg("fmt").args(arguments).output().expect("tracec starts")
}

fn with_input(arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.arg("fmt").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("tracec starts");
    child.stdin.take().expect("a pipe").write_all(input).expect("read");
    child.wait_with_output().expect("tracec ends")
}

/// Returns exit status, standard output and standard error.
fn parts(output: &Output) -> (Option<i32>, &str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).expect("UTF-8");
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn directory() -> tempfile::TempDir {
    tempfile::tempdir().expect("a directory")
}

fn write(directory: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(directory.join(name), text).expect("written");
}

fn read(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join(name)).expect("readable")
}

/// Returns the names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("readable");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn files_are_formatted_in_their_place() {
    let dir = directory();
    let path = dir.path();
    write(path, "a.trc", UGLY);
    write(path, "neat.trc", NEAT);
    let inode = |name: &str| fs::metadata(path.join(name)).expect("there").ino();
    let (ugly, neat) = (inode("a.trc"), inode("neat.trc"));
    assert_eq!(parts(&fmt(path, &["a.trc", "neat.trc"])), (Some(0), "", ""));
    assert_eq!((read(path, "a.trc"), read(path, "neat.trc")), (NEAT.to_owned(), NEAT.to_owned()));
    assert_ne!(inode("a.trc"), ugly, "it was replaced at once, not written piece by piece");
    assert_eq!(inode("neat.trc"), neat, "what needs no change is not written");
    assert_eq!(names(path), ["a.trc", "neat.trc"], "nothing is left behind");
}

#[test]
fn the_mode_stays_and_links_keep_leading_to_their_file() {
    let dir = directory();
    let path = dir.path();
    write(path, "a.trc", UGLY);
    fs::set_permissions(path.join("a.trc"), fs::Permissions::from_mode(0o640)).expect("set");
    fs::create_dir(path.join("links")).expect("created");
    symlink("../a.trc", path.join("links/b.trc")).expect("linked");
    assert_eq!(parts(&fmt(path, &["links/b.trc"])), (Some(0), "", ""));
    assert_eq!(read(path, "a.trc"), NEAT);
    assert!(path.join("links/b.trc").is_symlink());
    let mode = fs::metadata(path.join("a.trc")).expect("there").permissions().mode();
    assert_eq!(mode & 0o7777, 0o640);
    assert_eq!(
        (names(path), names(&path.join("links"))),
        (vec!["a.trc".into(), "links".into()], vec!["b.trc".into()])
    );
}

#[test]
fn directories_are_searched_for_trc_files() {
    let dir = directory();
    let path = dir.path();
    for sub in ["sub/deep", ".hidden"] {
        fs::create_dir_all(path.join(sub)).expect("created");
    }
    for name in ["sub/a.trc", "sub/deep/b.trc", "sub/note.txt", ".hidden/c.trc"] {
        write(path, name, UGLY);
    }
    symlink("..", path.join("sub/loop")).expect("linked");
    assert_eq!(parts(&fmt(path, &["--check", "."])), (Some(1), "./sub/a.trc\n./sub/deep/b.trc\n", ""));
    assert_eq!(parts(&fmt(path, &["."])), (Some(0), "", ""));
    assert_eq!(parts(&fmt(path, &["--check", "."])), (Some(0), "", ""));
    assert_eq!((read(path, "sub/note.txt"), read(path, ".hidden/c.trc")), (UGLY.to_owned(), UGLY.to_owned()));
}

#[test]
fn check_and_diff_write_nothing() {
    let dir = directory();
    let path = dir.path();
    write(path, "a.trc", UGLY);
    write(path, "neat.trc", NEAT);
    assert_eq!(parts(&fmt(path, &["--check", "a.trc", "neat.trc"])), (Some(1), "a.trc\n", ""));
    let diff = "--- a.trc\n+++ a.trc\n@@ -1 +1,4 @@\n-session a{trace a:b if(x==1);clock mono;}\n\
                \\ No newline at end of file\n+session a {\n+    trace a:b if x == 1;\n+    clock mono;\n+}\n";
    assert_eq!(parts(&fmt(path, &["--diff", "a.trc", "neat.trc"])), (Some(0), diff, ""));
    assert_eq!(parts(&fmt(path, &["--diff", "--check", "a.trc"])), (Some(1), diff, ""));
    assert_eq!(read(path, "a.trc"), UGLY);
}

#[test]
fn standard_input_goes_to_standard_output() {
    assert_eq!(parts(&with_input(&["-"], UGLY.as_bytes())), (Some(0), NEAT, ""));
    assert_eq!(parts(&with_input(&["-"], NEAT.as_bytes())), (Some(0), NEAT, ""));
    assert_eq!(parts(&with_input(&["--check", "-"], UGLY.as_bytes())), (Some(1), "-\n", ""));
    let mistake = with_input(&["-"], b"session a { clock ; }");
    let (status, out, err) = parts(&mistake);
    assert_eq!((status, out), (Some(1), ""));
    assert!(err.contains("error[T0012]") && err.contains("-:1:19"), "{err}");
}

#[test]
fn bad_file_is_reported_and_the_others_are_formatted() {
    let dir = directory();
    let path = dir.path();
    write(path, "a.trc", "session a { clock ; }");
    write(path, "b.trc", b"session \xff");
    fs::create_dir(path.join("d.trc")).expect("created");
    write(path, "e.trc", UGLY);
    let output = fmt(path, &["a.trc", "b.trc", "c.trc", "d.trc", "/dev/null", "e.trc"]);
    let (status, out, err) = parts(&output);
    assert_eq!((status, out), (Some(1), ""));
    for wanted in
        ["a.trc:1:19", "T0513", "b.trc", "cannot read `c.trc`", "cannot read `/dev/null`: not a regular file"]
    {
        assert!(err.contains(wanted), "{wanted} in {err}");
    }
    assert_eq!(read(path, "a.trc"), "session a { clock ; }");
    assert_eq!(read(path, "e.trc"), NEAT);
}

#[test]
fn file_that_cannot_be_replaced_is_reported() {
    // A file that even root cannot replace: one that has no name any more.
    let dir = directory();
    let gone = dir.path().join("gone");
    fs::create_dir(&gone).expect("created");
    write(&gone, "a.trc", UGLY);
    let script = "exec 3< a.trc; rm a.trc; exec \"$0\" fmt /proc/self/fd/3";
    let mut shell = Command::new("sh");
    let output = shell
        .current_dir(&gone)
        .args(["-c", script, env!("CARGO_BIN_EXE_tracec")])
        .output()
        .expect("a shell");
    let (status, out, err) = parts(&output);
    assert_eq!((status, out), (Some(1), ""));
    assert!(err.contains("T0509") && err.contains("cannot write /proc/self/fd/3"), "{err}");
    assert_eq!(names(&gone), Vec::<String>::new());
}

#[test]
fn something_must_be_named() {
    assert_eq!(fmt(Path::new("/"), &[]).status.code(), Some(64));
}
