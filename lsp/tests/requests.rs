//! Hover, fixes, formatting, symbols, definitions, references, rename, semantic tokens and hints.

mod common;

use common::{Client, TestWorld, apply, offset, position};
use serde_json::{Value, json};

const URI: &str = "file:///project/a.trc";

const TEXT: &str = "use std::errno;
use \"common.trc\";
const LOW = 3;
enum Status: u32 { Ok = 0, Bad = 1 }
/// \u{e4}\u{1f980}
session disk(min: size = 64KiB) {
    clock mono;
    trace block:block_rq_issue if bytes >= min && comm !~ \"kw*\" { trigger stacktrace once; }
    trace block:block_rq_complete if error == -errno::EIO && nr_sector as Status == Bad;
    trace sched:sched_switch if prev_prio > LOW && next_prio > common::HIGH;
    trace kmem:kmalloc if gfp_flags & GFP_ATOMIC != 0 || bytes_req == 1;
}
session other { include disk(min = 1KiB); }
";

fn client() -> Client {
    let world = TestWorld::default();
    world
        .files
        .lock()
        .expect("files")
        .insert("/project/common.trc".to_owned(), "const HIGH = 5;\n".to_owned());
    let client = Client::utf8(world);
    client.open(URI, 1, TEXT);
    client
}

/// Returns the position of the first `word` behind the first `after`.
fn at(after: &str, word: &str) -> (usize, usize) {
    let start = TEXT.find(after).expect("the text before");
    let at = start + TEXT[start..].find(word).expect("the word");
    position(TEXT, at, true)
}

/// Returns the texts of some ranges of the document.
fn texts(places: &Value) -> Vec<String> {
    let places = places.as_array().expect("a list").iter();
    let mut all: Vec<String> = places
        .map(|place| match place["uri"] == URI {
            true => {
                let at = |end: &str| offset(TEXT, &place["range"][end], true);
                format!("{} at {}", &TEXT[at("start")..at("end")], at("start"))
            }
            false => place["uri"].as_str().expect("a URI").to_owned(),
        })
        .collect();
    all.sort();
    all
}

#[test]
fn hover_says_what_a_name_means() {
    let mut client = client();
    for (place, expected) in [
        (at("issue if", "bytes"), &["`unsigned int bytes`", "4 bytes at offset", "unsigned"][..]),
        (at("trace block", "block_rq_issue"), &["event `block:block_rq_issue`", "sector", "printed as"]),
        (at("clock", "mono"), &["CLOCK_MONOTONIC"]),
        (at("clock", "clock"), &["clock NAME;", "The clock of the timestamps."]),
        (at("errno::EIO", "EIO"), &["= 5"]),
        (at("> LOW", "LOW"), &["`LOW` = 3"]),
        (at("trigger", "stacktrace"), &["record the kernel stack"]),
        (at("common::HIGH", "HIGH"), &["`common::HIGH` = 5"]),
    ] {
        let hover = client.at("textDocument/hover", URI, place);
        let text = hover["contents"]["value"].as_str().unwrap_or_default();
        for part in expected {
            assert!(text.contains(part), "{place:?}: no `{part}` in {text}");
        }
    }
    client.end();
}

/// A field of the event does not hide what `current` has, and a declaration of the text is shown as it is written.
#[test]
fn hover_says_what_is_not_a_field() {
    let mut client = Client::utf8(TestWorld::default());
    let two = "enum A: u8 { X = 1 }\nenum B: u8 { X = 2 }\n";
    let wakeup = "session a(m: u32 = 3) { trace sched:sched_wakeup";
    for (version, (text, expected)) in (1..).zip([
        (format!("{wakeup} if current.p|id == 1; }}"), "`int current.pid`"),
        (format!("{wakeup} if current.co|mm == \"x\"; }}"), "`char[16] current.comm`"),
        (format!("{wakeup} if current.tg|id == 1; }}"), "the process id of the task"),
        (format!("{wakeup} if p|id == 1; }}"), "of `sched:sched_wakeup`"),
        (format!("{wakeup} if c|pu == 1; }}"), "the CPU that writes the record"),
        (format!("{wakeup} if pid == m|; }}"), "parameter `m: u32 = 3` of `session a`"),
        (
            "session a(pid: int = 3) { trace sched:sched_wakeup if p|id == 1; }".to_owned(),
            "of `sched:sched_wakeup`",
        ),
        (format!("{wakeup} {{ trace|off; }} }}"), "trigger `traceoff`"),
        (format!("{wakeup}; }}\nsession b {{ include a|; }}"), "`session a(m: u32 = 3)`"),
        (format!("use std::errno;\n{wakeup} if pid == err|no::EIO; }}"), "module `std::errno`"),
        (format!("{two}{wakeup} if pid as B == X|; }}"), "`B::X` = 2"),
        (format!("{two}{wakeup} if pid as A == X|; }}"), "`A::X` = 1"),
    ]) {
        let at = text.find('|').expect("a mark");
        let plain = text.replacen('|', "", 1);
        client.open(URI, version, &plain);
        let hover = client.at("textDocument/hover", URI, position(&plain, at, true));
        let shown = hover["contents"]["value"].as_str().unwrap_or_default();
        assert!(shown.contains(expected), "{text}: {shown}");
    }
    client.end();
}

