//! `tracec lsp` as a process: its memory, profiles that are damaged or change, several servers, large and fast input.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use lsp_server::{Message, Request};
use serde_json::{Value, json};

#[path = "../benches/server/mod.rs"]
#[expect(dead_code, reason = "the benchmark uses the rest")]
mod server;

use server::{Server, URI};

const RIGHT: &str = "session a {\n    trace sched:sched_switch;\n}\n";

/// An event that 6.12 has and 6.1 has not.
const NEWER: &str = "session a { trace block:block_io_start; }\n";

fn codes(published: &Value) -> Vec<&str> {
    let all = published["diagnostics"].as_array().expect("a list").iter();
    all.map(|said| said["code"].as_str().expect("a code")).collect()
}

fn root(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// `TRACEC_LSP_EDITS` says how many edits. The server must not keep what belongs to an older version: after a fifth of
/// the edits it has what it needs.
#[test]
fn memory_does_not_grow_with_edits() {
    const MOST_MIB: f64 = 4.0;
    let edits = std::env::var("TRACEC_LSP_EDITS").map_or(2000, |count| count.parse().expect("a number"));
    let text = fs::read_to_string(root("examples/disk_stalls.trc")).expect("an example");
    let lines = text.lines().count();
    let pieces =
        ["x", ";", "}", "{ ", "if ", "sched:sched_switch ", "\"", "/*", "\u{1f980}", "trace ", "7", "&&"];
    let mut server = Server::start("6.12").expect("a server");
    server.open(&text).expect("an open document");
    let mut random = 1_u64;
    let mut after = Vec::new();
    for edit in 1..=edits {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let below = |limit: usize, shift: u32| (random >> shift) as usize % limit;
        let piece = pieces[below(pieces.len(), 33)];
        match edit % 40 {
            0 => server.change(edit, (0, 0), (99_999, 0), &text),
            _ => {
                let at = (below(lines, 40), below(60, 50));
                server.change(edit, at, at, piece)
            }
        }
        .expect("an edit");
        server.diagnostics(edit).expect("diagnostics");
        if edit == edits / 5 || edit == edits {
            after.push(server.memory().expect("the memory"));
        }
    }
    println!("memory after {} edits: {:.1} MiB, after {edits}: {:.1} MiB", edits / 5, after[0], after[1]);
    assert!(after[1] < after[0] + MOST_MIB, "{after:?} MiB");
    server.end().expect("an end");
}

#[test]
fn damaged_profile_is_named_before_the_server_starts() {
    let directory = tempfile::tempdir().expect("a directory");
    let profile = directory.path().join("a.trcprof");
    let bytes = fs::read(root("profiles/6.12.trcprof")).expect("a profile");
    fs::write(&profile, &bytes[..bytes.len() / 2]).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let ended =
        command.arg("lsp").arg("--kernel").arg(&profile).stdin(Stdio::null()).output().expect("tracec");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(!ended.status.success() && said.contains("a.trcprof"), "{said}");
}

/// A profile that is replaced is read when a document is saved; one that is destroyed under the server is said to be.
#[test]
fn profile_that_changes_is_read_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let profile = directory.path().join("a.trcprof");
    let put = |from: &str| {
        let new = directory.path().join("new");
        fs::copy(root(from), &new).expect("a copy");
        fs::rename(&new, &profile).expect("a profile");
    };
    put("profiles/6.1.trcprof");
    let mut server = Server::start(profile.to_str().expect("a path")).expect("a server");
    server.open(NEWER).expect("an open document");
    assert_eq!(codes(&server.diagnostics(0).expect("diagnostics")), ["T0101"]);
    put("profiles/6.12.trcprof");
    let saved = json!({ "textDocument": { "uri": URI } });
    server.notify("textDocument/didSave", saved.clone()).expect("a notification");
    assert_eq!(codes(&server.diagnostics(0).expect("diagnostics")), [""; 0]);

    // The file itself loses its end, while the server has it open.
    let file = fs::File::options().write(true).open(&profile).expect("the profile");
    file.set_len(1000).expect("a shorter file");
    server.notify("textDocument/didSave", saved).expect("a notification");
    let shown = loop {
        match server.receive().expect("a message") {
            Message::Notification(said) if said.method == "window/showMessage" => break said.params,
            _ => {}
        }
    };
    let message = shown["message"].as_str().expect("a text");
    assert!(message.contains("a.trcprof") && message.contains("not checked for"), "{message}");
    // It goes on with a shipped kernel.
    assert!(server.completion(0, 22).is_ok());
    server.end().expect("an end");
}

