//! The life of a server: start, edits, cancelled requests, bad input, end.

mod common;

use common::{Client, TestWorld, codes};
use lsp_server::{Message, Response};
use serde_json::{Value, json};

const URI: &str = "file:///project/a.trc";
const WRONG: &str = "session a { trace sched:sched_swich; }\n";
const RIGHT: &str = "session a { trace sched:sched_switch; }\n";

#[test]
fn diagnostics_come_with_code_page_and_version() {
    let mut client = Client::new();
    client.open(URI, 7, WRONG);
    let found = client.diagnostics(URI, 7);
    assert_eq!(codes(&found), ["T0101"]);
    let page = found[0]["codeDescription"]["href"].as_str().expect("a page");
    assert!(page.ends_with("unknown_event.md"), "{page}");
    assert_eq!(found[0]["range"]["start"], json!({ "line": 0, "character": 18 }));
    client.replace(URI, 8, RIGHT);
    assert!(client.diagnostics(URI, 8).is_empty());
    client.end();
}

#[test]
fn the_encoding_is_negotiated() {
    let utf16 = Client::new();
    assert_eq!(utf16.initialized["capabilities"]["positionEncoding"], "utf-16");
    utf16.end();
    let utf8 = Client::utf8(TestWorld::default());
    assert_eq!(utf8.initialized["capabilities"]["positionEncoding"], "utf-8");
    utf8.end();
}

/// Many edits at once lead to the diagnostics of the last, and never to older ones after them.
#[test]
fn newest_version_is_checked() {
    let mut client = Client::new();
    client.open(URI, 0, WRONG);
    for version in 1..200 {
        client.replace(URI, version, if version % 2 == 0 { WRONG } else { RIGHT });
    }
    assert!(client.diagnostics(URI, 199).is_empty());
    client.end();
}

#[test]
fn a_late_edit_changes_nothing() {
    let mut client = Client::new();
    client.open(URI, 5, RIGHT);
    assert!(client.diagnostics(URI, 5).is_empty());
    let part = |character| {
        let at = json!({ "line": 0, "character": character });
        json!([{ "range": { "start": at, "end": at }, "text": "#" }])
    };
    client.change(URI, 4, part(0));
    client.change("file:///unknown.trc", 9, part(0));
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": URI, "version": 6 },
            "contentChanges": [{ "range": { "start": { "line": -1, "character": 0 } }, "text": "x" }],
        }),
    );
    // Far outside of the text: it is the end.
    let end = json!({ "line": 99, "character": 99 });
    client.change(URI, 7, json!([{ "range": { "start": end, "end": end }, "text": "session b" }]));
    assert!(!client.diagnostics(URI, 7).is_empty());
    let logged = client.said.iter().filter(|said| said.method == "window/logMessage").count();
    assert_eq!(logged, 4, "{:?}", client.said);
    client.end();
}

#[test]
fn a_cancelled_request_is_answered_once() {
    let mut client = Client::new();
    client.open(URI, 1, &RIGHT.repeat(2000));
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 20 } });
    let first = client.ask("textDocument/hover", params.clone());
    client.notify("$/cancelRequest", json!({ "id": 2 }));
    client.notify("$/cancelRequest", json!({ "id": 77 }));
    match client.answer(&first) {
        Ok(_) => {}
        Err(why) => assert!(why.starts_with("-32800"), "{why}"),
    }
    // The server still answers, and nothing was answered twice.
    assert!(client.request("textDocument/hover", params).is_ok());
    client.end();
}

#[test]
fn what_is_not_known_is_refused() {
    let mut client = Client::new();
    assert!(client.request("textDocument/nonsense", json!({})).unwrap_err().starts_with("-32601"));
    client.open(URI, 1, RIGHT);
    assert!(
        client
            .request("textDocument/completion", json!({ "textDocument": 7 }))
            .unwrap_err()
            .starts_with("-32602")
    );
    let other =
        json!({ "textDocument": { "uri": "file:///b.trc" }, "position": { "line": 0, "character": 0 } });
    assert!(client.request("textDocument/completion", other).unwrap_err().starts_with("-32602"));
    let id = client.ask(
        "textDocument/formatting",
        json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } }),
    );
    assert!(client.answer(&id).is_ok());
    client.end();
}

#[test]
fn a_closed_document_has_no_diagnostics() {
    let mut client = Client::new();
    client.open(URI, 1, WRONG);
    assert_eq!(client.diagnostics(URI, 1).len(), 1);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    loop {
        if let Message::Notification(said) = client.receive() {
            assert_eq!((&said.params["uri"], &said.params["diagnostics"]), (&json!(URI), &json!([])));
            break;
        }
    }
    client.end();
}

/// What the editor holds of an imported file is what counts, and its diagnostics follow an edit of the other.
#[test]
fn an_imported_document_is_read_as_it_is_in_the_editor() {
    let world = TestWorld::default();
    world
        .files
        .lock()
        .expect("files")
        .insert("/project/common.trc".to_owned(), "const LIMIT = 1;\n".to_owned());
    let mut client = Client::utf8(world);
    let main = "use \"common.trc\";\nsession a { trace sched:sched_switch if prev_prio > common::LIMIT; }\n";
    client.open(URI, 1, main);
    assert_eq!(codes(&client.diagnostics(URI, 1)), Vec::<&str>::new());
    client.open("file:///project/common.trc", 1, "const OTHER = 1;\n");
    let mut found = Vec::new();
    while found.is_empty() {
        found = client.diagnostics(URI, 1);
    }
    assert_eq!(codes(&found).len(), 1, "{found:?}");
    client.end();
}

