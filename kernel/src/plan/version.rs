//! The version of plans that are stored.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of the serialized form of a [`Plan`](super::Plan). A reader accepts plans of this version only.
const VERSION: u32 = 5;

/// A mark that a plan has the form that this version of the library reads and writes. Its serialized form is the
/// number of the version; another number is not accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlanVersion;

impl Serialize for PlanVersion {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(VERSION)
    }
}

impl<'de> Deserialize<'de> for PlanVersion {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u32::deserialize(deserializer)? {
            VERSION => Ok(PlanVersion),
            other => Err(D::Error::custom(format!(
                "the plan is of version {other}, and this program reads version {VERSION}; build it again"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::PlanVersion;

    #[test]
    fn version_of_another_form_is_refused() {
        assert_eq!(serde_json::to_string(&PlanVersion).unwrap(), "5");
        assert_eq!(serde_json::from_str::<PlanVersion>("5").unwrap(), PlanVersion);
        for other in ["0", "4", "4294967295"] {
            let error = serde_json::from_str::<PlanVersion>(other).unwrap_err().to_string();
            assert!(
                error.contains(&format!("of version {other}, and this program reads version 5")),
                "{error}"
            );
        }
    }
}
