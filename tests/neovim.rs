//! Neovim drives `tracec lsp`: diagnostics, a fix, completion, hover, rename, formatting and hints, as an editor shows
//! and applies them.
//!
//! The Neovim of the machine runs a script. One that has hints (0.10) runs it too, and is used as the book's page sets it
//! up, in a terminal whose screen is read.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

#[path = "neovim/terminal.rs"]
mod terminal;

use terminal::Terminal;

const SESSION: &str = "const least = 1;
session a {
trace sched:sched_swich;
  clock mono;
}
";

/// Returns the Neovim of the machine, and the one with hints that `TRACEC_NVIM` names, as far as there are these.
fn programs() -> Vec<String> {
    let named = std::env::var("TRACEC_NVIM").ok();
    let mut all: Vec<String> = ["nvim".to_owned()].into_iter().chain(named).collect();
    all.retain(|program| version(program).is_some());
    all
}

/// Returns the first line of `nvim --version`.
fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    String::from_utf8_lossy(&output.stdout).lines().next().map(str::to_owned)
}

/// Prints why a test cannot run here; in CI it has to.
fn skip(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    println!("SKIPPED: {why}");
}

/// Runs the script in Neovim, without a window and without the user's configuration, and returns what it saw.
fn seen(nvim: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    let (session, seen) = (directory.path().join("a.trc"), directory.path().join("seen.json"));
    std::fs::write(&session, SESSION).expect("a session");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim/session.lua");
    let done = Command::new(nvim)
        .args(["--headless", "-u", "NONE", "-i", "NONE", "-n", "-S"])
        .arg(script)
        .env("TRACEC", env!("CARGO_BIN_EXE_tracec"))
        .env("SESSION", &session)
        .env("SEEN", &seen)
        .env("HOME", directory.path())
        .env("XDG_STATE_HOME", directory.path())
        .stdin(Stdio::null())
        .output()
        .expect("Neovim");
    let text = std::fs::read_to_string(&seen)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&done.stderr)));
    serde_json::from_str(&text).expect("JSON")
}

#[test]
fn neovim_shows_and_applies_what_the_server_says() {
    let programs = programs();
    if programs.is_empty() {
        return skip("nvim is not installed");
    }
    for program in programs {
        println!("{}", version(&program).expect("a version"));
        is_right(&seen(&program));
    }
}

fn is_right(seen: &Value) {
    assert_eq!(seen["failed"], Value::Null, "{seen:#}");
    let said = &seen["diagnostics"][0];
    assert_eq!((&said["code"], &said["line"], &said["column"]), (&"T0101".into(), &2.into(), &6.into()));
    assert_eq!(seen["action"], "did you mean `sched:sched_switch`?");
    assert_eq!(seen["fixed"], SESSION.replace("swich", "switch").trim_end());
    assert_eq!(seen["words"], serde_json::json!(["sched_swap_numa", "sched_switch"]));
    assert_eq!(seen["completion"], serde_json::json!(["prev_comm", "prev_pid", "prev_prio", "prev_state"]));
    assert_eq!(seen["typed"], "trace sched:sched_switch if prev_comm == \"bash\" && cpu > least;");
    assert!(
        seen["hover"].as_str().expect("a hover").contains("`char[16] prev_comm` of `sched:sched_switch`")
    );
    let renamed = seen["renamed"].as_str().expect("a text");
    assert!(renamed.contains("const most = 1;") && renamed.contains("cpu > most;"), "{renamed}");
    let formatted =
        "const most = 1;\nsession a {\n    trace sched:sched_switch if prev_comm == \"bash\" && cpu > most;";
    assert!(seen["formatted"].as_str().expect("a text").starts_with(formatted), "{seen:#}");
    assert_eq!(seen["hints"], serde_json::json!(["kernel", "kernel"]));
}

/// Returns the set-up of the book's page.
fn set_up() -> String {
    let page = include_str!("../book/src/editors.md");
    let (_, part) = page.split_once("## Neovim\n").expect("the part of the page");
    let lines = part.lines().take_while(|line| !line.starts_with("## "));
    let lines: Vec<&str> = lines.filter_map(|line| line.strip_prefix("    ")).collect();
    let command = "'tracec', 'lsp'";
    let text = lines.join("\n");
    assert_eq!(text.matches(command).count(), 1, "{text}");
    // The page is for any kernel, the test for one.
    text.replace(command, "'tracec', 'lsp', '--kernel', '6.12'")
}