/// A mistake that only an importer makes of a text is shown there, also where that text is open.
#[test]
fn what_an_importer_finds_in_an_open_document_is_shown_there() {
    const COMMON: &str = "file:///project/common.trc";
    let library = "session base(n: u32 = 1) { trace sched:sched_switch if prev_pid / n == 1; }\n";
    let world = TestWorld::default();
    world.files.lock().expect("files").insert("/project/common.trc".to_owned(), library.to_owned());
    let mut client = Client::utf8(world);
    client.open(COMMON, 1, library);
    assert_eq!(codes(&client.diagnostics(COMMON, 1)), Vec::<&str>::new());
    let main = "use \"common.trc\";\nsession a { include common::base(n = 0); }\n";
    client.open(URI, 1, main);
    let mut found = Vec::new();
    while found.is_empty() {
        found = client.diagnostics(COMMON, 1);
    }
    assert_eq!(codes(&found), ["T0705"], "{found:?}");
    client.replace(URI, 2, &main.replace("= 0", "= 2"));
    while !found.is_empty() {
        found = client.diagnostics(COMMON, 1);
    }
    client.end();
}

/// Hints are asked for with each key. Each needs a check; those that wait are answered by one.
#[test]
fn requests_with_each_edit_do_not_delay_the_newest_diagnostics() {
    const EDITS: i32 = 200;
    let text: String = (0..400)
        .map(|at| format!("session s{at} {{ trace sched:sched_switch if prev_prio > {at}; }}\n"))
        .collect();
    let mut client = Client::new();
    client.open(URI, 1, &text);
    client.diagnostics(URI, 1);
    let mut asked = Vec::new();
    for version in 2..EDITS + 2 {
        client.replace(URI, version, &text);
        asked.push(client.ask(
            "textDocument/inlayHint",
            json!({
                "textDocument": { "uri": URI },
                "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 3, "character": 0 } },
            }),
        ));
    }
    for id in &asked {
        client.answer(id).expect("hints");
    }
    let said = client.notifications.iter().filter(|said| said.method.ends_with("publishDiagnostics"));
    let versions: Vec<_> = said.map(|said| said.params["version"].as_i64()).collect();
    assert!(versions.len() < EDITS as usize / 2, "{} checks were made for {EDITS} edits", versions.len());
    assert_eq!(versions.last(), Some(&Some(i64::from(EDITS) + 1)));
    client.end();
}

#[test]
fn a_diagnostic_names_the_kernels_it_holds_for() {
    let world = TestWorld { kernels: vec!["6.1", "6.12"], ..TestWorld::default() };
    let mut client = Client::utf8(world);
    client.open(URI, 1, "session a { trace block:block_io_start; }\n");
    let found = client.diagnostics(URI, 1);
    assert_eq!(codes(&found), ["T0101"]);
    let message = found[0]["message"].as_str().expect("a message");
    assert!(message.contains("on 6.1, not on 6.12"), "{message}");
    client.end();
}

#[test]
fn the_choice_of_the_kernel_is_said_once() {
    let world = TestWorld {
        notices: vec!["texts are checked for another kernel".to_owned()],
        ..TestWorld::default()
    };
    let mut client = Client::utf8(world);
    let mut shown = 0;
    for version in 1..4 {
        client.replace(URI, version, RIGHT);
        client.open(URI, version, RIGHT);
        client
            .request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }))
            .expect("symbols");
    }
    let last = client.ask(
        "textDocument/codeAction",
        json!({
            "textDocument": { "uri": URI },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
            "context": { "diagnostics": [] },
        }),
    );
    client.answer(&last).expect("actions");
    shown += client.notifications.iter().filter(|said| said.method == "window/showMessage").count();
    assert_eq!(shown, 1);
    client.end();
}

/// A text that is larger than the limit is refused by a diagnostic, and the server goes on.
#[test]
fn a_huge_text_is_refused() {
    let mut client = Client::new();
    let huge = "// nine megabytes\n".repeat(500_000);
    client.open(URI, 1, &huge);
    assert!(huge.len() > tracec_grammar::MAX_SOURCE);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["T0001"]);
    client.replace(URI, 2, WRONG);
    assert_eq!(codes(&client.diagnostics(URI, 2)), ["T0101"]);
    client.end();
}

#[test]
fn a_client_that_goes_away_ends_the_server() {
    let (ours, theirs) = lsp_server::Connection::memory();
    let server =
        std::thread::spawn(move || tracec_lsp::serve(&theirs, std::sync::Arc::new(TestWorld::default())));
    drop(ours);
    assert!(server.join().expect("no panic").is_err());
}

/// Answers that come late do not disturb the server.
#[test]
fn responses_are_ignored() {
    let client = Client::new();
    client.send(Response::new_ok(3.into(), Value::Null));
    client.end();
}

/// Neovim closes the connection when it quits, whether `exit` was sent or not.
#[test]
fn a_client_that_goes_away_after_shutdown_has_ended() {
    let (ours, theirs) = lsp_server::Connection::memory();
    let server =
        std::thread::spawn(move || tracec_lsp::serve(&theirs, std::sync::Arc::new(TestWorld::default())));
    let request = |id: i32, method: &str| lsp_server::Request::new(id.into(), method.to_owned(), json!({}));
    ours.sender.send(request(1, "initialize").into()).expect("a server");
    let initialized = lsp_server::Notification::new("initialized".to_owned(), json!({}));
    ours.sender.send(initialized.into()).expect("a server");
    ours.sender.send(request(2, "shutdown").into()).expect("a server");
    ours.sender.send(request(3, "textDocument/hover").into()).expect("a server");
    let answers: Vec<Message> = ours.receiver.iter().take(3).collect();
    assert!(
        matches!(&answers[2], Message::Response(Response { response_result: Err(_), .. })),
        "{answers:?}"
    );
    drop(ours);
    assert!(server.join().expect("no panic").is_ok());
}
