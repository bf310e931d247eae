//! The status line on a terminal: the elapsed time, the counts, and how to stop.
//!
//! A thread of its own draws it: a terminal that is stopped (`^S`) or not read blocks every write to it.

use std::ffi::OsStr;
use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::fd::OwnedFd;
use tracec_kernel::grouped::Grouped;

use crate::roll_call::Member;

/// The time between two updates.
const INTERVAL: Duration = Duration::from_millis(250);

/// The terminal at standard error, and whether it shows the line.
#[derive(Debug)]
pub(crate) struct Terminal {
    fd: OwnedFd,
    shows_line: Mutex<bool>,
}

impl Terminal {
    /// Returns the terminal, if a line is wanted and there is a terminal that can redraw a line.
    pub(crate) fn find(wanted: bool) -> Option<Arc<Terminal>> {
        let terminal = wanted
            && rustix::termios::isatty(rustix::stdio::stderr())
            && redraws(std::env::var_os("TERM").as_deref());
        let fd = terminal.then(|| rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), 3))?;
        Some(Arc::new(Terminal::new(fd.ok()?)))
    }

    fn new(fd: OwnedFd) -> Self {
        Terminal { fd, shows_line: Mutex::new(false) }
    }

    /// Clears the line. None is drawn until the guard is dropped. This may wait for the terminal.
    pub(crate) fn hide(&self) -> MutexGuard<'_, bool> {
        let mut shows_line = lock(&self.shows_line);
        if std::mem::replace(&mut *shows_line, false) {
            self.write("\r\x1b[K");
        }
        shows_line
    }

    /// Draws the line if it is still wanted when nothing else is written. This may wait for the terminal.
    fn draw(&self, line: &dyn Fn() -> String, is_wanted: impl FnOnce() -> bool) {
        // A terminal whose size nobody has set says 0.
        let columns = match rustix::termios::tcgetwinsize(&self.fd).map(|size| usize::from(size.ws_col)) {
            Ok(0) | Err(_) => 80,
            Ok(columns) => columns,
        };
        let mut shows_line = lock(&self.shows_line);
        // Records may have been written for a long time, and the session may have ended meanwhile.
        if is_wanted() {
            // One column less than the width: a full line would wrap on some terminals.
            let shown: String = line().chars().take(columns - 1).collect();
            self.write(&format!("\r{shown}\x1b[K"));
            *shows_line = true;
        }
    }

    fn write(&self, mut text: &str) {
        while !text.is_empty() {
            // A terminal that is closed sends SIGHUP. A failure to draw the line is not worth an error.
            let Ok(written) = rustix::io::retry_on_intr(|| rustix::io::write(&self.fd, text.as_bytes()))
            else {
                return;
            };
            text = text.get(written..).unwrap_or_default();
        }
    }
}

/// What the thread is to do, in the order of time: a line may be hidden and shown again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Line,
    Nothing,
    End,
}

/// What is wanted, and what has been done.
type State = (Wanted, Option<Wanted>);

/// The status line of a session.
#[derive(Debug, Default)]
pub(crate) struct Status {
    shared: Option<Arc<Shared>>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

impl Status {
    /// Starts the thread that draws `line` on a terminal, again every [`INTERVAL`], once it is [shown](Status::show).
    /// It answers as `member` before.
    pub(crate) fn start(
        member: Member,
        terminal: Arc<Terminal>,
        line: impl Fn() -> String + Send + 'static,
    ) -> io::Result<Status> {
        let state = Mutex::new((Wanted::Nothing, None));
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let of_thread = Arc::clone(&shared);
        thread::Builder::new().name("tracec-status".to_owned()).spawn(move || {
            member.answer();
            of_thread.run(&terminal, &line);
        })?;
        Ok(Status { shared: Some(shared) })
    }

    /// Clears the line, and waits at most so long for the terminal.
    pub(crate) fn hide(&self, limit: Duration) {
        self.want(Wanted::Nothing, limit);
    }

    /// Shows the line.
    pub(crate) fn show(&self) {
        self.want(Wanted::Line, Duration::ZERO);
    }

    /// Clears the line for good, and waits at most so long for the terminal.
    pub(crate) fn end(&self, limit: Duration) {
        self.want(Wanted::End, limit);
    }

