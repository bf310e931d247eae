//! The side of the session: it listens, and answers while the session runs. No call here waits for a client.

use std::fmt;
use std::io::{ErrorKind, Read, Write};
use std::mem::size_of;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::epoll::{self, CreateFlags, EventData, EventFlags};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::Mode;
use rustix::io::Errno;
use rustix::time::{Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec};
use tracec_kernel::plan::Span;

use super::protocol::{
    Answer, Difference, Ending, LONGEST_REQUEST, Request, SnapshotTo, State, Status, Unusable, VERSION, line,
    parse,
};
use super::started::{Card, OwnCard, StartError};
use crate::errno::errno_of;

/// The number of clients at a time. Beyond it the one that has said nothing for longest is left.
const MOST: usize = 32;
/// The time that a client gets to take the result, at the end.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a session does for a client. A text is the reason why it cannot.
pub(crate) trait Controlled {
    /// Returns how it is, without what the server knows itself.
    fn status(&mut self) -> Result<Status, String>;
    fn pause(&mut self) -> Result<(), String>;
    fn resume(&mut self) -> Result<(), String>;
    fn mark(&mut self, text: &str) -> Result<(), String>;
    fn clear(&mut self) -> Result<(), String>;
    /// Begins to write what its ring holds. [`Control::answer_snapshot`] is called at the end.
    fn snapshot(&mut self, to: Option<SnapshotTo>) -> Result<(), String>;
    /// Returns what differs from what it has set. The function names a clause.
    fn drift(&mut self, clause: &dyn Fn(Span) -> String) -> Result<Vec<Difference>, String>;
}

/// A cause for the end of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// A client has asked for it.
    Stop,
    /// Nobody has confirmed the session in time.
    Unconfirmed,
}

/// The control of a started session, which holds its name until it has ended.
pub struct Control {
    card: OwnCard,
    listener: UnixListener,
    /// Polls as readable when there is something to do.
    ready: OwnedFd,
    /// Whether the listener is waited for.
    listens: bool,
    /// A descriptor that is given up for a moment when no other is free.
    spare: Option<OwnedFd>,
    confirmation: Option<Confirmation>,
    clients: Vec<Connected>,
    /// Is called once the session is armed; returns whether the session is to go on.
    armed: Option<Box<dyn FnOnce() -> bool>>,
    clause: Box<dyn Fn(Span) -> String>,
    has_ended: bool,
}

/// The wait for somebody who confirms the session.
struct Confirmation {
    timer: OwnedFd,
    wait: Duration,
    /// The end of the wait, once the session is armed.
    until: Option<Instant>,
    is_confirmed: bool,
}

/// A client.
struct Connected {
    stream: UnixStream,
    /// What has come of the next request.
    input: Vec<u8>,
    /// Whether it waits for the end.
    waits: bool,
    /// Whether it waits for a snapshot.
    waits_for_snapshot: bool,
}

/// Whether a client stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stays {
    Yes,
    No,
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control").field("card", &self.card).finish_non_exhaustive()
    }
}

impl Control {
    /// Takes the name of a session, and listens. `armed` is called once the session is armed, and returns whether it is to go
    /// on; `clause` names a clause of its text.
    ///
    /// # Errors
    /// [`StartError`]; nothing is left then.
    pub fn open(
        runtime_dir: &Path,
        card: &Card,
        armed: Box<dyn FnOnce() -> bool>,
        clause: Box<dyn Fn(Span) -> String>,
    ) -> Result<Self, StartError> {
        let card = OwnCard::create(runtime_dir, card)?;
        match listen(&card) {
            Ok((listener, ready)) => Ok(Control {
                card,
                listener,
                spare: spare(&ready),
                ready,
                listens: true,
                confirmation: None,
                clients: Vec::new(),
                armed: Some(armed),
                clause,
                has_ended: false,
            }),
            Err(errno) => {
                let path = card.socket_path();
                // The first error is returned; an error of the removal would hide it.
                let _ = card.remove();
                Err(StartError::Io { path, errno })
            }
        }
    }

