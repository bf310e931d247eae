//! The engines of a target: what can decide the conditions of its sessions.

use tracec_kernel::condition::realisation::Engine;
use tracec_kernel::tables::limits;

use crate::ir::{Catalogue, Trigger};
use crate::tracefs::trigger_command;

/// What decides the conditions of a target's sessions. Each conjunct goes wholly to one of them: to the kernel if that
/// can decide it, else to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Engines {
    /// What decides when the event happens, before a record is written; `None` if nothing does. The condition of a
    /// trigger can only be decided here.
    pub kernel: Option<InKernel>,
    /// Whether the target's reader of records decides what the kernel does not.
    pub host: bool,
}

/// What decides a condition in the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InKernel {
    /// The event's filter, as text of limited length.
    Filter,
    /// A BPF program at the event.
    Program,
}

impl Engines {
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
