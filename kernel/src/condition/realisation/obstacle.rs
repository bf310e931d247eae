//! Evaluation of the table for a whole condition.

use std::fmt;

use super::{Construct, Engine, Hindrance, way};

/// The reason why an engine cannot decide a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Obstacle {
    /// The part at fault.
    pub construct: Construct,
    /// The reason why it is not realised.
    pub hindrance: Hindrance,
}

/// Returns the obstacles for an engine in a condition with these [constructs](super::constructs), in their order; none
/// if it can decide the condition. `has` returns whether the kernel has a feature of
/// [`tables::features`](crate::tables::features).
pub fn obstacles(
    constructs: &[Construct],
    engine: Engine,
    has: impl Fn(&str) -> bool,
) -> impl Iterator<Item = Obstacle> {
    constructs.iter().filter_map(move |construct| {
        let hindrance = way(construct, engine).hindrance(&has)?;
        Some(Obstacle { construct: *construct, hindrance })
    })
}

/// Returns the features on which it depends whether, or how, an engine decides a condition with these constructs; each
/// once. The other features of a kernel need not be known.
pub fn features(constructs: &[Construct], engine: Engine) -> Vec<&'static str> {
    let mut found = Vec::new();
    for feature in constructs.iter().filter_map(|construct| way(construct, engine).feature()) {
        if !found.contains(&feature) {
            found.push(feature);
        }
    }
    found
}

/// The obstacle as a clause.
impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.construct, self.hindrance)
    }
}

/// The hindrance as a clause.
impl fmt::Display for Hindrance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Hindrance::NoFeature(feature) => {
                write!(f, "the kernel is not known to have the feature `{feature}`")
            }
            Hindrance::Quirk { feature, why } => {
                write!(f, "{why} where the kernel has the feature `{feature}`")
            }
            Hindrance::Refused(why) => f.write_str(why),
            Hindrance::NoContext(context) => write!(f, "{context} is not there"),
        }
    }
}