    /// Lets the session end unless a client confirms it within a time after it is armed.
    ///
    /// # Errors
    /// A system call fails.
    pub fn confirm_within(&mut self, wait: Duration) -> Result<(), Errno> {
        let flags = TimerfdFlags::CLOEXEC | TimerfdFlags::NONBLOCK;
        let timer = rustix::time::timerfd_create(TimerfdClockId::Monotonic, flags)?;
        epoll::add(&self.ready, &timer, EventData::new_u64(0), EventFlags::IN)?;
        self.confirmation = Some(Confirmation { timer, wait, until: None, is_confirmed: false });
        Ok(())
    }

    /// Returns a descriptor that polls as readable when there is something to do.
    pub(crate) fn ready(&self) -> BorrowedFd<'_> {
        self.ready.as_fd()
    }

    /// Notes that the session is armed. Returns whether it is to go on.
    pub(crate) fn armed(&mut self) -> Result<bool, Errno> {
        if let Some(confirmation) = &mut self.confirmation {
            confirmation.begin()?;
        }
        Ok(self.armed.take().is_none_or(|armed| armed()))
    }

    /// Returns whether the session has been armed.
    pub fn was_armed(&self) -> bool {
        self.armed.is_none()
    }

    /// Answers all that clients have asked. Returns the first cause for an end among it. `session` is `None` once everything
    /// is put back.
    pub(crate) fn serve(&mut self, mut session: Option<&mut (dyn Controlled + '_)>) -> Option<Demand> {
        let mut demand = None;
        self.accept();
        for mut client in std::mem::take(&mut self.clients) {
            let mut stays = client.receive();
            while stays == Stays::Yes
                && let Some(request) = client.next()
            {
                let (answer, asked) = self.answer(request, &mut client, reborrowed(&mut session));
                demand = demand.or(asked);
                stays = client.send(&answer);
            }
            if stays == Stays::Yes && client.input.len() >= LONGEST_REQUEST {
                let why = format!("a request has less than {LONGEST_REQUEST} bytes");
                // It is left in any case.
                let _ = client.send(&Answer::Refused { why });
                stays = Stays::No;
            }
            if stays == Stays::Yes {
                self.clients.push(client);
            }
        }
        demand.or_else(|| {
            let confirmation = self.confirmation.as_mut().filter(|confirmation| confirmation.is_over())?;
            // It wakes once. If it cannot be stopped, it wakes again.
            let _ = confirmation.stop();
            Some(Demand::Unconfirmed)
        })
    }

    fn answer(
        &mut self,
        request: Result<Request, Unusable>,
        client: &mut Connected,
        session: Option<&mut (dyn Controlled + '_)>,
    ) -> (Answer, Option<Demand>) {
        let refused = |why: &str| (Answer::Refused { why: why.to_owned() }, None);
        let request = match request {
            Ok(request) => request,
            Err(Unusable::Version(other)) => {
                return refused(&format!(
                    "the session speaks version {VERSION} of the control protocol, the client version {other}: use the \
                     tracec that has started the session"
                ));
            }
            Err(Unusable::Malformed) => return refused("this is not a request of the control protocol"),
        };
        let Some(session) = session else {
            return match request {
                Request::Stop | Request::Wait => {
                    client.waits = true;
                    (Answer::Done, None)
                }
                Request::Status => (Answer::Status(ENDING), None),
                _ => refused("the session is ending"),
            };
        };
        let done = |result: Result<(), String>| match result {
            Ok(()) => Answer::Done,
            Err(why) => Answer::Refused { why },
        };
        let answer = match request {
            Request::Stop => {
                client.waits = true;
                return (Answer::Done, Some(Demand::Stop));
            }
            Request::Wait => {
                client.waits = true;
                Answer::Done
            }
            Request::Status => match session.status() {
                Ok(status) => Answer::Status(Status { unconfirmed_ms: self.unconfirmed(), ..status }),
                Err(why) => Answer::Refused { why },
            },
            Request::Pause => done(session.pause()),
            Request::Resume => done(session.resume()),
            Request::Mark { text } => done(session.mark(&text)),
            Request::Clear => done(session.clear()),
            Request::Snapshot { to } => {
                let begun = session.snapshot(to);
                client.waits_for_snapshot = begun.is_ok();
                done(begun)
            }
            Request::Confirm => done(self.confirm()),
            Request::Drift => match session.drift(&*self.clause) {
                Ok(differences) => Answer::Drift { differences },
                Err(why) => Answer::Refused { why },
            },
        };
        (answer, None)
    }

    /// Answers the client that waits for a snapshot.
    pub(crate) fn answer_snapshot(&mut self, answer: &Answer) {
        self.clients.retain_mut(|client| {
            let waited = std::mem::take(&mut client.waits_for_snapshot);
            !waited || client.send(answer) == Stays::Yes
        });
    }

    fn confirm(&mut self) -> Result<(), String> {
        match &mut self.confirmation {
            None => Err("it was started without `--confirm-within`, and needs no confirmation".to_owned()),
            Some(confirmation) => confirmation.end().map_err(|errno| errno.to_string()),
        }
    }

    /// Returns the time that is left to confirm the session, in milliseconds.
    fn unconfirmed(&self) -> Option<u64> {
        let until = self.confirmation.as_ref().filter(|wait| !wait.is_confirmed)?.until?;
        u64::try_from(until.saturating_duration_since(Instant::now()).as_millis()).ok()
    }

    fn accept(&mut self) {
        while self.listens {
            match self.listener.accept() {
                Ok((stream, _)) => self.take(stream),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error)
                    if matches!(error.kind(), ErrorKind::Interrupted | ErrorKind::ConnectionAborted) => {}
                Err(_) => {
                    if !self.turn_away() {
                        return;
                    }
                }
            }
        }
    }

    /// Turns a client away for whom no descriptor is free: otherwise it would wake the session again and again. Returns
    /// whether there may be more.
    fn turn_away(&mut self) -> bool {
        self.spare = None;
        let turned_away = self.listener.accept().map(drop);
        self.spare = spare(&self.ready);
        match turned_away {
            Ok(()) => true,
            Err(error) if error.kind() == ErrorKind::WouldBlock => false,
            Err(_) => {
                // Nobody can ask any more. The session goes on, and a signal ends it.
                self.listens = epoll::delete(&self.ready, &self.listener).is_err();
                false
            }
        }
    }

    /// Takes a client, if it may ask.
    fn take(&mut self, stream: UnixStream) {
        let own = rustix::process::geteuid().as_raw();
        let is_allowed = user_of(&stream).is_ok_and(|user| may_ask(user, own));
        if !is_allowed || stream.set_nonblocking(true).is_err() {
            return;
        }
        if self.clients.len() >= MOST {
            match self.clients.iter().position(|client| !client.waits && !client.waits_for_snapshot) {
                Some(oldest) => drop(self.clients.remove(oldest)),
                None => return,
            }
        }
        if epoll::add(&self.ready, &stream, EventData::new_u64(0), EventFlags::IN).is_ok() {
            self.clients.push(Connected {
                stream,
                input: Vec::new(),
                waits: false,
                waits_for_snapshot: false,
            });
        }
    }

    /// Gives the result to the clients that wait for it. If none takes it, `keeps` says whether it stays until somebody asks.
    ///
    /// # Errors
    /// A file of the directory cannot be written or removed.
    pub fn end(mut self, ending: &Ending, keeps: bool) -> Result<(), Errno> {
        self.has_ended = true;
        let mut taken = false;
        // Those that have asked since the last look wait too.
        self.serve(None);
        let answer = line(&Answer::Ended(ending.clone())).map_err(|_| Errno::INVAL)?;
        for client in self.clients.iter_mut().filter(|client| client.waits) {
            let sent = client.stream.set_nonblocking(false);
            let sent = sent.and_then(|()| client.stream.set_write_timeout(Some(PATIENCE)));
            taken |= sent.and_then(|()| client.stream.write_all(&answer)).is_ok();
        }
        if taken || !keeps {
            return self.card.remove();
        }
        self.card.remove_socket()?;
        self.card.keep(ending)
    }
}