    fn want(&self, wanted: Wanted, limit: Duration) {
        let Some(shared) = &self.shared else { return };
        let mut state = lock(&shared.state);
        // The thread answers once: it has ended after `End`.
        if state.0 != wanted {
            *state = (wanted, None);
            shared.changed.notify_all();
        }
        if !limit.is_zero() {
            let is_open = |state: &mut State| state.1 != Some(wanted);
            // After the limit the line stays: the terminal takes nothing.
            drop(shared.changed.wait_timeout_while(state, limit, is_open));
        }
    }
}

impl Shared {
    /// Does what is wanted until the end. The state is not locked while the terminal is written to.
    fn run(&self, terminal: &Terminal, line: &dyn Fn() -> String) {
        let mut state = lock(&self.state);
        loop {
            let wanted = state.0;
            drop(state);
            match wanted {
                Wanted::Line => terminal.draw(line, || lock(&self.state).0 == Wanted::Line),
                Wanted::Nothing | Wanted::End => drop(terminal.hide()),
            }
            state = lock(&self.state);
            if state.0 != wanted {
                continue;
            }
            state.1 = Some(wanted);
            self.changed.notify_all();
            let still = |state: &mut State| state.0 == wanted;
            let limit = match wanted {
                Wanted::End => return,
                Wanted::Line => INTERVAL,
                Wanted::Nothing => Duration::MAX,
            };
            let waited = self.changed.wait_timeout_while(state, limit, still);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Locks a mutex whose value is whole even where another thread has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns whether a terminal of this kind, the value of `TERM`, can redraw a line.
fn redraws(kind: Option<&OsStr>) -> bool {
    kind.is_some_and(|kind| !kind.is_empty() && kind != "dumb")
}

/// What the line of a session says.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counted {
    /// Records given to the sink.
    pub(crate) records: u64,
    /// Records that the host's conditions have dropped; `None` if there are none.
    pub(crate) dropped: Option<u64>,
    /// The least number of records that were lost.
    pub(crate) lost: u64,
    /// Whether the kernel does not record: a `traceoff` trigger has met its condition, or a `traceon` trigger has not yet.
    pub(crate) is_off: bool,
    /// Whether the newest records are kept in the ring, and read at the end.
    pub(crate) is_ring: bool,
    /// The number of dumps that were written.
    pub(crate) dumps: u64,
}

/// Returns the line of a session.
pub(crate) fn line(name: &str, elapsed: Duration, counted: Counted) -> String {
    let Counted { records, dropped, lost, is_off, is_ring, dumps } = counted;
    let elapsed = elapsed.as_secs_f64();
    let seen = match (records, dropped) {
        (0, None | Some(0)) if is_off => String::new(),
        (0, None | Some(0)) if is_ring => "keeps the newest records  ".to_owned(),
        (0, None | Some(0)) => "waits for a first record  ".to_owned(),
        (1, _) => "1 record  ".to_owned(),
        _ => format!("{} records  ", Grouped(records)),
    };
    let dumps = match dumps {
        0 => String::new(),
        1 => "1 dump  ".to_owned(),
        _ => format!("{} dumps  ", Grouped(dumps)),
    };
    let off = if is_off { "recording is off  " } else { "" };
    let dropped = match dropped {
        None | Some(0) => String::new(),
        Some(dropped) => format!("{} dropped  ", Grouped(dropped)),
    };
    format!("{name}  {elapsed:.1} s  {off}{seen}{dumps}{dropped}{} lost  Ctrl-C stops", Grouped(lost))
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use rustix::pipe::{PipeFlags, pipe_with};

    use super::*;
    use crate::roll_call::RollCall;

    #[test]
    fn line_shows_name_time_and_counts() {
        let counted = Counted { records: 4321, ..Counted::default() };
        let shown = line("disk_stalls", Duration::from_millis(12_340), counted);
        assert_eq!(shown, "disk_stalls  12.3 s  4,321 records  0 lost  Ctrl-C stops");
        let shown =
            line("x", Duration::ZERO, Counted { records: 2, dropped: Some(1234), ..Counted::default() });
        assert_eq!(shown, "x  0.0 s  2 records  1,234 dropped  0 lost  Ctrl-C stops");
        let shown = line("x", Duration::ZERO, Counted { records: 1, lost: 1_000_007, ..Counted::default() });
        assert!(shown.contains("1 record  1,000,007 lost"), "{shown}");
    }

    #[test]
    fn line_says_why_nothing_arrives() {
        let shown = |counted| line("x", Duration::ZERO, counted);
        let nothing = Counted { dropped: Some(0), ..Counted::default() };
        assert_eq!(shown(nothing), "x  0.0 s  waits for a first record  0 lost  Ctrl-C stops");
        let off = Counted { is_off: true, ..Counted::default() };
        assert_eq!(shown(off), "x  0.0 s  recording is off  0 lost  Ctrl-C stops");
        let ring = Counted { is_ring: true, ..Counted::default() };
        assert_eq!(shown(ring), "x  0.0 s  keeps the newest records  0 lost  Ctrl-C stops");
        let dumps = Counted { dumps: 2, ..ring };
        assert_eq!(shown(dumps), "x  0.0 s  keeps the newest records  2 dumps  0 lost  Ctrl-C stops");
        let stopped = Counted { records: 7, ..off };
        assert_eq!(shown(stopped), "x  0.0 s  recording is off  7 records  0 lost  Ctrl-C stops");
        let dropped = Counted { dropped: Some(3), ..Counted::default() };
        assert_eq!(shown(dropped), "x  0.0 s  0 records  3 dropped  0 lost  Ctrl-C stops");
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
    fn status_without_a_terminal_waits_for_none() {
        assert!(Terminal::find(false).is_none());
        Status::default().end(Duration::MAX);
    }

    /// The time limit of a wait.
    const LONG: Duration = Duration::from_secs(60);

    /// Returns a terminal, and what it has shown so far when it is called.
    fn terminal() -> (Arc<Terminal>, impl Fn() -> String) {
        let (reader, writer) = pipe_with(PipeFlags::NONBLOCK).unwrap();
        rustix::io::ioctl_fionbio(&writer, false).unwrap();
        let shown = move || {
            let mut bytes = vec![0; 1 << 20];
            let length = rustix::io::read(&reader, &mut bytes).unwrap_or(0);
            String::from_utf8(bytes[..length].to_vec()).unwrap()
        };
        (Arc::new(Terminal::new(writer)), shown)
    }

    fn start(terminal: &Arc<Terminal>) -> Status {
        let status =
            Status::start(RollCall::default().member(), Arc::clone(terminal), || "the line".to_owned());
        let status = status.unwrap();
        status.show();
        status
    }

    #[test]
    fn line_is_drawn_hidden_shown_again_and_cleared() {
        let (terminal, shown) = terminal();
        let status = start(&terminal);
        status.want(Wanted::Line, LONG);
        assert!(shown().starts_with("\rthe line\x1b[K"));
        status.hide(LONG);
        assert!(shown().ends_with("\r\x1b[K"));
        status.show();
        status.want(Wanted::Line, LONG);
        assert!(shown().starts_with("\rthe line\x1b[K"));
        status.end(LONG);
        assert!(shown().ends_with("\r\x1b[K"));
    }

    #[test]
    fn second_end_does_not_wait_for_the_thread() {
        let (terminal, _shown) = terminal();
        let status = start(&terminal);
        status.end(LONG);
        let begin = Instant::now();
        status.end(LONG);
        assert!(begin.elapsed() < LONG);
    }

    #[test]
    fn stalled_terminal_is_waited_for_no_longer_than_the_limit() {
        let (terminal, shown) = terminal();
        rustix::io::ioctl_fionbio(&terminal.fd, true).unwrap();
        while rustix::io::write(&terminal.fd, &[b'x'; 4096]).is_ok() {}
        rustix::io::ioctl_fionbio(&terminal.fd, false).unwrap();
        let status = start(&terminal);
        status.hide(Duration::from_millis(1));
        status.show();
        status.end(Duration::from_millis(1));
        assert!(!shown().contains("the line"));
        status.end(LONG);
        // It was stuck in the first line, or had not begun with it.
        assert!(["", "\rthe line\x1b[K\r\x1b[K"].contains(&shown().as_str()));
    }

    #[test]
    fn line_that_waited_for_records_is_not_drawn_after_the_end() {
        let (terminal, shown) = terminal();
        let records = terminal.hide();
        let status = start(&terminal);
        status.end(Duration::from_millis(1));
        drop(records);
        status.end(LONG);
        assert_eq!(shown(), "");
    }
}
