//! The thread that renders and writes the records of a live session.
//!
//! Draining precedes rendering: the thread that reads the rings hands raw pages over and does nothing that depends on
//! the reader of the output. This thread may wait in `write(2)` for as long as a terminal is stopped (`^S`) or a pipe
//! is full; the session ends without it. A thread that never returns is left behind when the process exits.

use std::any::Any;
use std::collections::VecDeque;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::io::Errno;

use super::host::Dropped;
use super::pass::Pass;
use super::pipeline::Counts;
use super::recorder::RingEnd;
use super::stages::{RenderError, Stages};
use crate::roll_call::Member;
use crate::sink::progress::Progress;
use crate::sink::rotation::FileCounts;
use crate::sink::status::{self, Counted, Status, Terminal};

/// How many passes are rendered together while more come: to wake the thread for each costs as much as many records.
const TOGETHER: u32 = 4;

/// How many passes are kept for their memory once they are rendered.
const SPARE: usize = 2;

/// What has been done so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) counts: Counts,
    /// Records that the host's conditions have dropped; `None` if there are none.
    pub(crate) dropped: Option<u64>,
    /// The files of an output that is rotated.
    pub(crate) files: Option<FileCounts>,
    /// Records that the sink has taken and flushed.
    pub(crate) written: u64,
    /// Records of the rings that are done with: written, dropped, or without a layout. Those of a pass that the sink
    /// has not taken as a whole are not among them.
    done: u64,
}

/// The thread, its queue and its counts.
#[derive(Debug)]
pub(crate) struct Renderer {
    shared: Arc<Shared>,
    /// `None` once it was joined.
    thread: Option<JoinHandle<Result<(), RenderError>>>,
    progress: Arc<Progress>,
    /// Records that were handed over.
    given: u64,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<Queue>,
    /// Something was added to the queue.
    arrived: Condvar,
    /// Polls as readable when a full queue has room again, and when the thread has ended.
    wake: OwnedFd,
    rendered: Mutex<Rendered>,
    /// The size in bytes from which on the queue is full.
    limit: usize,
    /// The time at which the session began to record.
    begun: OnceLock<Instant>,
    has_ended: AtomicBool,
}

#[derive(Default)]
struct Queue {
    /// The stages that the passes go through, until the thread takes them.
    stages: Option<Stages>,
    passes: VecDeque<Pass>,
    bytes: usize,
    /// The number of passes that the thread was not woken for.
    unheard: u32,
    /// Passes that were rendered, empty.
    spare: Vec<Pass>,
    /// Whether the thread that fills the queue waits for room.
    is_awaited: bool,
    last: Option<Last>,
}

/// The end of the queue.
#[derive(Debug)]
enum Last {
    /// Every record is to be written, and what the rings say of themselves.
    Finish(RingEnd),
    /// Nothing more is to be written.
    Abandon,
}

impl fmt::Debug for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queue").field("passes", &self.passes.len()).finish_non_exhaustive()
    }
}

impl Renderer {
    /// Starts the thread, with a queue that is full from `limit` bytes on. It answers as `member`, and waits for
    /// [`begin`](Renderer::begin). It holds back the status line of `terminal` while it writes. `progress` is that of
    /// the sink.
    pub(crate) fn spawn(
        member: Member,
        terminal: Option<Arc<Terminal>>,
        progress: Arc<Progress>,
        limit: usize,
    ) -> io::Result<Renderer> {
        let shared = Arc::new(Shared {
            queue: Mutex::default(),
            arrived: Condvar::new(),
            wake: eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?,
            rendered: Mutex::default(),
            limit,
            begun: OnceLock::new(),
            has_ended: AtomicBool::new(false),
        });
        let of_thread = Arc::clone(&shared);
        let thread = thread::Builder::new().name("tracec-render".to_owned()).spawn(move || {
            // Also where a sink panics.
            let _ended = Ended(Arc::clone(&of_thread));
            member.answer();
            match of_thread.stages() {
                Some(stages) => render(&of_thread, stages, terminal.as_deref()),
                None => Ok(()),
            }
        })?;
        Ok(Renderer { shared, thread: Some(thread), progress, given: 0 })
    }