impl Drop for Control {
    fn drop(&mut self) {
        if !self.has_ended {
            // The session was not armed, and the reason is on its way to the user; or this is a panic.
            let _ = self.card.remove();
        }
    }
}

/// What a session says once everything is put back.
const ENDING: Status = Status {
    state: State::Ending,
    age_ms: 0,
    recorded_ms: 0,
    records: 0,
    lost: 0,
    fill_percent: None,
    overwritten: None,
    covered_ms: None,
    unconfirmed_ms: None,
};

impl Confirmation {
    fn begin(&mut self) -> Result<(), Errno> {
        self.until = Some(Instant::now() + self.wait);
        // Zero would stop the timer, but it should expire at once.
        let wait = self.wait.max(Duration::from_nanos(1));
        self.set(Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: i64::MAX, tv_nsec: 0 }))
    }

    fn end(&mut self) -> Result<(), Errno> {
        self.stop()?;
        self.is_confirmed = true;
        Ok(())
    }

    fn stop(&self) -> Result<(), Errno> {
        self.set(Timespec { tv_sec: 0, tv_nsec: 0 })
    }

    fn set(&self, it_value: Timespec) -> Result<(), Errno> {
        let new = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value };
        rustix::time::timerfd_settime(&self.timer, TimerfdTimerFlags::empty(), &new).map(|_| ())
    }

    fn is_over(&self) -> bool {
        !self.is_confirmed && self.until.is_some_and(|until| until <= Instant::now())
    }
}

