//! Events where something stands behind them, what can be left out of a set, paths, and fields in templates and probes.

use crate::offers;

#[test]
fn paths_go_on_behind_an_enum() {
    const ERROR: &str = "use std::errno;\nsession a { trace block:block_rq_complete if error";
    for (path, expected) in [
        (" == -errno::Errno::|; }", "errno::Errno::EIO"),
        (" == -Errno::EI|; }", "Errno::EIO"),
        (" in {-errno::Errno::EPERM, -errno::Errno::|}; }", "errno::Errno::EIO"),
        (" as errno::| == 5; }", "errno::Errno"),
    ] {
        offers(&format!("{ERROR}{path}"), &[expected], &[]);
    }
    for (text, expected, not) in [
        ("use std::errno;\nconst X = errno::Errno::EI|", "errno::Errno::EIO", "errno::Errno::EPERM"),
        ("use std::errno;\nconst X = 5 as errno::|", "errno::Errno", "errno::EIO"),
        (
            "use std::signal as s;\nsession a { trace signal:signal_generate if sig == s::Signal::SIGK|; }",
            "s::Signal::SIGKILL",
            "s::Signal::SIGHUP",
        ),
    ] {
        offers(text, &[expected], &[not]);
    }
}
