//! The places that could decide a conjunct on its own.

use tracec_kernel::condition::lower::{FilterTree, LowerError, Lowered};
use tracec_kernel::condition::realisation::Construct;

use super::pieces::Piece;
use super::{NotInKernel, NotOnHost, Place, WrittenFor, obstacle_in_kernel};

/// A conjunct as the kernel's filter says it.
#[derive(Clone, Debug)]
pub(super) struct Said {
    pub(super) tree: FilterTree,
    /// The filter of the conjunct alone.
    pub(super) alone: Lowered,
}

/// What each place can do with a conjunct.
#[derive(Clone, Debug)]
pub(super) struct Choices<'a> {
    /// The kernel's filter, or the reason why it cannot say the conjunct.
    pub(super) kernel: &'a Result<Said, NotInKernel>,
    /// Why the host cannot, or may not.
    host: Option<NotOnHost>,
}

/// Returns a conjunct as the kernel's filter says it. The table of
/// [realisations](tracec_kernel::condition::realisation) says whether it can; lowering writes it, or returns the names
/// and numbers of the reason.
pub(super) fn in_kernel(piece: &Piece<'_>, kernel: &WrittenFor) -> Result<Said, NotInKernel> {
    let obstacle = obstacle_in_kernel(&piece.constructs, &kernel.model);
    let tree = FilterTree::new(piece.condition, &piece.spelling, &kernel.model);
    let said = tree.and_then(|tree| Ok(Said { alone: tree.lowered()?, tree }));
    let reason = match (said, obstacle) {
        (Ok(said), None) => return Ok(said),
        (Err(LowerError::TooLong { length }), None) => return Err(NotInKernel::NoRoom { length }),
        (Ok(_), Some(obstacle)) => obstacle.to_string(),
        (Err(error), _) => error.to_string(),
    };
    let unknown = obstacle.and_then(|obstacle| kernel.unknown.get(obstacle.hindrance.feature()?)).cloned();
    Err(NotInKernel::Unsayable { obstacle, reason, unknown })
}

impl<'a> Choices<'a> {
    /// Asks the host beside the kernel. `constructs` are those of the condition, `kernel_only` says why the host must
    /// not decide it.
    pub(super) fn new(
        kernel: &'a Result<Said, NotInKernel>,
        constructs: &[Construct],
        kernel_only: Option<NotOnHost>,
    ) -> Self {
        Choices { kernel, host: NotOnHost::of(constructs, kernel_only) }
    }

    fn alone(&self) -> Option<&'a Lowered> {
        self.kernel.as_ref().ok().map(|said| &said.alone)
    }

    /// Returns its text for the kernel's filter, without parentheses; `None` if it has none.
    pub(super) fn text(&self) -> Option<&'a str> {
        match self.alone() {
            Some(Lowered::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// Returns the length in bytes of that text.
    pub(super) fn text_length(&self) -> Option<usize> {
        self.text().map(str::len)
    }

    /// Returns its value if it is the same for every record.
    pub(super) fn constant(&self) -> Option<bool> {
        match self.alone() {
            Some(Lowered::Everything) => Some(true),
            Some(Lowered::Nothing) => Some(false),
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
            Ok(Said { alone: Lowered::Everything, .. }) => return Place::Constant(true),
            Ok(Said { alone: Lowered::Nothing, .. }) => return Place::Constant(false),
            Ok(Said { alone: Lowered::Text(text), .. }) if kernel_has_room => {
                return Place::Kernel { text: text.clone() };
            }
            Ok(Said { alone: Lowered::Text(text), .. }) => NotInKernel::NoRoom { length: text.len() },
            Err(reason) => reason.clone(),
        };
        match self.host {
            None => Place::Host { kernel },
            Some(host) => Place::Refused { kernel, host },
        }
    }
}