/// The session that is typed at.
const TYPED: &str = "const least = 10;

session switches {
    trace sched:sched_waking if target_cpu == 1 && prio + least < pid;
}
";

/// `TRACEC_SCREEN` names a file for the screen with a diagnostic, hints and a menu, with its colours.
#[test]
fn a_user_sees_on_the_screen_what_the_server_says() {
    let has_hints = |program: &&String| {
        let version = version(program).unwrap_or_default();
        !["NVIM v0.7", "NVIM v0.8", "NVIM v0.9"].iter().any(|older| version.starts_with(older))
    };
    let programs = programs();
    let Some(nvim) = programs.iter().find(has_hints) else {
        return skip("no Neovim of version 0.10 or newer is here; `cargo xtask test editors` fetches one");
    };
    if Command::new("tmux").arg("-V").stdout(Stdio::null()).status().is_err() {
        return skip("tmux is not installed");
    }
    println!("{}", version(nvim).expect("a version"));
    let directory = tempfile::tempdir().expect("a directory");
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("init.lua"), set_up()).expect("a file");
    std::fs::write(at("a.trc"), TYPED).expect("a file");
    symlink(env!("CARGO_BIN_EXE_tracec"), at("tracec")).expect("a link");
    let terminal = Terminal::start(nvim, directory.path(), "a.trc");

    terminal.shows(&["if target_cpu == 1 kernel && prio + least < pid host;"]);

    // A clause is typed, with a mistake that is underlined before the file is saved.
    terminal.types("4Gotrace sched:sched_swich;");
    terminal.presses(&["Escape"]);
    terminal.shows(&["there is no event `sched:sched_swich`"]);

    // Its fix, of which Neovim asks which one.
    terminal.runs("lua vim.lsp.buf.code_action()");
    terminal.shows(&["1: did you mean `sched:sched_switch`?"]);
    terminal.types("1");
    terminal.presses(&["Enter"]);
    terminal.shows(&["    trace sched:sched_switch;"]);

    // Completion, while another mistake is in the text.
    terminal.types("5Gotrace sched:nonsense;");
    terminal.presses(&["Escape"]);
    terminal.types("5G$i if next_p");
    terminal.presses(&["C-x", "C-o"]);
    // The menu covers a part of the message.
    terminal.shows(&["` in kernel 6.12", "next_pid", "next_prio", "pid_t"]);
    if let Some(file) = std::env::var_os("TRACEC_SCREEN") {
        std::fs::write(file, terminal.screen(true)).expect("a file");
    }
    terminal.presses(&["C-y"]);
    terminal.types(" == 1");
    terminal.presses(&["Escape"]);
    terminal.types("6Gdd");
    terminal.shows(&["trace sched:sched_switch if next_pid == 1 kernel;", "prio + least < pid host;"]);

    // The page of a name.
    terminal.types("/next_pid");
    terminal.presses(&["Enter"]);
    terminal.types("K");
    terminal.shows(&["pid_t next_pid", "4 bytes at offset"]);
    terminal.presses(&["Escape"]);

    terminal.types("1G0w");
    terminal.runs("lua vim.lsp.buf.rename('most')");
    terminal.shows(&["const most = 10;", "prio + most < pid host;"]);

    terminal.types("5G0i          ");
    terminal.presses(&["Escape"]);
    terminal.shows(&["              trace sched:sched_switch if next_pid"]);
    terminal.runs("lua vim.lsp.buf.format()");
    terminal.shows(&["\n    trace sched:sched_switch if next_pid"]);

    // An event without its system.
    terminal.types("5Gotrace sched_sw");
    terminal.presses(&["C-x", "C-o"]);
    terminal.shows(&["trace sched_swap_numa", "event sched:sched_switch"]);
    terminal.presses(&["C-n", "C-y"]);
    // The filter of the other clause, which has the hint: two different ones would be a mistake.
    terminal.types(" if next_pid == 1;");
    terminal.presses(&["Escape"]);
    terminal.shows(&[
        "trace sched:sched_switch if next_pid == 1 kernel;",
        "trace sched_switch if next_pid == 1;",
    ]);
}