/// Returns the messages that a server shows before the diagnostics of a version, and the codes of these.
fn shown_before(server: &mut Server, version: i32) -> (Vec<String>, Vec<String>) {
    let mut messages = Vec::new();
    loop {
        let Message::Notification(said) = server.receive().expect("a message") else { continue };
        match said.method.as_str() {
            "window/showMessage" => {
                messages.push(said.params["message"].as_str().expect("a text").to_owned());
            }
            "textDocument/publishDiagnostics" if said.params["version"] == version => {
                return (messages, codes(&said.params).into_iter().map(str::to_owned).collect());
            }
            _ => {}
        }
    }
}

/// Where the profile of one of several kernels is destroyed, the server names it, and still checks for the others.
/// Without any, a shipped one is.
#[test]
fn corrupt_profile_among_kernels_is_named() {
    let directory = tempfile::tempdir().expect("a directory");
    let profile = directory.path().join("a.trcprof");
    let start = |others: &[&str]| {
        fs::copy(root("profiles/6.12.trcprof"), &profile).expect("a profile");
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.args(["lsp", "--kernel"]).arg(&profile).args(others);
        let mut server = Server::of(&mut command).expect("a server");
        server.open(NEWER).expect("an open document");
        server
    };
    let destroy = |server: &mut Server| {
        fs::write(&profile, "not a profile any more").expect("a file");
        server
            .notify("textDocument/didSave", json!({ "textDocument": { "uri": URI } }))
            .expect("a notification");
    };
    let mut server = start(&["--kernel", "6.1"]);
    assert_eq!(shown_before(&mut server, 0), (vec![], vec!["T0101".to_owned()]));
    destroy(&mut server);
    let (messages, found) = shown_before(&mut server, 0);
    let [message] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(message.contains("a.trcprof") && message.ends_with("; it is not checked for"), "{message}");
    assert_eq!(found, ["T0101"]);
    server.end().expect("an end");

    let mut server = start(&[]);
    assert_eq!(shown_before(&mut server, 0), (vec![], vec![]));
    destroy(&mut server);
    let (messages, _) = shown_before(&mut server, 0);
    let [refused, instead] = messages.as_slice() else { panic!("{messages:?}") };
    assert!(refused.ends_with("; it is not checked for"), "{refused}");
    assert!(instead.contains("texts are checked for") && instead.contains("instead"), "{instead}");
    server.end().expect("an end");
}

/// A saved profile that is nearest to the running kernel and cannot be read is named, once, and the next one is used.
#[test]
fn corrupt_saved_profile_is_named_once() {
    let data = tempfile::tempdir().expect("a directory");
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let profile = data.path().join(format!("tracec/kernels/{release}.trcprof"));
    fs::create_dir_all(profile.parent().expect("a parent")).expect("a directory");
    fs::write(&profile, "not a profile").expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["lsp", "--tracefs", "/nonexistent"]);
    // What this machine has for all users does not matter.
    command.env("XDG_DATA_HOME", data.path()).env("XDG_DATA_DIRS", data.path().join("none"));
    let mut server = Server::of(&mut command).expect("a server");
    server.open(RIGHT).expect("an open document");
    let (messages, found) = shown_before(&mut server, 0);
    let (corrupt, instead) = messages.split_first().expect("a message");
    assert!(corrupt.contains(profile.to_str().expect("a path")), "{corrupt}");
    // The next one may be of this very kernel, if that is one of the shipped ones.
    let list = Command::new(env!("CARGO_BIN_EXE_tracec")).args(["kernel", "list"]).output().expect("a list");
    let list = String::from_utf8_lossy(&list.stdout);
    let is_shipped = list.lines().any(|line| line.contains(&release) && line.trim_end().ends_with("shipped"));
    let expected = "cannot be read without root; texts are checked for kernel";
    assert_eq!(instead.len(), usize::from(!is_shipped), "{messages:?}");
    assert!(instead.iter().all(|instead| instead.contains(expected)), "{messages:?}");
    assert_eq!(found, [""; 0]);
    server.change(1, (0, 0), (0, 0), " ").expect("an edit");
    assert_eq!(shown_before(&mut server, 1), (vec![], vec![]));
    server.end().expect("an end");
}

/// Both write the same module of the library for the editor, and each answers for its own documents.
#[test]
fn two_servers_work_on_one_folder() {
    let home = tempfile::tempdir().expect("a directory");
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        Server::of(command.args(["lsp", "--kernel", "6.12"]).env("XDG_CACHE_HOME", home.path()))
            .expect("a server")
    };
    let mut servers = [start(), start()];
    let text = "use std::errno;\nsession a { trace block:block_rq_complete if error == -errno::EIO; }\n";
    let mut found = Vec::new();
    for server in &mut servers {
        server.open(text).expect("an open document");
    }
    for server in &mut servers {
        assert_eq!(codes(&server.diagnostics(0).expect("diagnostics")), [""; 0]);
        let position = json!({ "line": 0, "character": 12 });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        found.push(server.request("textDocument/definition", params).expect("a definition"));
    }
    let path = home.path().join("tracec/std/errno.trc");
    assert_eq!(found[0][0]["uri"], format!("file://{}", path.display()));
    assert_eq!(found[0], found[1]);
    assert_eq!(fs::read(path).expect("the module"), fs::read(root("stdlib/errno.trc")).expect("the module"));
    for server in servers {
        server.end().expect("an end");
    }
}