/// What a text defines is explained where it is defined, whether a session records it or not.
#[test]
fn hover_says_what_a_definition_makes() {
    let class = "subsystem s;\nclass c { proto (a: u32, n: unsigned long) entry { a: u32; n: u64 = n; } print \"{a}\" }\n\
                 event e: c;\n";
    let probe = "event p at kprobe vfs_read(count: u32) { count: u32; }\n";
    let session = "session t(m: duration = 1ms) { stream; }\n";
    let mut client = Client::utf8(TestWorld::default());
    for (version, (text, expected)) in (1..).zip([
        (
            class.replace("event e", "event |e"),
            &["event `s:e`", "u32 a;", "u64 n;", "printed as\n\n```trc\n\"{a}\"\n```"][..],
        ),
        (class.replace("class c", "class |c"), &["event `s:e`"]),
        (class.replace("{ a: u32", "{ |a: u32"), &["`u32 a` of `s:e`", "4 bytes at offset 8, unsigned"]),
        (class.replace("{a}", "{|a}"), &["`u32 a` of `s:e`"]),
        (class.replace("(a: u32", "(a: |u32"), &["type `u32`: 4 bytes, unsigned"]),
        (class.replace("unsigned long", "unsigned |long"), &["type `unsigned long`: 8 bytes, unsigned"]),
        (probe.replace("event p", "event |p"), &["count;", "size 4"]),
        (probe.replace("kprobe", "|kprobe"), &["probe `kprobe`"]),
        ("const |A = 3ms;\n".to_owned(), &["`A` = `3ms`, a duration"]),
        (
            "session a { trace sc|hed:sched_switch; }\n".to_owned(),
            &["event `sched:sched_switch`", "printed as\n\n```c\n"],
        ),
        (probe.replace("{ count", "{ |count"), &["4 bytes at offset"]),
        (session.replace("duration", "|duration"), &["a time with its unit"]),
    ]) {
        let at = text.find('|').expect("a mark");
        let plain = text.replacen('|', "", 1);
        client.open(URI, version, &plain);
        let hover = client.at("textDocument/hover", URI, position(&plain, at, true));
        let shown = hover["contents"]["value"].as_str().unwrap_or_default();
        for part in expected {
            assert!(shown.contains(part), "{text}: no `{part}` in {shown}");
        }
        // A probe has no text before the kernel makes one.
        assert!(!text.starts_with("event |p") || !shown.contains("printed as"), "{shown}");
    }
    client.end();
}

/// An editor opens a module as any other file.
#[test]
fn hover_in_a_module_of_the_library_says_what_a_name_means() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../stdlib/errno.trc");
    let text = std::fs::read_to_string(root).expect("the module");
    let uri = "file:///library/std/errno.trc";
    let mut client = Client::utf8(TestWorld::default());
    client.open(uri, 1, &text);
    assert_eq!(client.diagnostics(uri, 1), Vec::<Value>::new());
    let place = position(&text, text.find(" EIO ").expect("a constant") + 2, true);
    let hover = client.at("textDocument/hover", uri, place);
    assert!(hover["contents"]["value"].as_str().expect("a text").contains("= 5"), "{hover}");
    client.end();
}

