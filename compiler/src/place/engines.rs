//! The engines of a target: what can decide the conditions of its sessions.

use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::tables::limits;

use crate::ir::{Catalogue, EventId, Recorder, Session, Trigger};
use crate::tracefs::trigger_command;

/// What decides the conditions of a target's sessions. Each conjunct goes wholly to one of them: to the kernel if that
/// can decide it, else to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Engines {
    /// What decides when the event happens, before a record is written; `None` if nothing does. The condition of a
    /// trigger can only be decided here.
    pub kernel: Option<InKernel>,
    /// Whether the target's reader of records decides what the kernel does not.
    pub host: bool,
}

/// What decides a condition in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InKernel {
    /// The event's filter, as text of limited length.
    Filter,
    /// A BPF program at the event.
    Program,
}

/// What decides the conditions of each event of a target's sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Among {
    /// The engines of the target.
    pub own: Engines,
    /// Those of an event that programs record, if the target lets each event have [its own
    /// recorder](Session::recorder_of).
    pub programs: Option<Engines>,
}

impl Among {
    /// Returns the engines of an event of a session.
    pub fn of(&self, session: &Session, event: EventId) -> Engines {
        match self.programs {
            Some(programs) if session.recorder_of(event) == Recorder::Programs => programs,
            _ => self.own,
        }
    }

    /// Returns the engines that a session may have, each once.
    pub(crate) fn all(&self) -> impl Iterator<Item = Engines> {
        std::iter::once(self.own).chain(self.programs.filter(|programs| *programs != self.own))
    }
}

impl From<Engines> for Among {
    /// Returns the engines of a target that decides for all events alike.
    fn from(own: Engines) -> Self {
        Among { own, programs: None }
    }
}

impl Engines {
    /// Those of a session that tracefs records and tracec reads: the event's filter, and the host for the rest.
    pub const TRACEFS: Engines = Engines { kernel: Some(InKernel::Filter), host: true };

    /// Returns how many bytes of text the kernel takes for one condition. A program has no text.
    pub fn room(self) -> usize {
        match self.kernel {
            Some(InKernel::Filter) => limits::FILTER_BYTES,
            Some(InKernel::Program) => usize::MAX,
            None => 0,
        }
    }

    /// Returns how many bytes of this room a trigger takes before its condition: the kernel takes the command and the
    /// filter in one write.
    pub(crate) fn before(self, trigger: &Trigger, catalogue: &Catalogue) -> usize {
        match self.kernel {
            Some(InKernel::Filter) => trigger_command(trigger, catalogue, Some("")).len(),
            Some(InKernel::Program) | None => 0,
        }
    }
}

impl InKernel {
    /// Returns its column in the table of [realisations](tracec_kernel::condition::realisation).
    pub fn engine(self) -> Engine {
        match self {
            InKernel::Filter => Engine::KernelFilter,
            InKernel::Program => Engine::Bpf,
        }
    }
}
