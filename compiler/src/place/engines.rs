//! The engines of a target: what can decide the conditions of its sessions.

use tracec_kernel::condition::realisation::Engine;

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
    /// The engines of tracefs: the event's filter, and the reader of the records.
    pub const TRACEFS: Engines = Engines { kernel: Some(InKernel::Filter), host: true };
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
