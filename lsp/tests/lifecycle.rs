//! The life of a server: start, edits, cancelled requests, bad input, end.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use common::{Client, TestWorld, codes, position};
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

/// Returns a change that inserts a text at a position.
fn insert(line: i64, character: i64, text: &str) -> Value {
    let at = json!({ "line": line, "character": character });
    json!([{ "range": { "start": at, "end": at }, "text": text }])
}

#[test]
fn positions_outside_of_the_text_are_its_end() {
    let mut client = Client::new();
    client.open(URI, 5, RIGHT);
    client.change("file:///unknown.trc", 9, insert(0, 0, "#"));
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    client.change(URI, 7, insert(99, 99, "session b"));
    assert!(!client.diagnostics(URI, 7).is_empty());
    let logged = client.said.iter().filter(|said| said.method == "window/logMessage").count();
    assert_eq!(logged, 2, "{:?}", client.said);
    client.end();
}

/// After an edit that was not made, the next ones would be made to another text than the client's.
#[test]
fn document_out_of_step_is_silent_until_its_whole_text_arrives() {
    let older = |client: &Client| client.change(URI, 4, insert(0, 0, "#"));
    let older_text = |client: &Client| client.replace(URI, 3, WRONG);
    let wrong = |client: &Client| client.change(URI, 6, insert(-1, 0, "x"));
    let unreadable = |client: &Client| {
        let params = json!({ "ids": [], "uris": [URI], "why": "invalid UTF-8", "isJson": true });
        client.notify(tracec_lsp::UNREADABLE, params);
    };
    let losses: [&dyn Fn(&Client); 4] = [&older, &older_text, &wrong, &unreadable];
    for lose in losses {
        let mut client = Client::new();
        client.open(URI, 5, RIGHT);
        assert!(client.diagnostics(URI, 5).is_empty());
        lose(&client);
        client.change(URI, 7, insert(0, 0, "x"));
        older(&client);
        client.change(URI, 8, insert(0, 0, "x"));
        let place = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 2 } });
        let refused = client.request("textDocument/hover", place.clone()).expect_err("an error");
        assert!(refused.starts_with("-32801"), "{refused}");
        client.replace(URI, 9, WRONG);
        // `diagnostics` refuses any of another version before these.
        let said: Vec<Value> =
            client.notifications.iter().map(|said| said.params["version"].clone()).collect();
        assert!(!said.contains(&json!(7)) && !said.contains(&json!(8)), "{said:?}");
        assert_eq!(codes(&client.diagnostics(URI, 9)), ["T0101"]);
        let shown = client.said.iter().filter(|said| said.method == "window/showMessage").count();
        assert_eq!(shown, 1, "{:?}", client.said);
        client.request("textDocument/hover", place).expect("an answer");
        client.end();
    }
}

#[test]
fn document_out_of_step_is_right_again_once_it_is_opened() {
    let mut client = Client::new();
    client.open(URI, 5, RIGHT);
    client.change(URI, 4, insert(0, 0, "#"));
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": URI } }));
    client.open(URI, 1, WRONG);
    assert_eq!(codes(&client.newest(URI, 1)), ["T0101"]);
    client.end();
}

/// Returns a connection to a server that nothing was sent to, and what the server ends with.
fn connected() -> (lsp_server::Connection, std::thread::JoinHandle<Result<(), tracec_lsp::ServeError>>) {
    let (ours, theirs) = lsp_server::Connection::memory();
    let serve = move || common::served(theirs, TestWorld::default());
    (ours, std::thread::spawn(serve))
}

fn ask(client: &lsp_server::Connection, id: i32, method: &str) -> Result<Value, i32> {
    let request = lsp_server::Request::new(id.into(), method.to_owned(), json!({ "capabilities": {} }));
    client.sender.send(request.into()).expect("a server");
    for message in &client.receiver {
        if let Message::Response(Response { id: answered, response_result }) = message {
            assert_eq!(answered, id.into());
            return response_result.map_err(|error| error.code);
        }
    }
    panic!("no answer");
}

#[test]
fn messages_before_initialized_do_not_end_the_server() {
    let (client, server) = connected();
    let notify = |method: &str, params: Value| {
        let said = lsp_server::Notification { method: method.to_owned(), params };
        client.sender.send(said.into()).expect("a server");
    };
    assert_eq!(ask(&client, 1, "textDocument/hover"), Err(-32002));
    notify("textDocument/didOpen", json!({}));
    notify(tracec_lsp::UNREADABLE, json!({ "ids": [], "uris": [], "why": "" }));
    assert!(ask(&client, 2, "initialize").is_ok());
    notify("$/setTrace", json!({ "value": "off" }));
    assert_eq!(ask(&client, 3, "textDocument/nonsense"), Err(-32601));
    assert_eq!(ask(&client, 4, "initialize"), Err(-32600));
    notify("initialized", json!({}));
    assert!(ask(&client, 5, "shutdown").is_ok());
    notify("exit", json!({}));
    assert!(server.join().expect("no panic").is_ok());
}