/// What is read for one request, or for the check, is not read again for another one about the same version.
#[test]
fn requests_about_one_version_share_what_was_read() {
    let world = TestWorld::default();
    let reads = std::sync::Arc::clone(&world.reads);
    let read = move || reads.swap(0, std::sync::atomic::Ordering::SeqCst);
    world
        .files
        .lock()
        .expect("files")
        .insert("/project/common.trc".to_owned(), "const HIGH = 5;\n".to_owned());
    let mut client = Client::utf8(world);
    for version in 1..3 {
        client.open(URI, version, &format!("{TEXT}// {version}\n"));
        client.diagnostics(URI, version);
        // A fix is tried by a check.
        assert!(read() > 0);
        for place in [at("include disk", "disk"), at("common::HIGH", "HIGH"), at("issue if", "bytes")] {
            assert_ne!(client.at("textDocument/hover", URI, place), Value::Null, "{place:?}");
        }
        assert_eq!(read(), 0, "hover needs what the check has read");
        let of_document = json!({ "textDocument": { "uri": URI } });
        for method in ["textDocument/semanticTokens/full", "textDocument/documentSymbol"] {
            client.request(method, of_document.clone()).expect("an answer");
        }
        for method in ["textDocument/definition", "textDocument/prepareRename"] {
            assert_ne!(client.at(method, URI, at("> LOW", "LOW")), Value::Null);
        }
        assert_eq!(read(), 1, "requests that need no check");
    }
    client.end();
}

/// Returns the types of a kernel that has `struct file { int f_flags; }` (Documentation/bpf/btf.rst).
fn types() -> Vec<u8> {
    const STRINGS: &[u8] = b"\0int\0file\0f_flags\0";
    const INT: u32 = 1 << 24;
    const STRUCT: u32 = 4 << 24;
    const SIGNED_32: u32 = 1 << 24 | 32;
    let types: [u32; 10] = [1, INT, 4, SIGNED_32, 5, STRUCT | 1, 4, 10, 1, 0];
    let types: Vec<u8> = types.iter().flat_map(|word| word.to_ne_bytes()).collect();
    let header = [24, 0, types.len() as u32, types.len() as u32, STRINGS.len() as u32];
    let mut all = 0xeb9f_u16.to_ne_bytes().to_vec();
    all.extend([1, 0]);
    all.extend(header.iter().flat_map(|word| word.to_ne_bytes()));
    all.extend(types);
    all.extend(STRINGS);
    all
}

/// The fetch arguments of the kernel contain no blanks.
#[test]
fn fix_of_a_path_with_blanks_is_applied() {
    let event =
        |path: &str| format!("event e at kprobe vfs_read(file: *struct file) {{ flags = {path}; }}\n");
    let added = [("available_filter_functions".to_owned(), "vfs_read\n".to_owned())].into();
    let mut client = Client::utf8(TestWorld { added, btf: Some(types()), ..TestWorld::default() });
    client.open(URI, 1, &event("file -> f_flags"));
    let found = client.diagnostics(URI, 1);
    let said = found.iter().find(|said| said["data"]["fixes"][0] != Value::Null).expect("a fix");
    let params = json!({
        "textDocument": { "uri": URI },
        "range": said["range"],
        "context": { "diagnostics": [said] },
    });
    let actions = client.request("textDocument/codeAction", params).expect("actions");
    assert_eq!(
        (&actions[0]["title"], &actions[0]["isPreferred"]),
        (&json!("write `file->f_flags`"), &json!(true))
    );
    let edits = actions[0]["edit"]["changes"][URI].as_array().expect("edits").clone();
    let fixed = apply(&event("file -> f_flags"), &edits, true);
    assert_eq!(fixed, event("file->f_flags"));
    client.replace(URI, 2, &fixed);
    assert_eq!(client.diagnostics(URI, 2), [Value::Null; 0]);
    client.end();
}

#[test]
fn hover_at_a_mistake_shows_its_page() {
    let mut client = Client::utf8(TestWorld::default());
    let text = "session a { trace sched:sched_swich; }";
    client.open(URI, 1, text);
    let hover = client.at("textDocument/hover", URI, (0, 26));
    let shown = hover["contents"]["value"].as_str().expect("a page");
    assert!(shown.contains("**T0101**"), "{shown}");
    client.end();
}