impl Connected {
    /// Takes what has come.
    fn receive(&mut self) -> Stays {
        let mut chunk = [0; 4096];
        while self.input.len() < LONGEST_REQUEST {
            match self.stream.read(&mut chunk) {
                // What was asked before the end is answered by the next call, if anybody still reads.
                Ok(0) => return Stays::No,
                Ok(length) => self.input.extend_from_slice(chunk.get(..length).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return Stays::No,
            }
        }
        Stays::Yes
    }

    /// Returns the next request, if it is complete.
    fn next(&mut self) -> Option<Result<Request, Unusable>> {
        let end = self.input.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.input.drain(..=end).collect();
        Some(parse(&line))
    }

    /// Sends an answer. A client that takes none is left: its answers have room in the socket.
    fn send(&mut self, answer: &Answer) -> Stays {
        let sent = line(answer).map_err(std::io::Error::other).and_then(|line| self.stream.write_all(&line));
        if sent.is_ok() { Stays::Yes } else { Stays::No }
    }
}

fn reborrowed<'s>(
    session: &'s mut Option<&mut (dyn Controlled + '_)>,
) -> Option<&'s mut (dyn Controlled + 's)> {
    match session {
        Some(session) => Some(&mut **session),
        None => None,
    }
}

/// Returns whether a user may control the sessions of another.
fn may_ask(user: u32, own: u32) -> bool {
    user == own || user == 0
}

/// Returns the user of the process at the other end.
fn user_of(stream: &UnixStream) -> Result<u32, Errno> {
    let mut of = libc::ucred { pid: 0, uid: u32::MAX, gid: u32::MAX };
    let mut length = u32::try_from(size_of::<libc::ucred>()).map_err(|_| Errno::INVAL)?;
    // SAFETY: the kernel writes a `ucred` of the size given; both live across the call.
    let result = unsafe {
        libc::getsockopt(
            stream.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut of).cast(),
            &raw mut length,
        )
    };
    if result == 0 { Ok(of.uid) } else { Err(errno_of(&std::io::Error::last_os_error())) }
}

/// Returns another descriptor of the same file, if one is free.
fn spare(of: &OwnedFd) -> Option<OwnedFd> {
    rustix::io::fcntl_dupfd_cloexec(of, 3).ok()
}