#[test]
fn exit_without_shutdown_is_a_failure() {
    for initializes in [false, true] {
        let (client, server) = connected();
        if initializes {
            assert!(ask(&client, 1, "initialize").is_ok());
        }
        let exit = lsp_server::Notification::new("exit".to_owned(), json!({}));
        client.sender.send(exit.into()).expect("a server");
        let end = server.join().expect("no panic");
        assert!(matches!(end, Err(tracec_lsp::ServeError::Exit)), "{end:?}");
    }
}

#[test]
fn requests_in_an_unreadable_message_are_answered() {
    let mut client = Client::new();
    for (is_json, code) in [(true, "-32600"), (false, "-32700")] {
        let params = json!({ "ids": ["a"], "uris": [], "why": "it is a batch", "isJson": is_json });
        client.notify(tracec_lsp::UNREADABLE, params);
        let refused = client.answer(&"a".to_owned().into()).expect_err("an error");
        assert!(refused.starts_with(code), "{refused}");
    }
    client.end();
}

/// What waits at `shutdown` is answered, and not worked on.
#[test]
fn shutdown_does_not_wait_for_queued_work() {
    const REQUESTS: usize = 300;
    let text = RIGHT.replace("session a", "session NAME");
    let text: String = (0..2000).map(|at| text.replace("NAME", &format!("s{at}"))).collect();
    let mut client = Client::new();
    let mut asked = Vec::new();
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 3, "character": 0 } },
    });
    for version in 0..REQUESTS {
        client.open(URI, version as i32, &text);
        asked.push(client.ask("textDocument/inlayHint", params.clone()));
    }
    let shutdown = client.ask("shutdown", Value::Null);
    let mut answered = 0;
    let mut cancelled = 0;
    while answered <= REQUESTS {
        if let Message::Response(Response { response_result, .. }) = client.receive() {
            answered += 1;
            cancelled += usize::from(response_result.is_err_and(|error| error.code == -32802));
        }
    }
    assert!(cancelled > REQUESTS / 2, "{cancelled} of {REQUESTS}");
    drop((shutdown, asked));
    client.exit();
}

/// Where a request waited while its document was edited, another name may stand at its place.
#[test]
fn request_about_a_place_that_was_edited_is_refused() {
    const CONSTANTS: &str = "const LOW = 1;\nconst HIGH = 2;\n";
    const OTHER: &str = "file:///project/b.trc";
    let mut client = Client::utf8(TestWorld::default());
    client.open(OTHER, 1, &RIGHT.replace("session a", "session NAME").repeat(3000));
    client.open(URI, 1, CONSTANTS);
    // Both threads have work, so that the edit arrives before they answer.
    let slow = client.ask("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": OTHER } }));
    let place = json!({ "line": 0, "character": 7 });
    let of_place = json!({ "textDocument": { "uri": URI }, "position": place, "newName": "LEAST" });
    let rename = client.ask("textDocument/rename", of_place.clone());
    client.change(URI, 2, insert(0, 0, "const LAST = 3;\n"));
    client.answer(&slow).expect("tokens");
    let refused = client.answer(&rename).expect_err("an error");
    assert!(refused.starts_with("-32801"), "{refused}");
    let edits = client.request("textDocument/rename", of_place).expect("edits");
    assert_eq!(edits["changes"][URI][0]["range"]["start"], json!({ "line": 0, "character": 6 }));
    client.end();
}

#[test]
fn a_cancelled_request_is_answered_once() {
    const REQUESTS: usize = 50;
    let mut client = Client::new();
    client.open(URI, 1, &RIGHT.repeat(2000));
    let params = json!({ "textDocument": { "uri": URI }, "position": { "line": 0, "character": 20 } });
    let asked: Vec<_> = (0..REQUESTS).map(|_| client.ask("textDocument/hover", params.clone())).collect();
    // The last ones still wait for the check.
    for id in asked.iter().rev() {
        client.notify("$/cancelRequest", json!({ "id": id }));
    }
    client.notify("$/cancelRequest", json!({ "id": 7777 }));
    let (mut answered, mut cancelled) = (Vec::new(), 0);
    while answered.len() < REQUESTS {
        if let Message::Response(Response { id, response_result }) = client.receive() {
            assert!(asked.contains(&id) && !answered.contains(&id), "{id}");
            answered.push(id);
            if let Err(why) = response_result {
                assert_eq!(why.code, -32800, "{why:?}");
                cancelled += 1;
            }
        }
    }
    assert!(cancelled > 0);
    // The server still answers, and nothing was answered twice.
    assert!(client.request("textDocument/hover", params).is_ok());
    client.end();
}

