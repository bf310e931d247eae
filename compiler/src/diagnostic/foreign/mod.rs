//! Command lines and programs of other tools, as sessions.
//!
//! The grammar recognises such a text by its first words; here it is read by the tool's own rules. What has an
//! equivalent goes into a [`Translation`], and what has none is named there with the reason: nothing is left out in
//! silence. The tables say what an option ([`commands`]), a file of tracefs ([`files`]) and a probe of bpftrace
//! ([`program`]) mean; [`condition`] rewrites filters, and [`shell`] splits a text as a shell does.

mod commands;
mod condition;
mod files;
mod program;
mod shell;
mod translation;

pub(crate) use condition::{THREADS, in_slashes as predicate, why_left_out};
pub(crate) use translation::{NEAR, Translation};

/// The longest text that is translated, in bytes: a longer translation would not be read.
const LONGEST: usize = 4_000;

/// Translates a text for another tool.
pub(crate) fn translate(text: &str) -> Translation {
    let mut translation = Translation::default();
    if text.len() > LONGEST {
        translation
            .advise("name the events with `trace`, one clause each: the text is too long to be translated");
    } else if program::is_one(text) {
        program::translate(text, &mut translation);
    } else {
        for command in shell::commands(text) {
            commands::translate(&command, &mut translation);
        }
    }
    translation
}

/// Returns how to record a function of the kernel before sessions can attach to it.
pub(crate) fn probe_by_hand(function: &str, is_return: bool) -> Option<String> {
    program::by_hand(function, is_return)
}

/// Translates an event that there is not, if its system is a probe of bpftrace: `kprobe:vfs_read`.
pub(crate) fn probe(event: &str) -> Option<Translation> {
    let (system, _) = event.split_once(':')?;
    program::is_probe(system).then(|| translate(event))
}

#[cfg(test)]
mod tests {
    use super::translate;

    #[test]
    fn whatever_the_text_something_is_said() {
        for text in
            ["", "perf", "echo", "BEGIN", "trace-cmd", "sudo", "perf record -e", "echo '", "cat >", "tee"]
        {
            let translation = translate(text);
            assert!(translation.session(true).is_some() || !translation.advice().is_empty(), "{text}");
        }
        assert!(!translate(&"echo ".repeat(100_000)).advice().is_empty());
    }
    #[test]
    fn sessions_have_all_that_has_an_equivalent_and_name_the_rest() {
        for (text, session, left_out) in [
            ("tracepoint:a:b { @ = count(); }", Some("a:b"), &["{ @ = count(); }"][..]),
            ("interval:s:1 { exit(); }", None, &[]),
            ("BEGIN { printf(\"x\"); }", None, &["BEGIN"]),
            (
                "#!/usr/bin/env bpftrace\n// a:b\nt:a:b /args.x == 1/ { exit(); } /* b */",
                Some("a:b { filter x == 1; trigger traceoff once if x == 1; }"),
                &["recording stops there"],
            ),
            (
                "kretprobe:vfs_read /comm == \"a\"/ { }",
                Some("syscalls:sys_exit_read"),
                &["vfs_read", "comm =="],
            ),
            ("echo 'hist:keys=pid' > events/a/b/trigger", None, &["hist:keys=pid"]),
            ("echo 1 > events/a/b/enable\necho 'x > 1' > events/a/b/filter", Some("a:b if x > 1"), &[]),
            ("-e a:b --filter 'x < 100'", Some("a:b if x < 100"), &[]),
            (
                "perf record -e a:b -p 1,2 -F 99 -- ls -l",
                Some("a:b if current.pid in {1, 2}"),
                &["-F 99", "ls -l"],
            ),
            (
                "trace-cmd start -e a:b -R snapshot --unheard",
                Some("a:b { trigger snapshot; }"),
                &["--unheard"],
            ),
            ("perf record -C0-3 -ea:b,a:c:k", Some("{a:b, a:c} if current.cpu in {0..=3}"), &[":k"]),
            ("perf -e a:b", Some("a:b"), &[]),
            ("perf trace -a -e openat", Some("{syscalls:sys_enter_openat, syscalls:sys_exit_openat}"), &[]),
            ("strace -c ls", Some("syscalls:*"), &["-c", "strace shows the command alone"]),
            ("trace-cmd stat", None, &[]),
        ] {
            let translation = translate(text);
            assert_eq!(translation.session(true).as_deref(), session, "{text}");
            let said = translation.left_out().join("\n");
            assert!(left_out.iter().all(|part| said.contains(part)), "{text}: {said}");
            assert!(session.is_some() || !translation.advice().is_empty(), "{text}");
            if let Some(session) = session {
                assert_eq!(tracec_grammar::parse_one_liner(session).errors, [], "{session}");
                let file = translation.session(false).unwrap_or_default();
                assert_eq!(tracec_grammar::parse(&file).errors, [], "{file}");
            }
        }
    }
}
