//! The places that could decide a conjunct on its own.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{LowerError, Lowered, lower};
use tracec_kernel::condition::realisation::Construct;

use super::{EventFilter, NotInKernel, NotOnHost, Place, Unknown, obstacle_in_kernel};

/// What each place can do with a conjunct.
#[derive(Clone, Debug)]
pub(super) struct Choices {
    /// The text for the kernel's filter, on its own.
    kernel: Result<Lowered, NotInKernel>,
    /// Why the host cannot, or may not.
    host: Option<NotOnHost>,
}

/// Asks every place, by the table of [realisations](tracec_kernel::condition::realisation). `parts` are the constructs
/// of the condition.
pub(super) fn choices(
    condition: &Condition,
    parts: &[Construct],
    kernel_only: Option<NotOnHost>,
    (filter, unknown): (EventFilter<'_>, &Unknown),
) -> Choices {
    Choices { kernel: in_kernel(condition, parts, filter, unknown), host: NotOnHost::of(parts, kernel_only) }
}

/// Returns the text for the kernel's filter. The table says whether there is one; lowering writes it, or returns the
/// names and numbers of the reason.
fn in_kernel(
    condition: &Condition,
    parts: &[Construct],
    EventFilter { spelling, model }: EventFilter<'_>,
    unknown: &Unknown,
) -> Result<Lowered, NotInKernel> {
    let obstacle = obstacle_in_kernel(parts, model);
    let reason = match (lower(condition, spelling, model), obstacle) {
        (Ok(lowered), None) => return Ok(lowered),
        (Err(LowerError::TooLong { length }), None) => return Err(NotInKernel::NoRoom { length }),
        (Ok(_), Some(obstacle)) => obstacle.to_string(),
        (Err(error), _) => error.to_string(),
    };
    let unknown = obstacle.and_then(|obstacle| unknown.get(obstacle.hindrance.feature()?)).cloned();
    Err(NotInKernel::Unsayable { obstacle, reason, unknown })
}

impl Choices {
    /// Returns the length in bytes of its text for the kernel's filter, without parentheses; `None` if it has none.
    pub(super) fn text_length(&self) -> Option<usize> {
        match &self.kernel {
            Ok(Lowered::Text(text)) => Some(text.len()),
            _ => None,
        }
    }

    /// Returns its value if it is the same for every record.
    pub(super) fn constant(&self) -> Option<bool> {
        match &self.kernel {
            Ok(Lowered::Everything) => Some(true),
            Ok(Lowered::Nothing) => Some(false),
            _ => None,
        }
    }

    /// Returns whether the host must not decide it.
    pub(super) fn is_kernel_only(&self) -> bool {
        self.host.is_some()
    }

    /// Returns its place; `kernel_has_room` says whether the kernel's filter has room for it.
    pub(super) fn decide(self, kernel_has_room: bool) -> Place {
        let kernel = match self.kernel {
            Ok(Lowered::Everything) => return Place::Constant(true),
            Ok(Lowered::Nothing) => return Place::Constant(false),
            Ok(Lowered::Text(text)) if kernel_has_room => return Place::Kernel { text },
            Ok(Lowered::Text(text)) => NotInKernel::NoRoom { length: text.len() },
            Err(reason) => reason,
        };
        match self.host {
            None => Place::Host { kernel },
            Some(host) => Place::Refused { kernel, host },
        }
    }
}