/// Asks for something that takes many reads of `lib.trc`, and cancels it at the third one if that is wanted. Returns the
/// number of reads.
fn reads_of(method: &str, params: &Value, text: &str, is_cancelled: bool) -> usize {
    let ((reach, reached), (go, gone)) = (mpsc::channel(), mpsc::channel::<()>());
    let (is_counting, count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let gate = Mutex::new((reach, gone));
    let (counts, counter) = (Arc::clone(&is_counting), Arc::clone(&count));
    let on_read = Arc::new(move || {
        if counts.load(Ordering::SeqCst) && counter.fetch_add(1, Ordering::SeqCst) == 2 && is_cancelled {
            let (reach, gone) = &*gate.lock().expect("a gate");
            reach.send(()).expect("a test");
            gone.recv().expect("a test");
        }
    });
    let world = TestWorld { on_read, ..TestWorld::default() };
    {
        let mut files = world.files.lock().expect("files");
        files.insert("/project/lib.trc".to_owned(), "const LIM = 1;\n".to_owned());
        for at in 0..40 {
            let text = "use \"lib.trc\";\nsession b { trace sched:sched_switch if prev_prio > lib::LIM; }\n";
            files.insert(format!("/project/b{at}.trc"), text.to_owned());
        }
    }
    let mut client = Client::utf8(world);
    client.open(URI, 1, text);
    client.diagnostics(URI, 1);
    is_counting.store(true, Ordering::SeqCst);
    let id = client.ask(method, params.clone());
    if is_cancelled {
        reached.recv().expect("the third read");
        client.notify("$/cancelRequest", json!({ "id": id }));
        let answer = client.answer(&id).expect_err("cancelled");
        assert!(answer.starts_with("-32800"), "{answer}");
        go.send(()).expect("a server");
    } else {
        client.answer(&id).expect("an answer");
    }
    // The same thread answers this one.
    client
        .request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } }))
        .expect("symbols");
    client.end();
    count.load(Ordering::SeqCst)
}

#[test]
fn a_cancelled_request_ends_early() {
    let of_lib = "use \"lib.trc\";\nsession a { trace sched:sched_switch if prev_prio > lib::LIM; }\n";
    let at_lib = position(of_lib, of_lib.find("LIM").expect("a name"), true);
    let typed = "use \"lib.trc\";\nsession a { trace sched:sched_switch if  }\n";
    let at_condition = position(typed, typed.find("if ").expect("a condition") + 3, true);
    for (method, text, (line, character)) in [
        ("textDocument/references", of_lib, at_lib),
        ("textDocument/rename", of_lib, at_lib),
        ("textDocument/completion", typed, at_condition),
    ] {
        let params = json!({
            "textDocument": { "uri": URI },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true, "triggerKind": 1 },
            "newName": "LEAST",
        });
        let whole = reads_of(method, &params, text, false);
        let cancelled = reads_of(method, &params, text, true);
        assert!(whole > 20 && cancelled * 2 < whole, "{method}: {cancelled} of {whole}");
    }
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
    for method in ["textDocument/completion", "textDocument/hover"] {
        assert!(client.request(method, other.clone()).unwrap_err().starts_with("-32602"), "{method}");
    }
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
    let start = &found[0]["range"]["start"];
    let place = ["line", "character"].map(|part| start[part].as_u64().expect("a number") as usize);
    let hover = client.at("textDocument/hover", COMMON, (place[0], place[1]));
    assert!(hover["contents"]["value"].as_str().expect("a page").contains("**T0705**"), "{hover}");
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
    let (ours, server) = connected();
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
    let (ours, server) = connected();
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

/// A document that was never saved can be imported, also one that is opened after its importer.
#[test]
fn an_unsaved_document_is_imported() {
    let mut client = Client::new();
    let main = "use \"new.trc\";\nsession a { trace sched:sched_switch if prev_prio > new::LIMIT; }\n";
    client.open(URI, 1, main);
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["T0114"]);
    client.open("file:///project/new.trc", 1, "const LIMIT = 1;\n");
    while !client.diagnostics(URI, 1).is_empty() {}
    client.end();
}