    /// Gives the thread the stages that the passes go through.
    pub(crate) fn begin(&self, stages: Stages) {
        self.shared.begun.get_or_init(Instant::now);
        lock(&self.shared.queue).stages = Some(stages);
        self.shared.arrived.notify_one();
    }

    /// Returns a descriptor that polls as readable when a queue that had no room has some, or the thread has ended.
    pub(crate) fn wake(&self) -> BorrowedFd<'_> {
        self.shared.wake.as_fd()
    }

    /// Takes note of a wake-up.
    pub(crate) fn heard(&self) {
        // It is not blocking, and may have been heard before.
        let _ = rustix::io::read(&self.shared.wake, &mut [0; 8]);
    }

    /// Returns whether the queue takes another pass now; if not, there is a wake-up once it does.
    pub(crate) fn has_room(&self) -> bool {
        let mut queue = lock(&self.shared.queue);
        queue.is_awaited = queue.bytes >= self.shared.limit;
        !queue.is_awaited
    }

    /// Waits until the queue takes another pass or the thread has ended, but not past a time. A wake-up for the end stays.
    pub(crate) fn wait_for_room(&self, until: Instant) {
        while !self.has_ended() && !self.has_room() {
            let left = Timespec::try_from(until.saturating_duration_since(Instant::now()));
            let mut fds = [PollFd::new(&self.shared.wake, PollFlags::IN)];
            match left.map(|left| poll(&mut fds, Some(&left))) {
                Ok(Ok(1..) | Err(Errno::INTR)) => self.heard(),
                _ => return,
            }
        }
        if self.has_ended() {
            self.shared.wake();
        }
    }

    /// Returns an empty pass, with the memory of one that was rendered.
    pub(crate) fn spare(&self) -> Pass {
        lock(&self.shared.queue).spare.pop().unwrap_or_default()
    }

    /// Hands a pass over, whether there is room or not. Another one has to follow, or the end: the thread is woken for
    /// some of them together, and for one that is empty.
    pub(crate) fn push(&mut self, pass: Pass) {
        self.given += pass.records();
        let mut queue = lock(&self.shared.queue);
        queue.bytes += pass.bytes();
        queue.unheard += 1;
        let wakes = pass.is_empty() || queue.unheard >= TOGETHER || queue.bytes >= self.shared.limit;
        queue.passes.push_back(pass);
        if wakes {
            queue.unheard = 0;
            drop(queue);
            self.shared.arrived.notify_one();
        }
    }

    /// Ends the queue: the thread writes the rest and ends. `end` is what the rings say of themselves.
    pub(crate) fn finish(&self, end: RingEnd) {
        self.end(Last::Finish(end));
    }

    /// Ends the thread as soon as it returns from its sink, which gets nothing more.
    pub(crate) fn abandon(&self) {
        self.progress.leave();
        self.end(Last::Abandon);
    }

    fn end(&self, last: Last) {
        lock(&self.shared.queue).last = Some(last);
        self.shared.arrived.notify_one();
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.shared.has_ended.load(Ordering::Acquire)
    }

    /// Returns the number of the sink's steps so far.
    pub(crate) fn steps(&self) -> u64 {
        self.progress.steps()
    }

    /// Returns what has been done so far, without waiting for the thread.
    pub(crate) fn rendered(&self) -> Rendered {
        lock(&self.shared.rendered).clone()
    }

    /// Returns the number of records that were handed over and are not done with.
    pub(crate) fn unwritten(&self) -> u64 {
        self.given.saturating_sub(self.rendered().done)
    }

    /// Returns the result of a thread that has ended, or the value that its sink panicked with.
    pub(crate) fn join(mut self) -> Result<Result<(), RenderError>, Box<dyn Any + Send>> {
        self.thread.take().map_or(Ok(Ok(())), JoinHandle::join)
    }

    /// Starts the thread of the session's status line, which answers as `member`. The line is not shown yet; it counts
    /// what has been rendered and the dumps, and says whether the kernel does not record, or keeps the newest records.
    pub(crate) fn status(
        &self,
        member: Member,
        (session, is_ring, dumps): (&str, bool, Arc<AtomicU64>),
        terminal: &Arc<Terminal>,
        is_off: impl Fn() -> bool + Send + 'static,
    ) -> io::Result<Status> {
        let shared = Arc::clone(&self.shared);
        let name: String = session.chars().filter(|c| !c.is_control()).collect();
        Status::start(member, Arc::clone(terminal), move || {
            let Rendered { counts, dropped, .. } = lock(&shared.rendered).clone();
            let elapsed = shared.begun.get().map(Instant::elapsed).unwrap_or_default();
            let (records, lost) = (counts.records, counts.lost());
            let dumps = dumps.load(Ordering::Relaxed);
            status::line(&name, elapsed, Counted { records, dropped, lost, is_off: is_off(), is_ring, dumps })
        })
    }
}

