//! The status line on a terminal: the elapsed time, the counts, and how to stop.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::time::{Duration, Instant};

use tracec_kernel::grouped::Grouped;

/// The shortest time between two updates.
const INTERVAL: Duration = Duration::from_millis(250);

/// A line on standard error that each update overwrites, if standard error is a terminal.
#[derive(Debug)]
pub(crate) struct Status {
    name: Option<String>,
    started: Instant,
    drawn: Option<Instant>,
    visible: bool,
}

impl Status {
    /// Creates the line of a session. It is never drawn if it is not wanted, or if there is no terminal that can redraw
    /// a line.
    pub(crate) fn new(name: &str, wanted: bool) -> Self {
        let terminal = wanted
            && rustix::termios::isatty(rustix::stdio::stderr())
            && redraws(std::env::var_os("TERM").as_deref());
        let name = terminal.then(|| name.chars().filter(|c| !c.is_control()).collect());
        Status { name, started: Instant::now(), drawn: None, visible: false }
    }

    /// Draws the line, or returns how long to wait before it may be drawn again.
    pub(crate) fn update(&mut self, records: u64, dropped: Option<u64>, lost: u64) -> Option<Duration> {
        let name = self.name.as_deref()?;
        let since = self.drawn.map(|then| then.elapsed());
        if let Some(wait) = since.and_then(|since| INTERVAL.checked_sub(since)).filter(|wait| !wait.is_zero())
        {
            return Some(wait);
        }
        let columns = rustix::termios::tcgetwinsize(rustix::stdio::stderr())
            .map_or(80, |size| usize::from(size.ws_col).max(1));
        let line = line(name, self.started.elapsed(), records, dropped, lost);
        // One column less than the width: a full line would wrap on some terminals.
        let shown: String = line.chars().take(columns - 1).collect();
        draw(&format!("\r{shown}\x1b[K"));
        self.drawn = Some(Instant::now());
        self.visible = true;
        None
    }

    /// Clears the line.
    pub(crate) fn clear(&mut self) {
        if std::mem::replace(&mut self.visible, false) {
            draw("\r\x1b[K");
        }
    }
}

/// Returns whether a terminal of this kind, the value of `TERM`, can redraw a line.
fn redraws(kind: Option<&OsStr>) -> bool {
    kind.is_some_and(|kind| !kind.is_empty() && kind != "dumb")
}

fn draw(text: &str) {
    let mut terminal = std::io::stderr();
    // A terminal that is closed sends SIGHUP. A failure to draw the line is not worth an error.
    let _ = terminal.write_all(text.as_bytes());
}

fn line(name: &str, elapsed: Duration, records: u64, dropped: Option<u64>, lost: u64) -> String {
    let mut line = format!("{name}  {:.1} s  ", elapsed.as_secs_f64());
    let _ = write!(line, "{}", Grouped(records));
    line.push_str(if records == 1 { " record  " } else { " records  " });
    if let Some(dropped) = dropped {
        let _ = write!(line, "{}", Grouped(dropped));
        line.push_str(" dropped  ");
    }
    let _ = write!(line, "{}", Grouped(lost));
    line.push_str(" lost  Ctrl-C stops");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_shows_name_time_and_counts() {
        let shown = line("disk_stalls", Duration::from_millis(12_340), 4321, None, 0);
        assert_eq!(shown, "disk_stalls  12.3 s  4,321 records  0 lost  Ctrl-C stops");
        let shown = line("x", Duration::ZERO, 2, Some(1234), 0);
        assert_eq!(shown, "x  0.0 s  2 records  1,234 dropped  0 lost  Ctrl-C stops");
        assert!(line("x", Duration::ZERO, 1, None, 1_000_007).contains("1 record  1,000,007 lost"));
    }

    #[test]
    fn dumb_terminal_gets_no_line() {
        for (kind, expected) in
            [(None, false), (Some(""), false), (Some("dumb"), false), (Some("xterm"), true)]
        {
            assert_eq!(redraws(kind.map(OsStr::new)), expected, "{kind:?}");
        }
    }

    #[test]
    fn status_without_a_terminal_draws_nothing() {
        let mut status = Status::new("x", false);
        assert_eq!(status.update(1, None, 0), None);
        status.clear();
        assert!(!status.visible);
    }
}
