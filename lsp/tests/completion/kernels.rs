//! Several kernels: what some of them lack says which have it, and stands behind the rest.

use serde_json::Value;

use crate::URI;
use crate::common::{Client, TestWorld, position};

/// Returns the items that are offered at the `|` of a text for two kernels: label and detail.
fn items(marked: &str) -> Vec<(String, String)> {
    let at = marked.find('|').expect("a mark");
    let text = marked.replacen('|', "", 1);
    let mut client = Client::utf8(TestWorld { kernels: vec!["6.1", "6.12"], ..TestWorld::default() });
    client.open(URI, 1, &text);
    let found = client.at("textDocument/completion", URI, position(&text, at, true));
    client.end();
    let word = |item: &Value, name: &str| item[name].as_str().unwrap_or_default().to_owned();
    let items = found["items"].as_array().cloned().unwrap_or_default();
    items.iter().map(|item| (word(item, "label"), word(item, "detail"))).collect()
}

/// What only the second kernel has is offered, and what only the first one has.
#[test]
fn an_event_or_a_field_that_a_kernel_lacks_is_noted() {
    for (text, label, detail) in [
        ("session a { trace block:block_io_st| }", "block:block_io_start", "event, only in 6.12"),
        ("session a { trace block_io_st| }", "block_io_start", "event block:block_io_start, only in 6.12"),
        ("session a { trace block:block_io_start if nr_s| }", "nr_sector", "unsigned int, only in 6.12"),
        (
            "session a { trace block:block_io_st| if nr_sector == 1; }",
            "block:block_io_start",
            "event, only in 6.12",
        ),
        ("session a { trace sched:sched_sw| }", "sched:sched_switch", "event"),
        ("session a { trace sched:sched_switch if next_pr| }", "next_prio", "int"),
        ("session a { trace sched:* except sched_prep| }", "sched:sched_prepare_exec", "event, only in 6.12"),
        ("session a { trace sched:* except sched:sched_sw| }", "sched:sched_switch", "event"),
        // Events of both kernels, whose fields differ.
        ("session a { trace ext4:ext4_discard_preallocations if needed| }", "needed", "only in 6.1"),
        ("session a { trace block:block_rq_issue if ioprio| }", "ioprio", "only in 6.12"),
        ("session a { trace block:block_rq_issue having ioprio| }", "ioprio", "only in 6.12"),
        ("session a { trace block:block_rq_issue { drop ioprio| } }", "ioprio", "only in 6.12"),
    ] {
        let found = items(text);
        let is_it = |(found, said): &&(String, String)| found == label && said.ends_with(detail);
        assert!(found.iter().find(is_it).is_some(), "{text}: {found:?}");
    }
}

#[test]
fn what_all_kernels_have_comes_first() {
    for text in ["session a { trace block:| }", "session a { trace block:block_rq_issue if | }"] {
        let found = items(text);
        let notes: Vec<bool> = found.iter().map(|(_, detail)| detail.contains("only in")).collect();
        assert!(notes.is_sorted() && notes.contains(&true) && notes.contains(&false), "{text}: {found:?}");
    }
}
