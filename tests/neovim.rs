//! Neovim drives `tracec lsp`: diagnostics, a fix, completion, hover, rename, formatting and hints, as an editor shows
//! and applies them.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

const SESSION: &str = "const least = 1;
session a {
trace sched:sched_swich;
  clock mono;
}
";

/// Runs the script in Neovim, without a window and without the user's configuration, and returns what it saw. `None` if
/// there is no Neovim here. `TRACEC_NVIM` names another one.
fn seen() -> Option<Value> {
    let nvim = std::env::var("TRACEC_NVIM").unwrap_or_else(|_| "nvim".to_owned());
    if Command::new(&nvim).arg("--version").stdout(Stdio::null()).status().is_err() {
        return None;
    }
    let directory = tempfile::tempdir().expect("a directory");
    let (session, seen) = (directory.path().join("a.trc"), directory.path().join("seen.json"));
    std::fs::write(&session, SESSION).expect("a session");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/neovim/session.lua");
    let done = Command::new(&nvim)
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
    Some(serde_json::from_str(&text).expect("JSON"))
}

#[test]
fn neovim_shows_and_applies_what_the_server_says() {
    let Some(seen) = seen() else {
        assert!(std::env::var_os("CI").is_none(), "nvim is not installed");
        println!("SKIPPED: nvim is not installed");
        return;
    };
    assert_eq!(seen["failed"], Value::Null, "{seen:#}");
    let said = &seen["diagnostics"][0];
    assert_eq!((&said["code"], &said["line"], &said["column"]), (&"T0101".into(), &2.into(), &6.into()));
    assert_eq!(seen["action"], "did you mean `sched:sched_switch`?");
    assert_eq!(seen["fixed"], SESSION.replace("swich", "switch").trim_end());
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