impl Drop for Renderer {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Wakes the session when the thread ends.
struct Ended(Arc<Shared>);

impl Drop for Ended {
    fn drop(&mut self) {
        self.0.has_ended.store(true, Ordering::Release);
        self.0.wake();
    }
}

impl Shared {
    fn wake(&self) {
        // The counter of an eventfd is far from full.
        let _ = rustix::io::write(&self.wake, &1_u64.to_ne_bytes());
    }

    /// Waits for the stages; `None` if there is nothing to render.
    fn stages(&self) -> Option<Stages> {
        self.once(|queue| queue.stages.is_some()).stages.take()
    }

    /// Waits for the next pass; after the last one, or once nothing more is to be written, for the end. Keeps the memory of
    /// one that is done. Also returns whether another pass waits.
    fn next(&self, done: Option<Pass>) -> Result<(Pass, bool), Option<Last>> {
        if let Some(done) = done.map(Pass::emptied) {
            let mut queue = lock(&self.queue);
            if queue.spare.len() < SPARE {
                queue.spare.push(done);
            }
        }
        let mut queue = self.once(|queue| !queue.passes.is_empty());
        if matches!(queue.last, Some(Last::Abandon)) {
            return Err(queue.last.take());
        }
        let pass = queue.passes.pop_front().ok_or_else(|| queue.last.take())?;
        queue.bytes = queue.bytes.saturating_sub(pass.bytes());
        if queue.is_awaited && queue.bytes < self.limit {
            queue.is_awaited = false;
            self.wake();
        }
        Ok((pass, !queue.passes.is_empty()))
    }

    /// Locks the queue once it is ready or has its end.
    fn once(&self, is_ready: impl Fn(&Queue) -> bool) -> MutexGuard<'_, Queue> {
        let waits = |queue: &mut Queue| queue.last.is_none() && !is_ready(queue);
        self.arrived.wait_while(lock(&self.queue), waits).unwrap_or_else(PoisonError::into_inner)
    }
}

fn render(shared: &Shared, mut stages: Stages, terminal: Option<&Terminal>) -> Result<(), RenderError> {
    stages.begin()?;
    let (mut done, mut together) = (None, 0);
    loop {
        let result = match shared.next(done.take()) {
            Err(None | Some(Last::Abandon)) => return Ok(()),
            Err(Some(Last::Finish(end))) => {
                let _hidden = terminal.map(Terminal::hide);
                let finished = stages.finish(&end);
                if finished.is_err() {
                    stages.keep();
                }
                publish(shared, &stages, finished.is_ok());
                return finished;
            }
            Ok((pass, is_followed)) => {
                // Also where another one always waits, what is written is shown some time.
                together = if is_followed && together + 1 < TOGETHER { together + 1 } else { 0 };
                let taken = stages.take(&pass);
                let _hidden = terminal.map(Terminal::hide);
                let written = taken.and_then(|()| stages.write(&pass, together > 0));
                done = Some(pass);
                written
            }
        };
        if result.is_err() {
            stages.keep();
        }
        publish(shared, &stages, result.is_ok());
        result?;
    }
}