/// Listens at the socket of a card, which only its user can connect to.
fn listen(card: &OwnCard) -> Result<(UnixListener, OwnedFd), Errno> {
    let listener = UnixListener::bind(card.socket_address()).map_err(|error| errno_of(&error))?;
    // Until then nobody else reaches it: the directory is its user's alone.
    rustix::fs::chmod(card.socket_address(), Mode::RUSR | Mode::WUSR)?;
    listener.set_nonblocking(true).map_err(|error| errno_of(&error))?;
    let ready = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(&ready, &listener, EventData::new_u64(0), EventFlags::IN)?;
    Ok((listener, ready))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{FileTypeExt, PermissionsExt};

    use super::*;

    /// A session that notes what it is asked.
    #[derive(Default)]
    struct Noted(Vec<String>);

    impl Controlled for Noted {
        fn status(&mut self) -> Result<Status, String> {
            Ok(Status { state: State::Running, records: 7, ..ENDING })
        }
        fn pause(&mut self) -> Result<(), String> {
            self.0.push("pause".to_owned());
            Ok(())
        }
        fn resume(&mut self) -> Result<(), String> {
            Err("it is not paused".to_owned())
        }
        fn mark(&mut self, text: &str) -> Result<(), String> {
            self.0.push(text.to_owned());
            Ok(())
        }
        fn clear(&mut self) -> Result<(), String> {
            Ok(())
        }
        fn snapshot(&mut self, _: Option<SnapshotTo>) -> Result<(), String> {
            Ok(())
        }
        fn drift(&mut self, clause: &dyn Fn(Span) -> String) -> Result<Vec<Difference>, String> {
            let (file, was, is) = ("f".to_owned(), "1".to_owned(), "0".to_owned());
            Ok(vec![Difference { clause: clause(Span::new(1, 2)), file, was, is }])
        }
    }

    fn control() -> (tempfile::TempDir, Control) {
        let parent = tempfile::tempdir().unwrap();
        let output = Some("/tmp/x.txt".into());
        let card = Card {
            version: VERSION,
            name: "a".to_owned(),
            pid: 7,
            instance: None,
            output,
            is_ring: false,
            is_rotated: false,
        };
        let clause = Box::new(|span: Span| span.start.to_string());
        let control = Control::open(&parent.path().join("run"), &card, Box::new(|| true), clause).unwrap();
        (parent, control)
    }

    fn client(control: &Control) -> UnixStream {
        UnixStream::connect(control.card.socket_address()).unwrap()
    }

    fn ask(control: &mut Control, stream: &mut UnixStream, text: &[u8]) -> (String, Option<Demand>) {
        stream.write_all(text).unwrap();
        let demand = control.serve(Some(&mut Noted::default()));
        (read(stream), demand)
    }

    fn read(stream: &mut UnixStream) -> String {
        stream.set_nonblocking(true).unwrap();
        let mut text = String::new();
        // The end, or nothing more for now: what has come is in the text.
        let _ = stream.read_to_string(&mut text);
        stream.set_nonblocking(false).unwrap();
        text
    }

    #[test]
    fn socket_is_for_its_user_alone() {
        let (_parent, control) = control();
        let metadata = std::fs::metadata(control.card.socket_path()).unwrap();
        assert!(metadata.file_type().is_socket());
        assert_eq!(metadata.permissions().mode() & 0o777, 0o600);
        let directory = control.card.socket_path().parent().unwrap().to_owned();
        assert_eq!(std::fs::metadata(directory).unwrap().permissions().mode() & 0o777, 0o700);
        assert!(may_ask(0, 5) && may_ask(5, 5) && !may_ask(6, 5) && !may_ask(6, 0));
        assert_eq!(user_of(&client(&control)), Ok(rustix::process::geteuid().as_raw()));
    }

    #[test]
    fn requests_are_answered_one_line_each() {
        let (_parent, mut control) = control();
        let mut stream = client(&control);
        let two = br#"{"version":1,"body":{"request":"status"}}
{"version":1,"body":{"request":"resume"}}
{"version":1,"#;
        let (answers, demand) = ask(&mut control, &mut stream, two);
        assert_eq!((answers.lines().count(), demand), (2, None), "{answers}");
        assert!(answers.contains(r#""records":7"#) && answers.contains("it is not paused"), "{answers}");
        let (answer, _) = ask(&mut control, &mut stream, b"\"body\":{\"request\":\"drift\"}}\n");
        assert!(answer.contains(r#""clause":"1","file":"f","was":"1","is":"0""#), "{answer}");
        let (answer, demand) =
            ask(&mut control, &mut stream, b"{\"version\":1,\"body\":{\"request\":\"stop\"}}\n");
        assert!(answer.contains("done"), "{answer}");
        assert_eq!(demand, Some(Demand::Stop));
        let directory = control.card.socket_path().parent().unwrap().to_owned();
        control.end(&Ending { text: "x\n".to_owned(), status: 3 }, true).unwrap();
        assert_eq!(
            read(&mut stream),
            "{\"version\":1,\"body\":{\"answer\":\"ended\",\"text\":\"x\\n\",\"status\":3}}\n"
        );
        assert!(!directory.exists());
    }

    #[test]
    fn client_of_another_version_and_bad_lines_are_answered() {
        let (_parent, mut control) = control();
        let mut stream = client(&control);
        let (answer, _) = ask(&mut control, &mut stream, b"{\"version\":2,\"body\":\"?\"}\n");
        assert!(
            answer.contains("speaks version 1 of the control protocol, the client version 2"),
            "{answer}"
        );
        let (answer, _) = ask(&mut control, &mut stream, b"fly\n");
        assert!(answer.contains("not a request of the control protocol"), "{answer}");
        let (answer, _) = ask(&mut control, &mut stream, &vec![b'x'; LONGEST_REQUEST]);
        assert!(answer.contains("a request has less than"), "{answer}");
        assert_eq!(control.clients.len(), 0);
    }

    #[test]
    fn clients_that_say_nothing_or_go_away_make_room() {
        let (_parent, mut control) = control();
        let silent: Vec<UnixStream> = (0..MOST)
            .map(|_| {
                let stream = client(&control);
                control.serve(Some(&mut Noted::default()));
                stream
            })
            .collect();
        let mut stream = client(&control);
        let (answer, _) =
            ask(&mut control, &mut stream, b"{\"version\":1,\"body\":{\"request\":\"status\"}}\n");
        assert!(answer.contains("running"), "{answer}");
        drop((silent, stream));
        assert_eq!(control.serve(Some(&mut Noted::default())), None);
        assert_eq!(control.clients.len(), 0);
    }

    #[test]
    fn client_that_reads_nothing_is_left() {
        let (_parent, mut control) = control();
        let mut stream = client(&control);
        let request = b"{\"version\":1,\"body\":{\"request\":\"status\"}}\n";
        let mut asked = 0;
        while asked < 100_000 && (asked == 0 || !control.clients.is_empty()) {
            if stream.write_all(request).is_err() {
                break;
            }
            control.serve(Some(&mut Noted::default()));
            asked += 1;
        }
        assert!(asked < 100_000 && control.clients.is_empty(), "{asked}");
    }

    #[test]
    fn session_that_nobody_confirms_ends() {
        let (_parent, mut control) = control();
        control.confirm_within(Duration::ZERO).unwrap();
        assert_eq!(control.serve(Some(&mut Noted::default())), None, "it is not armed yet");
        assert_eq!(control.armed(), Ok(true));
        assert_eq!(control.serve(Some(&mut Noted::default())), Some(Demand::Unconfirmed));
        let mut stream = client(&control);
        control.confirm_within(Duration::from_secs(1000)).unwrap();
        assert_eq!(control.armed(), Ok(true));
        let request = b"{\"version\":1,\"body\":{\"request\":\"confirm\"}}\n";
        assert_eq!(ask(&mut control, &mut stream, request).1, None);
        assert!(control.confirmation.as_ref().is_some_and(|confirmation| confirmation.is_confirmed));
    }

    #[test]
    fn result_that_nobody_waits_for_is_kept() {
        let (parent, control) = control();
        let ending = Ending { text: "x".to_owned(), status: 1 };
        control.end(&ending, true).unwrap();
        let run = parent.path().join("run");
        assert_eq!(super::super::started::take_result(&run, "a"), Ok(Some(ending)));
        assert!(!run.join("started").exists());
    }
}
