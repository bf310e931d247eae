//! The lines on a machine's serial console, among them the two marks around the command's output.
//!
//! A mark holds a number that is new in every run, so that no program can print one by accident. It is looked for
//! anywhere in a line, because the output before it need not end in a newline.

use std::collections::VecDeque;
use std::process;
use std::time::SystemTime;

/// The number of last lines that a report of a failure shows.
const TAIL: usize = 25;

/// The start of the kernel's panic message (`panic` in kernel/panic.c).
const PANIC: &str = "Kernel panic - not syncing";

/// Returns a number for one run's marks.
pub(super) fn nonce() -> String {
    let time = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    format!("{:x}-{:x}", process::id(), time.as_nanos())
}

/// Returns the part of a mark that its two forms share.
pub(super) fn mark(nonce: &str) -> String {
    format!("##machine-{nonce}##")
}

/// The meaning of one line of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    /// A line before the command has started: firmware and kernel.
    Boot,
    /// The command starts.
    Begin,
    /// A line while the command runs.
    Output(String),
    /// The command has ended with this exit code; before it, output without a newline.
    End(Option<String>, i32),
    /// A line after the command's end.
    Shutdown,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Booting,
    Running,
    Ended,
}

/// A reader of console lines.
#[derive(Debug)]
pub(super) struct Console {
    begin: String,
    end: String,
    phase: Phase,
    panic: Option<String>,
    tail: VecDeque<String>,
}

impl Console {
    /// Returns a console of the run with this number, before its first line.
    pub(super) fn new(nonce: &str) -> Self {
        let mark = mark(nonce);
        Self {
            begin: format!("{mark} begin"),
            end: format!("{mark} end "),
            phase: Phase::Booting,
            panic: None,
            tail: VecDeque::new(),
        }
    }

    /// Takes one line, with or without its line end.
    pub(super) fn line(&mut self, bytes: &[u8]) -> Event {
        let text = clean(bytes);
        if self.tail.len() == TAIL {
            self.tail.pop_front();
        }
        self.tail.push_back(without_escapes(&text));
        if let Some(at) = text.find(PANIC)
            && self.panic.is_none()
        {
            self.panic = Some(text[at..].to_owned());
        }
        self.advance(text)
    }

    /// Returns the kernel's panic message, if there was one.
    pub(super) fn panic(&self) -> Option<&str> {
        self.panic.as_deref()
    }

    /// Returns the last lines, for a report.
    pub(super) fn tail(&self) -> String {
        self.tail.iter().map(|line| format!("  | {line}\n")).collect()
    }

    fn advance(&mut self, text: String) -> Event {
        match self.phase {
            Phase::Booting if text.contains(&self.begin) => {
                self.phase = Phase::Running;
                Event::Begin
            }
            Phase::Booting => Event::Boot,
            Phase::Running => {
                let Some((before, status)) = text.split_once(&self.end) else { return Event::Output(text) };
                // A code that is cut off or mixed with a message does not end the command: the reader then misses the
                // end and reports that.
                let Ok(status) = status.trim().parse() else { return Event::Output(text) };
                self.phase = Phase::Ended;
                Event::End((!before.is_empty()).then(|| before.to_owned()), status)
            }
            Phase::Ended => Event::Shutdown,
        }
    }
}

/// Returns the line's text without line end. Both the terminal layer and the kernel's console may have put a CR before
/// the LF.
fn clean(bytes: &[u8]) -> String {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n')).map_or(0, |last| last + 1);
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// Returns the text without control characters and escape sequences: the firmware clears the screen, and a report must
/// not.
fn without_escapes(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c == '\x1b' {
            // `ESC [ parameters letter`, or ESC and one character (ECMA-48).
            if rest.next() == Some('[') {
                while rest.next_if(|c| !c.is_ascii_alphabetic()).is_some() {}
                rest.next();
            }
        } else if c == '\t' || !c.is_control() {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(lines: &[&str]) -> Vec<Event> {
        let mut console = Console::new("1");
        lines.iter().map(|line| console.line(line.as_bytes())).collect()
    }

    fn output(text: &str) -> Event {
        Event::Output(text.to_owned())
    }

    #[test]
    fn a_run_has_five_phases() {
        let lines =
            ["SeaBIOS\r\n", "##machine-1## begin\r\n", "one\r\r\n", "", "##machine-1## end 0\n", "x\n"];
        let expected =
            [Event::Boot, Event::Begin, output("one"), output(""), Event::End(None, 0), Event::Shutdown];
        assert_eq!(events(&lines), expected);
    }

    #[test]
    fn output_without_a_newline_stands_before_the_mark() {
        let found = events(&["\x1b[c##machine-1## begin", "no newline##machine-1## end 137\r\n"]);
        assert_eq!(found, [Event::Begin, Event::End(Some("no newline".to_owned()), 137)]);
    }

    #[test]
    fn marks_of_another_run_are_output() {
        let found = events(&["##machine-2## begin", "##machine-1## begin", "##machine-2## end 0"]);
        assert_eq!(found, [Event::Boot, Event::Begin, output("##machine-2## end 0")]);
    }

    #[test]
    fn a_mark_without_a_whole_code_is_no_end() {
        for line in ["##machine-1## end ", "##machine-1## end 1x", "##machine-1## end 99999999999"] {
            assert_eq!(events(&["##machine-1## begin", line])[1], output(line));
        }
        assert_eq!(events(&["##machine-1## end 0"]), [Event::Boot], "an end needs a beginning");
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let mut console = Console::new("1");
        console.line(b"##machine-1## begin\n");
        assert_eq!(console.line(b"a\xff\0b\n"), output("a\u{fffd}\0b"));
        assert_eq!(console.line(b"\r\n"), output(""));
    }

    #[test]
    fn the_first_panic_is_kept() {
        let mut console = Console::new("1");
        assert_eq!(console.panic(), None);
        console.line(b"[    1.2] Kernel panic - not syncing: VFS: Unable to mount root fs\r\n");
        console.line(b"[    1.3] ---[ end Kernel panic - not syncing: VFS ]---\r\n");
        assert_eq!(console.panic(), Some("Kernel panic - not syncing: VFS: Unable to mount root fs"));
    }

    #[test]
    fn the_tail_leaves_the_terminal_alone() {
        assert_eq!(without_escapes("\x1bc\x1b[?7l\x1b[2J\x1b[0mSea\tBIOS\x07"), "Sea\tBIOS");
        for cut in ["\x1b", "\x1b[", "\x1b[12;"] {
            assert_eq!(without_escapes(cut), "");
        }
    }

    #[test]
    fn the_tail_is_bounded() {
        let mut console = Console::new("1");
        for number in 0..1000 {
            console.line(number.to_string().as_bytes());
        }
        let tail = console.tail();
        assert_eq!(tail.lines().count(), TAIL);
        assert!(tail.ends_with("| 999\n"));
    }
}