fn publish(shared: &Shared, stages: &Stages, is_flushed: bool) {
    let dropped = stages.filter.dropped();
    let mut rendered = lock(&shared.rendered);
    rendered.counts = stages.counts().clone();
    rendered.dropped = dropped.map(Dropped::records);
    rendered.files = stages.files();
    if is_flushed {
        let dropped = dropped.map_or(0, |dropped| dropped.all);
        rendered.written = rendered.counts.records.min(rendered.counts.released);
        rendered.done = rendered.counts.released + dropped + stages.filter.outside();
    }
}

/// Locks a mutex whose value is whole even where another thread has panicked.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use tracec_kernel::format::EventFormat;
    use tracec_kernel::page::PageLayout;
    use tracec_kernel::record::Decoder;

    use super::super::environment::Kernel;
    use super::super::host::HostFilter;
    use super::super::merge::Merge;
    use super::super::names::Names;
    use super::super::pipeline::Pipeline;
    use super::super::stages::LastStages;
    use super::super::testing::{LAYOUT, page};
    use super::*;
    use crate::roll_call::RollCall;
    use crate::sink::progress::Watched;
    use crate::sink::{Event, Sink, SinkError};

    /// The format of the records of [`page`].
    const FORMAT: &str = "name: sample\nID: 0\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\
        \tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n\
        \tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n\
        \tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n\
        print fmt: \"\"\n";

    /// The time limit of a wait.
    const LONG: Duration = Duration::from_secs(60);

    fn layout() -> PageLayout {
        PageLayout::parse(LAYOUT).unwrap()
    }

    /// Starts a renderer of one CPU's records, whose queue is full with one page.
    fn start(sink: impl Sink + 'static) -> Renderer {
        let progress = Arc::<Progress>::default();
        let sink = Box::new(Watched { sink: Box::new(sink), progress: Arc::clone(&progress) });
        let formats = vec![EventFormat::parse("test", FORMAT).unwrap()];
        let names = Names::recorded(b"");
        let kernel = Kernel::recorded(Box::leak(Box::default()), [b"", b""], None, true);
        let pipeline = Pipeline::new(Decoder::new(formats), names, kernel, sink);
        let roll_call = RollCall::default();
        let renderer = Renderer::spawn(roll_call.member(), None, progress, 1).unwrap();
        let last = LastStages::Records { merge: Merge::new([0]), pipeline: Box::new(pipeline) };
        let (clock, filter) = ("mono".to_owned(), HostFilter::default());
        renderer.begin(Stages { layout: layout(), clock, cpus: 1, filter, last, files: None });
        renderer
    }

    /// A sink that says that it has a record, and then waits until the gate is opened or dropped.
    fn blocking() -> (impl Sink + 'static, Receiver<u64>, Sender<()>) {
        let ((say, said), (gate, opened)) = (channel(), channel());
        let sink = move |event: &Event<'_>| {
            say.send(event.timestamp).unwrap();
            let _ = opened.recv();
            Ok(())
        };
        (sink, said, gate)
    }

    fn pass(times: &[u64]) -> Pass {
        let mut pass = Pass::default();
        pass.add(0, 0, &page(times, None), &layout()).unwrap();
        pass.end_lane(true);
        pass
    }

    fn is_woken(renderer: &Renderer, limit: Duration) -> bool {
        let wake = renderer.wake();
        let mut fds = [PollFd::new(&wake, PollFlags::IN)];
        poll(&mut fds, Some(&Timespec::try_from(limit).unwrap())).unwrap() == 1
    }

    /// Waits for the end of the thread, passing over wake-ups for room.
    fn wait(renderer: &Renderer) {
        while !renderer.has_ended() {
            assert!(is_woken(renderer, LONG), "it does not end");
            renderer.heard();
        }
    }

    #[test]
    fn all_records_are_written_by_the_end() {
        let (say, said) = channel();
        let mut renderer = start(move |event: &Event<'_>| {
            say.send(event.timestamp).unwrap();
            Ok(())
        });
        [[10, 20], [30, 40]].iter().for_each(|times| renderer.push(pass(times)));
        renderer.finish(RingEnd::default());
        wait(&renderer);
        assert_eq!((renderer.rendered().counts.records, renderer.unwritten()), (4, 0));
        assert!(matches!(renderer.join(), Ok(Ok(()))));
        assert_eq!(said.iter().collect::<Vec<_>>(), [10, 20, 30, 40]);
    }

    #[test]
    fn sink_that_blocks_is_left_with_what_it_has_not_written() {
        let (sink, said, gate) = blocking();
        let mut renderer = start(sink);
        // A pass holds back the records that a later one may precede.
        renderer.push(pass(&[10, 20]));
        renderer.push(pass(&[30]));
        assert_eq!(said.recv_timeout(LONG), Ok(10));
        assert_eq!(renderer.unwritten(), 3);
        renderer.finish(RingEnd::default());
        renderer.abandon();
        assert!(!renderer.has_ended() && !is_woken(&renderer, Duration::ZERO));
        drop(gate);
        wait(&renderer);
        assert!(matches!(renderer.join(), Ok(Err(RenderError::Sink(SinkError::Closed)))));
        assert!(said.recv().is_err(), "it got another record after it was left");
    }

    #[test]
    fn full_queue_wakes_once_it_has_room() {
        let (sink, said, gate) = blocking();
        let mut renderer = start(sink);
        assert!(renderer.has_room());
        renderer.push(pass(&[10]));
        renderer.push(pass(&[20]));
        assert_eq!(said.recv_timeout(LONG), Ok(10));
        assert!(renderer.has_room(), "it has taken both passes");
        renderer.push(pass(&[30]));
        assert!(!renderer.has_room());
        assert!(!is_woken(&renderer, Duration::ZERO));
        gate.send(()).unwrap();
        assert!(is_woken(&renderer, LONG));
        renderer.heard();
        assert!(!is_woken(&renderer, Duration::ZERO) && !renderer.has_ended());
        assert!(renderer.has_room());
        drop(gate);
        renderer.finish(RingEnd::default());
        wait(&renderer);
        assert_eq!(renderer.unwritten(), 0);
        assert!(matches!(renderer.join(), Ok(Ok(()))));
    }

    #[test]
    fn wait_for_room_ends_with_room_with_its_time_and_with_the_thread() {
        let (sink, said, gate) = blocking();
        let mut renderer = start(sink);
        [10, 20].iter().for_each(|time| renderer.push(pass(&[*time])));
        assert_eq!(said.recv_timeout(LONG), Ok(10));
        renderer.push(pass(&[30]));
        let begin = Instant::now();
        renderer.wait_for_room(begin + Duration::from_millis(20));
        assert!(begin.elapsed() >= Duration::from_millis(20) && !renderer.has_room(), "it is blocked");
        gate.send(()).unwrap();
        renderer.wait_for_room(Instant::now() + LONG);
        assert!(renderer.has_room());
        renderer.push(pass(&[40]));
        renderer.abandon();
        drop(gate);
        renderer.wait_for_room(Instant::now() + LONG);
        wait(&renderer);
        renderer.wait_for_room(Instant::now() + LONG);
        assert!(is_woken(&renderer, Duration::ZERO), "the session has to hear of the end");
    }

    #[test]
    fn panic_of_a_sink_ends_the_thread_and_is_returned() {
        let mut renderer = start(|_: &Event<'_>| -> Result<(), SinkError> {
            std::panic::resume_unwind(Box::new("a sink that panics"))
        });
        renderer.push(pass(&[10]));
        renderer.push(pass(&[20]));
        wait(&renderer);
        assert_eq!(renderer.unwritten(), 2);
        let panic = renderer.join().unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"a sink that panics"));
    }

    #[test]
    fn closed_sink_ends_the_thread_while_the_queue_is_full() {
        let (gate, opened) = channel::<()>();
        let mut renderer = start(move |_: &Event<'_>| {
            let _ = opened.recv();
            Err(SinkError::Closed)
        });
        [10, 20, 30, 40].iter().for_each(|time| renderer.push(pass(&[*time])));
        while renderer.has_room() {
            renderer.push(pass(&[50]));
        }
        drop(gate);
        wait(&renderer);
        assert!(matches!(renderer.join(), Ok(Err(RenderError::Sink(SinkError::Closed)))));
    }
}
