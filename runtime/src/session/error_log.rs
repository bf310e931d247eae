//! `error_log`: the kernel's messages about commands it refused (kernel/trace/trace.c, `tracing_err_log_show`).
//!
//! ```text
//! [ 1737.659128] event filter parse error: error: Field not found
//!   Command: foo ==
//!                ^
//! ```

use super::KernelMessage;

const COMMAND: &str = "  Command: ";

/// Returns the newest entry if it is about `command`. The log keeps the last eight entries of an instance.
pub(super) fn message_about(command: &str, log: &str) -> Option<KernelMessage> {
    let start = log.rfind("\n[").map_or(0, |newline| newline + 1);
    let (head, rest) = log.get(start..)?.split_once('\n')?;
    let text = head.strip_prefix('[')?.split_once("error: ")?.1;
    // The location may contain `error:` too: `event filter parse error: error: TEXT`.
    let text = text.strip_prefix("error: ").unwrap_or(text);

    let rest = rest.strip_prefix(COMMAND)?;
    let (logged, pointer) = rest.trim_end_matches('\n').rsplit_once('\n')?;
    // The kernel strips trailing white space from the command.
    if logged.trim_end() != command.trim_end() {
        return None;
    }
    let caret = pointer.find('^').and_then(|column| column.checked_sub(COMMAND.len()));
    Some(KernelMessage { text: text.to_owned(), command: logged.to_owned(), caret })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "[ 1737.659128] event filter parse error: error: Field not found\n  Command: foo ==\n\
                       \x20              ^\n\
        [ 1738.000000] hist:sched:sched_switch: error: Couldn't find field\n  Command: keys=x\n\
        \x20                ^\n";

    #[test]
    fn newest_entry_is_returned_with_its_caret() {
        let message = message_about("keys=x", LOG).unwrap();
        assert_eq!(message.text, "Couldn't find field");
        assert_eq!(message.caret, Some(6));
        assert_eq!(message_about("foo ==", LOG), None, "an older entry is about another write");
    }

    #[test]
    fn location_is_not_part_of_the_text() {
        let first = LOG.split_inclusive('\n').take(3).collect::<String>();
        let message = message_about("foo == \n", &first).unwrap();
        assert_eq!((message.text.as_str(), message.caret), ("Field not found", Some(4)));
    }

    #[test]
    fn command_of_several_lines_is_matched() {
        let log =
            "[    1.0] event filter parse error: error: Invalid operator\n  Command: a\n^b\n           ^\n";
        let message = message_about("a\n^b", log).unwrap();
        assert_eq!((message.command.as_str(), message.caret), ("a\n^b", Some(0)));
    }

    #[test]
    fn malformed_or_missing_entry_gives_no_message() {
        for log in [
            "",
            "\n",
            "[",
            "[ 1.0] error: x",
            "[ 1.0] error: x\n  Command: y",
            "nonsense\n  Command: y\n ^\n",
        ] {
            assert_eq!(message_about("y", log), None, "{log:?}");
        }
    }
}
