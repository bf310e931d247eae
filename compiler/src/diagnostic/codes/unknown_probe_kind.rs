//! T0743: unknown-probe-kind. The page beside this file says what it means.

use tracec_grammar::span::Span;

use crate::diagnostic::{Code, Diagnostic};

pub(crate) static CODE: Code =
    Code::error("T0743", "unknown-probe-kind", include_str!("unknown_probe_kind.md"));

pub(crate) fn unknown_probe_kind(span: Span, word: &str, nearest: &[String]) -> Diagnostic {
    let diagnostic = Diagnostic::error(&CODE, format!("there is no kind of probe `{word}`"))
        .at(span, "unknown kind")
        .suggest(span, nearest);
    if nearest.is_empty() {
        diagnostic.help("the kinds are kprobe, kretprobe, uprobe, uretprobe, usdt, event, fprobe, tprobe, fentry, fexit, tp_btf, raw_tp and perf")
    } else {
        diagnostic
    }
}
