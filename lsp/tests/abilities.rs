//! What a client says that it can do decides what it is sent.

mod common;

use common::{Client, TestWorld, abilities};
use lsp_server::Message;
use serde_json::{Value, json};

const URI: &str = "file:///project/a.trc";
const WRONG: &str = "session a { trace sched:sched_switch if prev_pidx == 1; clock mono; clock boot; }\n";

/// Returns a client of which a part of the abilities is another one.
fn without(part: &str, value: &Value) -> Client {
    let mut capabilities = abilities(&["utf-8"]);
    *capabilities.pointer_mut(part).expect("the part") = value.clone();
    Client::start(TestWorld::default(), capabilities)
}

#[test]
fn client_of_plain_text_gets_no_markdown() {
    let mut client = without("/textDocument/hover/contentFormat", &json!(["plaintext"]));
    client.open(URI, 1, WRONG);
    let hover = client.at("textDocument/hover", URI, (0, 14));
    assert_eq!(hover["contents"]["kind"], "plaintext");
    let shown = hover["contents"]["value"].as_str().expect("a text");
    assert!(shown.contains("trace EVENT") && !shown.contains('`'), "{shown}");
    client.end();
    let format = "/textDocument/completion/completionItem/documentationFormat";
    for (formats, kind) in [(json!(["plaintext"]), "plaintext"), (json!(["markdown"]), "markdown")] {
        let mut client = without(format, &formats);
        client.open(URI, 1, "session a { trace sched:sched_switch if  }");
        let found = client.at("textDocument/completion", URI, (0, 40));
        assert_eq!(found["items"][0]["documentation"]["kind"], kind, "{found}");
        client.end();
    }
}

#[test]
fn diagnostics_have_what_the_client_takes() {
    let mut client = without("/textDocument/publishDiagnostics", &json!({}));
    client.open(URI, 1, WRONG);
    let found = client.diagnostics(URI, 1);
    assert!(found.len() > 1, "{found:?}");
    for said in &found {
        for field in ["relatedInformation", "codeDescription", "data"] {
            assert!(said.get(field).is_none(), "{said}");
        }
    }
    // The other clock is a related place.
    assert!(found.iter().any(|said| said["message"].as_str().is_some_and(|text| text.contains("(a.trc:1)"))));
    client.end();
}

#[test]
fn client_of_commands_gets_no_actions() {
    let mut client = without("/textDocument/codeAction", &json!({}));
    client.open(URI, 1, WRONG);
    let at = json!({ "line": 0, "character": 45 });
    let params = json!({
        "textDocument": { "uri": URI },
        "range": { "start": at, "end": at },
        "context": { "diagnostics": [] },
    });
    assert_eq!(client.request("textDocument/codeAction", params), Ok(json!([])));
    client.end();
}

#[test]
fn client_of_lists_gets_symbols_in_one() {
    let mut client = without("/textDocument/documentSymbol", &json!({}));
    client.open(URI, 1, WRONG);
    let params = json!({ "textDocument": { "uri": URI } });
    let found = client.request("textDocument/documentSymbol", params).expect("symbols");
    let names: Vec<&Value> = found.as_array().expect("a list").iter().map(|one| &one["name"]).collect();
    assert_eq!(names, ["a", "sched:sched_switch"]);
    assert_eq!(found[1]["containerName"], "a");
    assert_eq!(found[0]["location"]["uri"], URI);
    client.end();
}

#[test]
fn client_that_watches_files_is_asked_to() {
    let mut capabilities = abilities(&["utf-8"]);
    capabilities["workspace"] = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
    let client = Client::start(TestWorld::default(), capabilities);
    let Message::Request(asked) = client.receive() else { panic!("not a request") };
    assert_eq!(asked.method, "client/registerCapability");
    let registration = &asked.params["registrations"][0];
    assert_eq!(registration["registerOptions"]["watchers"][0]["globPattern"], "**/*.trc");
    client.end();
}