#[test]
fn a_name_leads_to_its_declaration() {
    let mut client = client();
    for (place, expected) in [
        (at(">= min", "min"), format!("min at {}", TEXT.find("min: size").unwrap())),
        (at("include disk", "disk"), format!("disk at {}", TEXT.find("disk(min:").unwrap())),
        (at("disk(min = ", "min"), format!("min at {}", TEXT.find("min: size").unwrap())),
        (at("> LOW", "LOW"), format!("LOW at {}", TEXT.find("LOW").unwrap())),
        (at("== Bad", "Bad"), format!("Bad at {}", TEXT.find("Bad").unwrap())),
        (at("as Status", "Status"), format!("Status at {}", TEXT.find("Status").unwrap())),
        (at("common::HIGH", "HIGH"), "file:///project/common.trc".to_owned()),
    ] {
        let found = client.at("textDocument/definition", URI, place);
        assert_eq!(texts(&found), [expected], "{place:?}");
    }
    // What a `use` names is a file, and a module of the library can be opened as one.
    let common = client.at("textDocument/definition", URI, at("use \"", "common"));
    assert_eq!(texts(&common), ["file:///project/common.trc"]);
    for (place, declares) in [
        (at("use std", "errno"), None),
        (at("== -errno", "errno"), None),
        (at("errno::EIO", "EIO"), Some("EIO")),
    ] {
        let found = client.at("textDocument/definition", URI, place);
        assert_eq!(texts(&found), ["file:///library/std/errno.trc"], "{place:?}");
        let line = found[0]["range"]["start"]["line"].as_u64().expect("a line") as usize;
        let module = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../stdlib/errno.trc"));
        let module = module.expect("the module");
        let shown = module.lines().nth(line).expect("the line");
        assert!(declares.map_or(line == 0, |name| shown.trim_start().starts_with(name)), "{shown}");
    }
    // A field is of the kernel.
    assert_eq!(client.at("textDocument/definition", URI, at("issue if", "bytes")), Value::Null);
    let text = "subsystem s;\nevent e { proto (a: u32) entry { n: u32 = a; } print \"{n}\" }\n\
                session t { trace s:e if n > 1; when has field s:e.n { trace s:e { drop n; } } }\n";
    let (uri, declared) = ("file:///project/defined.trc", text.find("n: u32 = a").expect("a field"));
    client.open(uri, 1, text);
    for (place, _) in text.match_indices('n').filter(|(at, _)| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric();
        *at >= declared && !is_part(text.as_bytes()[at - 1]) && !is_part(text.as_bytes()[at + 1])
    }) {
        let found = client.at("textDocument/definition", uri, position(text, place, false));
        let (line, character) = position(text, declared, false);
        assert_eq!(found[0]["range"]["start"], json!({ "line": line, "character": character }), "{place}");
    }
    client.end();
}

#[test]
fn references_are_found_in_every_file() {
    let mut client = client();
    let (line, character) = at(">= min", "min");
    let params = |declaration: bool| {
        json!({
            "textDocument": { "uri": URI },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": declaration },
        })
    };
    let found = client.request("textDocument/references", params(true)).expect("places");
    assert_eq!(texts(&found).len(), 3, "{found}");
    let found = client.request("textDocument/references", params(false)).expect("places");
    assert_eq!(texts(&found).len(), 2, "{found}");
    client.end();
}

fn rename(client: &mut Client, (line, character): (usize, usize), new: &str) -> Result<Value, String> {
    let position = json!({ "line": line, "character": character });
    let params = json!({ "textDocument": { "uri": URI }, "position": position, "newName": new });
    client.request("textDocument/rename", params)
}

#[test]
fn rename_changes_every_place_and_refuses_what_would_break() {
    let mut client = client();
    assert_eq!(client.diagnostics(URI, 1).iter().filter(|said| said["severity"] == 1).count(), 0);
    let edits = rename(&mut client, at(">= min", "min"), "least").expect("edits");
    let renamed = apply(TEXT, edits["changes"][URI].as_array().expect("edits"), true);
    assert_eq!(renamed, TEXT.replace("min", "least"));
    client.replace(URI, 2, &renamed);
    assert_eq!(client.diagnostics(URI, 2).iter().filter(|said| said["severity"] == 1).count(), 0);
    client.replace(URI, 3, TEXT);

    let edits = rename(&mut client, at("common::HIGH", "HIGH"), "TOP").expect("edits");
    assert_eq!(edits["changes"]["file:///project/common.trc"][0]["range"]["start"]["character"], 6);
    assert_eq!(edits["changes"][URI].as_array().map(Vec::len), Some(1));

    assert!(rename(&mut client, at("> LOW", "LOW"), "1x").unwrap_err().contains("not a name"));
    assert!(rename(&mut client, at("> LOW", "LOW"), "if").unwrap_err().contains("wrong"));
    assert!(rename(&mut client, at("issue if", "bytes"), "x").is_err(), "a field is of the kernel");
    assert!(rename(&mut client, at("errno::EIO", "EIO"), "x").is_err(), "the library cannot be changed");
    assert_eq!(client.at("textDocument/prepareRename", URI, at("issue if", "bytes")), Value::Null);
    let range = client.at("textDocument/prepareRename", URI, at("> LOW", "LOW"));
    assert_eq!(offset(TEXT, &range["start"], true), TEXT.find("> LOW").unwrap() + 2);
    client.end();
}

