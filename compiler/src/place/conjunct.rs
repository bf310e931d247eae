//! Which places could decide a conjunct, looked at alone.

use tracec_kernel::condition::context::Needs;
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered, lower};
use tracec_kernel::filter::Model;

use super::{NotInKernel, NotOnHost, Place, Unknown};

/// What each place has to say of a conjunct.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The kernel's text, alone.
    kernel: Result<Lowered, LowerError>,
    /// Why the host cannot, or may not.
    host: Option<NotOnHost>,
}

/// Asks every place.
pub(super) fn choices(condition: &Condition, kernel_only: Option<NotOnHost>, model: &Model) -> Choices {
    let needs = condition.needs();
    let lacks = (!Needs::RECORDING.covers(needs)).then_some(NotOnHost::Lacks(needs));
    // The sentence about the context says more than one about the clause, but for a trigger: there the clause decides.
    let host = match kernel_only {
        Some(NotOnHost::Trigger) => kernel_only,
        _ => lacks.or(kernel_only),
    };
    Choices { kernel: lower(condition, model), host }
}

impl Choices {
    /// Bytes of its text in the kernel's filter, without parentheses; `None` if it has none.
    pub(super) fn text_length(&self) -> Option<usize> {
        match &self.kernel {
            Ok(Lowered::Text(text)) => Some(text.len()),
            _ => None,
        }
    }

    /// Whether it is the same for every record.
    pub(super) fn constant(&self) -> Option<bool> {
        match &self.kernel {
            Ok(Lowered::Everything) => Some(true),
            Ok(Lowered::Nothing) => Some(false),
            _ => None,
        }
    }

    /// Whether the host must not decide it.
    pub(super) fn is_kernel_only(&self) -> bool {
        self.host.is_some()
    }

    /// Its place, where `kernel_has_room` says whether the kernel's filter takes it, and `unknown` what is not known of
    /// the kernel.
    pub(super) fn decide(self, kernel_has_room: bool, unknown: &Unknown) -> Place {
        let kernel = match self.kernel {
            Ok(Lowered::Everything) => return Place::Constant(true),
            Ok(Lowered::Nothing) => return Place::Constant(false),
            Ok(Lowered::Text(text)) if kernel_has_room => return Place::Kernel { text },
            Ok(Lowered::Text(text)) => NotInKernel::NoRoom { length: text.len() },
            Err(LowerError::TooLong { length }) => NotInKernel::NoRoom { length },
            Err(error) => {
                let unknown = error.feature().and_then(|feature| unknown.get(feature)).cloned();
                NotInKernel::Unsayable { error, unknown }
            }
        };
        match self.host {
            None => Place::Host { kernel },
            Some(host) => Place::Refused { kernel, host },
        }
    }
}

/// What the host lacks of `needs`, as words.
pub(super) fn lacking(needs: Needs) -> String {
    let host = Needs::RECORDING;
    let kinds = [
        (needs.cpu && !host.cpu, "the CPU"),
        (needs.comm && !host.comm, "the name of the task that ran"),
        (needs.kernel_memory && !host.kernel_memory, "the kernel's memory behind a pointer"),
        (needs.user_memory && !host.user_memory, "the task's memory behind a pointer"),
        (needs.functions && !host.functions, "where the kernel's functions lie"),
    ];
    let lacking: Vec<&str> = kinds.into_iter().filter(|(lacks, _)| *lacks).map(|(_, name)| name).collect();
    lacking.join(", nor ")
}