#[test]
fn text_of_5_mb_is_checked() {
    let text = "// a comment that makes the text long, and nothing else\n".repeat(95_000) + RIGHT;
    assert!(text.len() > 5_000_000 && text.len() < tracec_grammar::MAX_SOURCE);
    let line = text.lines().count() - 2;
    let mut server = Server::start("6.12").expect("a server");
    server.open(&text).expect("an open document");
    assert_eq!(codes(&server.diagnostics(0).expect("diagnostics")), [""; 0]);
    server.change(1, (line, 16), (line, 21), "shced").expect("an edit");
    assert_eq!(codes(&server.diagnostics(1).expect("diagnostics")), ["T0101"]);
    server.end().expect("an end");
}

/// A key every 3 ms, each with a request for completion that is cancelled when the next is typed: every request is
/// answered once, and the last diagnostics are those of the whole text.
#[test]
fn fast_typing_with_cancelled_requests_ends_in_the_right_state() {
    let typed = "    trace sched:sched_swich if prev_prio > 5;";
    let mut server = Server::start("6.12").expect("a server");
    server.open(RIGHT).expect("an open document");
    server.change(1, (1, 99), (1, 99), "\n").expect("an edit");
    for (at, key) in typed.char_indices() {
        let version = i32::try_from(at).expect("a version") + 2;
        server.change(version, (2, at), (2, at), &key.to_string()).expect("an edit");
        let position = json!({ "line": 2, "character": at + 1 });
        let params = json!({ "textDocument": { "uri": URI }, "position": position });
        let method = "textDocument/completion".to_owned();
        server.send(Request { id: (1000 + version).into(), method, params }).expect("a request");
        server.notify("$/cancelRequest", json!({ "id": 999 + version })).expect("a notification");
        std::thread::sleep(Duration::from_millis(3));
    }
    let last = i32::try_from(typed.len()).expect("a version") + 1;
    let (mut answers, mut newest) = (Vec::new(), Value::Null);
    while answers.len() < typed.len() || newest["version"] != last {
        match server.receive().expect("a message") {
            Message::Response(answer) => answers.push(answer.id),
            Message::Notification(said) if said.method == "textDocument/publishDiagnostics" => {
                assert!(said.params["version"].as_i64() >= newest["version"].as_i64(), "{said:?}");
                newest = said.params;
            }
            other => panic!("{other:?}"),
        }
    }
    answers.sort_by_key(ToString::to_string);
    answers.dedup();
    assert_eq!(answers.len(), typed.len());
    assert_eq!(codes(&newest), ["T0101"]);
    server.end().expect("an end");
}

/// JSON can name half of a surrogate pair, which is not a character. The next message is found all the same; behind a header
/// without a length it is not.
#[test]
fn only_a_header_that_is_wrong_ends_the_server() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["lsp", "--kernel", "6.12"]).stderr(Stdio::piped());
    let mut server = Server::of(&mut command).expect("a server");
    let text = r#"{"jsonrpc":"2.0","method":"x","params":{"text":"\ud83e"}}"#;
    server.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).expect("a message");
    for text in ["{bad}", "[]", ""] {
        server.write(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes()).expect("a message");
    }
    server.open(NEWER).expect("an open document");
    assert_eq!(codes(&server.diagnostics(0).expect("diagnostics")), [""; 0]);
    server.write(b"Content-Length: 999999999999\r\n\r\n{}").expect("a message");
    let said = server.complaint().expect("an end");
    assert!(said.contains("is not the length of a message"), "{said}");
}

/// What was answered and is not read any more must not keep the process, which waits for its output at its end.
#[test]
fn client_that_stops_reading_does_not_keep_the_server() {
    let mut server = Server::start("6.12").expect("a server");
    let text: String =
        (0..200).map(|at| format!("session s{at} {{ trace sched:sched_switch; }}\n")).collect();
    server.open(&text).expect("an open document");
    // The answers are more than a pipe holds.
    for _ in 0..100 {
        let document = json!({ "textDocument": { "uri": URI } });
        server.ask("textDocument/semanticTokens/full", document).expect("a request");
    }
    assert!(!server.end_unread().expect("an end").success());
}