#[test]
fn symbols_are_the_declarations_with_their_parts() {
    let mut client = client();
    let found =
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } })).unwrap();
    let names = |all: &Value| -> Vec<String> {
        let all = all.as_array().expect("a list").iter();
        all.map(|symbol| symbol["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&found), ["LOW", "Status", "disk", "other"]);
    assert_eq!(names(&found[1]["children"]), ["Ok", "Bad"]);
    assert_eq!(names(&found[2]["children"]).first().map(String::as_str), Some("block:block_rq_issue"));
    client.end();
}

#[test]
fn formatting_makes_the_layout_of_the_formatter() {
    let mut client = Client::new();
    let text = "session a {\n  clock mono; // \u{1f980}\n     trace sched:sched_switch;\n}\n";
    client.open(URI, 1, text);
    let params = json!({ "textDocument": { "uri": URI }, "options": { "tabSize": 4, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params.clone()).expect("edits");
    let formatted = apply(text, edits.as_array().expect("a list"), false);
    assert_eq!(formatted, tracec_grammar::format(text).expect("a text"));
    assert_ne!(formatted, text);
    client.replace(URI, 2, &formatted);
    assert_eq!(client.request("textDocument/formatting", params.clone()), Ok(json!([])));
    client.replace(URI, 3, "session a {");
    assert!(client.request("textDocument/formatting", params).is_err());
    client.end();
}

#[test]
fn words_of_the_language_are_told_from_names() {
    let mut client = client();
    let found = client
        .request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": URI } }))
        .unwrap();
    let legend = client.initialized["capabilities"]["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
    let data: Vec<u64> =
        found["data"].as_array().expect("data").iter().map(|n| n.as_u64().expect("a number")).collect();
    let (mut line, mut column) = (0, 0);
    let mut all = Vec::new();
    for token in data.chunks(5) {
        line += token[0];
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        let start = offset(TEXT, &json!({ "line": line, "character": column }), true);
        let word = &TEXT[start..start + token[2] as usize];
        all.push((word.to_owned(), legend[token[3] as usize].as_str().expect("a type").to_owned()));
    }
    for (word, kind) in [
        ("session", "keyword"),
        ("trace", "keyword"),
        ("disk", "namespace"),
        ("block_rq_issue", "event"),
        ("bytes", "property"),
        ("min", "parameter"),
        ("LOW", "enumMember"),
        ("Status", "type"),
        ("mono", "property"),
        ("stacktrace", "function"),
        ("64KiB", "number"),
        ("\"kw*\"", "string"),
        ("&&", "operator"),
        ("/// \u{e4}\u{1f980}", "comment"),
    ] {
        assert!(all.contains(&(word.to_owned(), kind.to_owned())), "{word}: {all:?}");
        assert!(all.iter().all(|(other, of)| other != word || of == kind), "{word}: {all:?}");
    }
    client.end();
}

/// A comment of the language ends with `\\n`, a line of the protocol also with `\\r`.
#[test]
fn a_token_is_in_one_line_of_the_protocol() {
    let mut client = Client::utf8(TestWorld::default());
    client.open(URI, 1, "// a\rbcd\r\n/* e\rf */");
    let params = json!({ "textDocument": { "uri": URI } });
    let found = client.request("textDocument/semanticTokens/full", params).expect("tokens");
    let numbers: Vec<u64> =
        found["data"].as_array().expect("data").iter().filter_map(Value::as_u64).collect();
    let tokens: Vec<&[u64]> = numbers.chunks(5).map(|token| &token[..3]).collect();
    assert_eq!(tokens, [[0, 0, 4], [1, 0, 3], [1, 0, 4], [1, 0, 4]]);
    client.end();
}

#[test]
fn hints_say_where_each_conjunct_runs() {
    let mut client = Client::utf8(TestWorld::default());
    let text = "session a { trace sched:sched_switch if prev_prio > 1 && prev_prio + 1 < next_prio; }\n";
    client.open(URI, 1, text);
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    let hints = client.request("textDocument/inlayHint", params).expect("hints");
    let shown: Vec<(usize, &str)> = hints
        .as_array()
        .expect("a list")
        .iter()
        .map(|hint| (offset(text, &hint["position"], true), hint["label"].as_str().expect("a label")))
        .collect();
    let end = |part: &str| text.find(part).expect("the part") + part.len();
    assert_eq!(shown, [(end("prev_prio > 1"), "kernel"), (end("< next_prio"), "host")]);
    assert!(hints[0]["tooltip"].as_str().expect("a text").contains("prev_prio > 1"));
    client.end();
}

/// A clause that is being typed has mistakes: what is shown of the others stays.
#[test]
fn hints_stay_while_a_clause_cannot_be_read() {
    let mut client = Client::utf8(TestWorld::default());
    let text = "session a {\n    trace sched:sched_switch if prev_prio > 1 && next_prio > 2;\n    trace sched:sched_waking if prio > 3;\n}\n";
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let params = json!({ "textDocument": { "uri": URI }, "range": range });
    client.open(URI, 1, text);
    let mut version = 1;
    let mut hints = |text: &str| -> Vec<(String, bool)> {
        version += 1;
        client.replace(URI, version, text);
        let hints = client.request("textDocument/inlayHint", params.clone()).expect("hints");
        let hint = |hint: &Value| {
            let end = offset(text, &hint["position"], true);
            let tooltip = hint["tooltip"].as_str().expect("a text");
            let start = text[..end].rfind(['&', 'f']).map_or(0, |at| at + 1);
            (text[start..end].trim().to_owned(), tooltip.contains("before it had a mistake"))
        };
        hints.as_array().expect("a list").iter().map(hint).collect()
    };
    let of = |all: &[(&str, bool)]| -> Vec<(String, bool)> {
        all.iter().map(|(conjunct, is_old)| ((*conjunct).to_owned(), *is_old)).collect()
    };
    assert_eq!(hints(text), of(&[("prev_prio > 1", false), ("next_prio > 2", false), ("prio > 3", false)]));
    let old = [("prev_prio > 1", true), ("next_prio > 2", true)];
    for broken in ["prio > (3", "pio > 3", "prio >"] {
        assert_eq!(hints(&text.replace("prio > 3", broken)), of(&old), "{broken}");
    }
    let more = text.replace("    trace sched:sched_wak", "\n    buffer 1MiB;\n    trace sched:sched_wak");
    assert_eq!(hints(&more.replace("prio > 3", "prio >")), of(&old), "lines are added");
    let expected = of(&[("prev_prio > 1", false), ("next_prio > 2", false), ("prio > 4", false)]);
    assert_eq!(hints(&more.replace("prio > 3", "prio > 4")), expected);
    client.end();
}

/// Replaces each position in an answer by the offset that it means.
fn with_offsets(value: &Value, text: &str, is_utf8: bool) -> Value {
    match value {
        Value::Object(fields) if fields.len() == 2 && fields.contains_key("character") => {
            offset(text, value, is_utf8).into()
        }
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(name, field)| (name.clone(), with_offsets(field, text, is_utf8)));
            Value::Object(fields.collect())
        }
        Value::Array(all) => all.iter().map(|one| with_offsets(one, text, is_utf8)).collect(),
        other => other.clone(),
    }
}

/// Returns the texts of semantic tokens.
fn colours(answer: &Value, text: &str, is_utf8: bool) -> Vec<String> {
    let numbers = answer["data"].as_array().expect("data").iter();
    let numbers: Vec<u64> = numbers.map(|number| number.as_u64().expect("a number")).collect();
    let (mut line, mut column) = (0, 0);
    let tokens = numbers.chunks(5).map(|token| {
        line += token[0];
        column = if token[0] == 0 { column + token[1] } else { token[1] };
        let at = |column: u64| offset(text, &json!({ "line": line, "character": column }), is_utf8);
        text[at(column)..at(column + token[2])].to_owned()
    });
    tokens.collect()
}

/// Every request is answered with the same places in both encodings, on lines with characters of every width.
#[test]
fn every_request_is_answered_alike_in_both_encodings() {
    const WIDE: &str = "/* \u{1f980}\u{e4}\u{20ac} */";
    let text = format!(
        "{WIDE} const LOW = 1;   {WIDE} const HIGH = LOW;\n\
         session a {{ {WIDE} trace sched:sched_switch if prev_comm != \"\u{1f980}\" && {WIDE} prev_prio > LOW; }}\n\
         session b {{ {WIDE} trace sched:sched_swich; {WIDE} clock mono; }}\n"
    );
    let mut found = Vec::new();
    for is_utf8 in [true, false] {
        let mut client = if is_utf8 { Client::utf8(TestWorld::default()) } else { Client::new() };
        client.open(URI, 1, &text);
        let said = client.diagnostics(URI, 1);
        let at = |word: &str| position(&text, text.rfind(word).expect("a word") + 1, is_utf8);
        let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
        let place = |(line, character): (usize, usize)| json!({ "line": line, "character": character });
        let mut answers = Vec::new();
        for (method, word, more) in [
            ("completion", "prev_prio", json!({})),
            ("hover", "prev_prio", json!({})),
            ("definition", "LOW", json!({})),
            ("references", "LOW", json!({ "context": { "includeDeclaration": true } })),
            ("prepareRename", "LOW", json!({})),
            ("rename", "LOW", json!({ "newName": "LEAST" })),
            ("documentSymbol", "LOW", json!({})),
            ("formatting", "LOW", json!({ "options": { "tabSize": 4, "insertSpaces": true } })),
            ("codeAction", "swich", json!({ "context": { "diagnostics": said } })),
            ("inlayHint", "LOW", json!({})),
            ("semanticTokens/full", "LOW", json!({})),
        ] {
            let mut params =
                json!({ "textDocument": { "uri": URI }, "position": place(at(word)), "range": whole });
            params.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
            let answer = client.request(&format!("textDocument/{method}"), params).expect("an answer");
            assert!(answer != Value::Null && answer != json!([]), "{method}");
            match method {
                "semanticTokens/full" => answers.push(json!(colours(&answer, &text, is_utf8))),
                _ => answers.push(with_offsets(&answer, &text, is_utf8)),
            }
        }
        assert!(answers.last().is_some_and(|words| words.to_string().contains("\"LOW\"")));
        found.push(answers);
        client.end();
    }
    for (utf8, utf16) in found[0].iter().zip(&found[1]) {
        assert_eq!(utf8, utf16);
    }
}

/// Both encodings give the same places, in text of every width.
#[test]
fn utf_8_and_utf_16_agree() {
    let text = "//! \u{1f980}\u{e4}\u{20ac}\nsession a { /* \u{1f980} */ trace sched:sched_switch if prev_comm == \"\u{1f980}\" && nonsense; }\n";
    let mut found = Vec::new();
    for is_utf8 in [true, false] {
        let mut client = if is_utf8 { Client::utf8(TestWorld::default()) } else { Client::new() };
        // The text is typed in two edits, the second behind characters of every width.
        let split = text.find("nonsense").expect("a word");
        client.open(URI, 1, &format!("{}{}", &text[..split], &text[split + 4..]));
        let (line, character) = position(text, split, is_utf8);
        let here = json!({ "line": line, "character": character });
        client.change(URI, 2, json!([{ "range": { "start": here, "end": here }, "text": "nons" }]));
        let places: Vec<(usize, usize, String)> = client
            .diagnostics(URI, 2)
            .iter()
            .map(|said| {
                let at = |end: &str| offset(text, &said["range"][end], is_utf8);
                (at("start"), at("end"), said["code"].as_str().expect("a code").to_owned())
            })
            .collect();
        let hover = client.at(
            "textDocument/hover",
            URI,
            position(text, text.find("prev_comm").unwrap() + 2, is_utf8),
        );
        let start = offset(text, &hover["range"]["start"], is_utf8);
        assert_eq!(start, text.find("prev_comm").unwrap());
        found.push((places, hover["contents"].clone()));
        client.end();
    }
    assert!(found[0].0.iter().any(|(start, _, _)| *start == text.find("nonsense").unwrap()), "{found:?}");
    assert_eq!(found[0], found[1]);
}

/// A bare name belongs to the member of an enum exactly where the compiler says so, of two enums too.
#[test]
fn bare_names_are_members_where_the_compiler_says_so() {
    const EVENT: &str = "enum A: u8 { X = 1, Y }\nenum B: u8 { X = 2, Z }\nsubsystem s;\n\
        event e { proto (a: u32) entry { q: A = a; } print \"{q}\" }\n\
        event p at kprobe vfs_read(q: B);\n";
    let mut client = Client::utf8(TestWorld::default());
    for (version, (text, line)) in (1..).zip([
        // A field of an event that a text defines has no names.
        ("session a { trace e if q == X|; }", None),
        ("session a { trace e if q == Y|; }", None),
        ("session a { trace p if q == Z|; }", None),
        ("session a { trace sched:sched_switch if prev_pid == Z|; }", None),
        ("session a { trace e if q as A == X|; }", Some(0)),
        ("session a { trace e if (q & 3) as B in {X|, Z}; }", Some(1)),
        ("session a { on e if q as B == Z| { trigger traceoff; } }", Some(1)),
        // What a definition does not declare is C.
        ("event f { proto (a: u32) entry { r: B = Z|; } print \"{r}\" }", None),
        ("const N: B = X|;", Some(1)),
        ("const N: A = Y|;", Some(0)),
        ("session a(n: B = X|) { trace sched:sched_switch; }", Some(1)),
        ("flags F: u8 { X = 1, V = X| | 2 }", Some(5)),
    ]) {
        let marked = format!("{EVENT}{text}\n");
        let at = marked.find('|').expect("a mark");
        let plain = marked.replacen('|', "", 1);
        client.open(URI, version, &plain);
        let said = client.diagnostics(URI, version);
        let is_unknown = said.iter().any(|said| said["code"] == "T0102" || said["code"] == "T0212");
        let found = client.at("textDocument/definition", URI, position(&plain, at, true));
        let found = found.as_array().and_then(|found| found.first()).unwrap_or(&found);
        let place = found["range"]["start"]["line"].as_u64();
        assert_eq!(place, line, "{text}: {found}");
        assert_eq!(is_unknown, line.is_none() && !text.starts_with("event"), "{text}: {said:?}");
    }
    client.end();
}

/// The name of a value means that of the field that it is compared with.
#[test]
fn hover_of_a_value_is_that_of_the_compared_field() {
    let mut client = Client::utf8(TestWorld::default());
    for (version, (text, expected)) in (1..).zip([
        ("session a { trace sock:inet_sock_set_state if newstate == TCP_LI|STEN; }", "of `newstate` of"),
        ("session a { trace sock:inet_sock_set_state if TCP_LI|STEN == newstate; }", "of `newstate` of"),
        (
            "session a { trace sock:inet_sock_set_state if oldstate == 1 && newstate == TCP_LI|STEN; }",
            "of `newstate` of",
        ),
    ]) {
        match version {
            1 => client.open(URI, version, &text.replacen('|', "", 1)),
            _ => client.replace(URI, version, &text.replacen('|', "", 1)),
        }
        let place = position(text, text.find('|').expect("a mark"), true);
        let hover = client.at("textDocument/hover", URI, place);
        let shown = hover["contents"]["value"].as_str().expect("a value");
        assert!(shown.contains(expected), "{text}: {shown}");
    }
    client.end();
}

#[test]
fn symbols_have_the_clauses_for_some_kernels_only() {
    let mut client = Client::utf8(TestWorld::default());
    let text = "session a { when has event block:block_io_start { trace block:block_io_start; } else { \
                trace block:block_rq_issue; on block:block_rq_issue { trigger traceoff; } } trace irq:*; }";
    client.open(URI, 1, text);
    let found =
        client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": URI } })).unwrap();
    let children = found[0]["children"].as_array().expect("a list").iter();
    let names: Vec<&str> = children.map(|symbol| symbol["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["block:block_io_start", "block:block_rq_issue", "block:block_rq_issue", "irq:*"]);
    client.end();
}

/// They are those of the first kernel.
#[test]
fn hints_of_several_kernels_name_theirs() {
    let text = "session a { trace sched:sched_switch if prev_prio < 100; }";
    for (kernels, expected) in [(vec!["6.12"], "kernel"), (vec!["6.1", "6.12"], "kernel on 6.1")] {
        let mut client = Client::utf8(TestWorld { kernels, ..TestWorld::default() });
        client.open(URI, 1, text);
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 80 } });
        let params = json!({ "textDocument": { "uri": URI }, "range": range });
        let hints = client.request("textDocument/inlayHint", params).expect("hints");
        let label = hints[0]["label"].as_str().expect("a label");
        assert!(label.starts_with(expected), "{label}");
        client.end();
    }
}
