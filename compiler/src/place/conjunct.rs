//! The places that could decide a conjunct on its own.

use tracec_kernel::condition::ir::Condition;
use tracec_kernel::condition::lower::{FilterTree, LowerError, Lowered, Work};

use super::pieces::Piece;
use super::{Engines, InKernel, NotInKernel, NotOnHost, Place, WrittenFor, cost, obstacle_in_kernel};

/// A conjunct as the kernel decides it.
#[derive(Clone, Debug)]
pub(super) enum Said {
    /// It has this value for every record.
    Constant(bool),
    /// The event's filter says it.
    Filter {
        /// The whole conjunct.
        exact: Text,
        /// What is written where the host decides it too: the exact text is long, and a few of its comparisons drop most
        /// records.
        few: Option<Text>,
    },
    /// A program at the event decides it, at this cost.
    Program(Option<Work>),
}

/// A filter, and its text where it stands alone.
#[derive(Clone, Debug)]
pub(super) struct Text {
    pub(super) tree: FilterTree,
    pub(super) alone: String,
}

impl Text {
    /// Returns a filter with its text, or the value that it has for every record.
    fn of(tree: FilterTree) -> Result<Result<Text, bool>, LowerError> {
        Ok(match tree.lowered()? {
            Lowered::Everything => Err(true),
            Lowered::Nothing => Err(false),
            Lowered::Text(alone) => Ok(Text { tree, alone }),
        })
    }
}

impl Said {
    /// Returns the work that it is for the kernel.
    pub(super) fn work(&self) -> Option<Work> {
        match self {
            Said::Constant(_) => None,
            Said::Filter { exact, .. } => exact.tree.work(),
            Said::Program(work) => *work,
        }
    }
}

/// What each place can do with a conjunct.
#[derive(Clone, Debug)]
pub(super) struct Choices<'a> {
    /// The kernel, or the reason why it cannot decide the conjunct.
    pub(super) kernel: &'a Result<Said, NotInKernel>,
    /// Why the host cannot, or may not.
    host: Option<NotOnHost>,
}

/// Returns a conjunct as the kernel decides it. The table of [realisations](tracec_kernel::condition::realisation) says
/// whether it can; lowering writes the filter, or returns the names and numbers of the reason.
pub(super) fn in_kernel(
    piece: &Piece<'_>,
    engines: Engines,
    kernel: &WrittenFor,
) -> Result<Said, NotInKernel> {
    if let Condition::Const(value) = piece.condition {
        return Ok(Said::Constant(*value));
    }
    let in_kernel = engines.kernel.ok_or(NotInKernel::NoEngine)?;
    let obstacle = obstacle_in_kernel(in_kernel, &piece.constructs, &kernel.model);
    let said = match in_kernel {
        InKernel::Filter => filter(piece, kernel),
        InKernel::Program => Ok(Said::Program(cost::work(&piece.constructs))),
    };
    let reason = match (said, obstacle) {
        (Ok(said), None) => return Ok(said),
        (Err(LowerError::TooLong { length }), None) => return Err(NotInKernel::NoRoom { length }),
        (Ok(_), Some(obstacle)) => obstacle.to_string(),
        (Err(error), _) => error.to_string(),
    };
    let unknown = obstacle.and_then(|obstacle| kernel.unknown.get(obstacle.hindrance.feature()?)).cloned();
    Err(NotInKernel::Unsayable { obstacle, reason, unknown })
}

fn filter(piece: &Piece<'_>, kernel: &WrittenFor) -> Result<Said, LowerError> {
    let tree = FilterTree::new(piece.condition, &piece.spelling, &kernel.model)?;
    let few = tree.fewer().and_then(|few| Text::of(few).ok()?.ok());
    Ok(match Text::of(tree)? {
        Ok(exact) => Said::Filter { exact, few },
        Err(value) => Said::Constant(value),
    })
}

impl<'a> Choices<'a> {
    /// Asks the host beside the kernel: `host` says why it cannot decide the conjunct, or must not.
    pub(super) fn new(kernel: &'a Result<Said, NotInKernel>, host: Option<NotOnHost>) -> Self {
        Choices { kernel, host }
    }

    /// Returns what the kernel's filter gets for it; `None` if that is nothing.
    pub(super) fn filter(&self) -> Option<&'a Text> {
        match self.kernel {
            Ok(Said::Filter { few: Some(few), .. }) if self.host.is_none() => Some(few),
            Ok(Said::Filter { exact, .. }) => Some(exact),
            Ok(Said::Constant(_) | Said::Program(_)) | Err(_) => None,
        }
    }

    /// Returns its value if it is the same for every record.
    pub(super) fn constant(&self) -> Option<bool> {
        match self.kernel {
            Ok(Said::Constant(value)) => Some(*value),
            Ok(Said::Filter { .. } | Said::Program(_)) | Err(_) => None,
        }
    }

    /// Returns whether the host must not decide it.
    pub(super) fn is_kernel_only(&self) -> bool {
        self.host.is_some()
    }

    /// Returns its place; `kernel_has_room` says whether the kernel's filter has room for it.
    pub(super) fn decide(self, kernel_has_room: bool) -> Place {
        let kernel = match self.kernel {
            Ok(Said::Constant(value)) => return Place::Constant(*value),
            Ok(Said::Program(_)) => return Place::Program,
            Ok(Said::Filter { exact, few }) => {
                match (few.as_ref().filter(|_| self.host.is_none()), kernel_has_room) {
                    (Some(few), true) => {
                        NotInKernel::Many { comparisons: exact.tree.comparisons(), few: few.alone.clone() }
                    }
                    (None, true) => return Place::Kernel { text: exact.alone.clone() },
                    (few, false) => NotInKernel::NoRoom { length: few.unwrap_or(exact).alone.len() },
                }
            }
            Err(reason) => reason.clone(),
        };
        match self.host {
            None => Place::Host { kernel },
            Some(host) => Place::Refused { kernel, host },
        }
    }
}
