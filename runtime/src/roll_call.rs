//! Lets threads say who they are before they do anything else.

use std::fmt;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use rustix::fd::OwnedFd;
use rustix::io::Errno;

/// Threads that write a marker when they are asked to.
#[derive(Debug, Default)]
pub(crate) struct RollCall(Arc<Shared>);

/// The part of a [`RollCall`] for one thread. If it is dropped, the thread is not waited for.
#[derive(Debug)]
pub(crate) struct Member {
    shared: Arc<Shared>,
    has_answered: bool,
}

#[derive(Default)]
struct Shared {
    /// What a thread does first.
    prepare: Option<Box<dyn Fn() -> Result<(), Errno> + Send + Sync>>,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    members: usize,
    /// The number of members that have prepared themselves.
    prepared: usize,
    /// The first error of one that could not.
    failed: Option<Errno>,
    call: Call,
    /// The results of the members that have answered.
    answers: Vec<Result<(), Errno>>,
}

#[derive(Debug, Default)]
enum Call {
    #[default]
    None,
    /// Each member is to write this marker to this file.
    Made(Arc<(OwnedFd, String)>),
    /// Nobody will call.
    Dropped,
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("state", &self.state).finish_non_exhaustive()
    }
}

impl RollCall {
    /// Returns one without members; each of its threads begins with `prepare`.
    pub(crate) fn new(prepare: impl Fn() -> Result<(), Errno> + Send + Sync + 'static) -> Self {
        RollCall(Arc::new(Shared { prepare: Some(Box::new(prepare)), ..Shared::default() }))
    }

    /// Waits until all members have prepared themselves.
    pub(crate) fn until_prepared(&self) -> Result<(), Errno> {
        self.0.once(|state| state.prepared >= state.members).failed.map_or(Ok(()), Err)
    }

    /// Adds a thread.
    pub(crate) fn member(&self) -> Member {
        self.0.lock().members += 1;
        Member { shared: Arc::clone(&self.0), has_answered: false }
    }

    /// Returns the number of the threads, with the calling one.
    pub(crate) fn threads(&self) -> usize {
        self.0.lock().members + 1
    }

    /// Returns what the calling thread writes: the marker, and a mark of its own.
    pub(crate) fn of_caller(marker: &str) -> String {
        format!("{marker} caller")
    }

    /// Lets all members and the calling thread write a marker to a file, and waits for them.
    pub(crate) fn call(&self, file: OwnedFd, marker: String) -> Result<(), Errno> {
        let call = Arc::new((file, marker));
        self.0.lock().call = Call::Made(Arc::clone(&call));
        self.0.changed.notify_all();
        let own = write(&call.0, &RollCall::of_caller(&call.1));
        let mut state = self.0.once(|state| state.answers.len() >= state.members);
        // The file is closed: an instance with an open file cannot be removed.
        state.call = Call::Dropped;
        state.answers.drain(..).chain([own]).collect()
    }
}

impl Drop for RollCall {
    fn drop(&mut self) {
        self.0.lock().call = Call::Dropped;
        self.0.changed.notify_all();
    }
}

impl Member {
    /// Prepares the calling thread, waits for the call and answers it.
    pub(crate) fn answer(mut self) {
        let prepared = self.shared.prepare.as_ref().map_or(Ok(()), |prepare| prepare());
        let mut state = self.shared.lock();
        state.prepared += 1;
        state.failed = state.failed.or(prepared.err());
        drop(state);
        self.shared.changed.notify_all();
        let state = self.shared.once(|state| !matches!(state.call, Call::None));
        let Call::Made(call) = &state.call else { return drop(state) };
        let call = Arc::clone(call);
        drop(state);
        let answer = write(&call.0, &call.1);
        self.has_answered = true;
        // The caller relies on it that the file is closed then.
        drop(call);
        self.shared.lock().answers.push(answer);
        self.shared.changed.notify_all();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        if !self.has_answered {
            let mut state = self.shared.lock();
            state.members = state.members.saturating_sub(1);
            // It may have prepared itself, and others may not.
            state.prepared = state.prepared.min(state.members);
            self.shared.changed.notify_all();
        }
    }
}

fn write(file: &OwnedFd, text: &str) -> Result<(), Errno> {
    rustix::io::retry_on_intr(|| rustix::io::write(file, text.as_bytes())).map(drop)
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the state once it is as wanted.
    fn once(&self, is_wanted: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waits = |state: &mut State| !is_wanted(state);
        self.changed.wait_while(self.lock(), waits).unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use rustix::pipe::pipe;

    use super::*;

    #[test]
    fn each_member_writes_the_marker_once() {
        let roll_call = RollCall::default();
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let member = roll_call.member();
                std::thread::spawn(move || member.answer())
            })
            .collect();
        let (reader, writer) = pipe().unwrap();
        roll_call.call(writer, "mark".to_owned()).unwrap();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        drop(roll_call);
        let mut bytes = [0; 64];
        let length = rustix::io::read(&reader, &mut bytes).unwrap();
        let written = String::from_utf8_lossy(&bytes[..length]).into_owned();
        let caller = RollCall::of_caller("mark");
        assert_eq!((written.matches("mark").count(), written.matches(&caller).count()), (4, 1), "{written}");
        assert_eq!(written.len(), 3 * "mark".len() + caller.len());
    }

    #[test]
    fn member_that_is_not_called_goes_on() {
        let roll_call = RollCall::default();
        let member = roll_call.member();
        let thread = std::thread::spawn(move || member.answer());
        drop(roll_call);
        thread.join().unwrap();
    }

    #[test]
    fn member_whose_thread_was_not_started_is_not_waited_for() {
        let roll_call = RollCall::default();
        drop(roll_call.member());
        let (_reader, writer) = pipe().unwrap();
        roll_call.call(writer, "mark".to_owned()).unwrap();
    }

    #[test]
    fn each_member_prepares_itself_first() {
        let (reader, writer) = pipe().unwrap();
        let roll_call = RollCall::new(move || rustix::io::write(&writer, b"p").map(drop));
        let threads: Vec<_> = (0..3)
            .map(|_| {
                let member = roll_call.member();
                std::thread::spawn(move || member.answer())
            })
            .collect();
        roll_call.until_prepared().unwrap();
        let mut bytes = [0; 64];
        assert_eq!(rustix::io::read(&reader, &mut bytes), Ok(3));
        drop(roll_call);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    }

    #[test]
    fn member_that_cannot_prepare_itself_is_reported() {
        let roll_call = RollCall::new(|| Err(Errno::PERM));
        let member = roll_call.member();
        let thread = std::thread::spawn(move || member.answer());
        assert_eq!(roll_call.until_prepared(), Err(Errno::PERM));
        drop(roll_call);
        thread.join().unwrap();
    }

    #[test]
    fn failure_of_a_member_is_returned() {
        let roll_call = RollCall::default();
        let member = roll_call.member();
        let thread = std::thread::spawn(move || member.answer());
        let (reader, _writer) = pipe().unwrap();
        assert_eq!(roll_call.call(reader, "mark".to_owned()), Err(Errno::BADF));
        thread.join().unwrap();
    }
}
