//! What is small: names, numbers, lists.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::ProfileError;
use crate::tables::features::{self, Support};

/// A kernel in a few words. Lists are sorted; what is state and not property is not in them.
///
/// A field that is added needs `#[serde(default)]`, or profiles of before cannot be read any more; one that is gone is
/// passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// `uname -r`: `6.1.0-56-cloud-amd64`.
    pub release: String,
    /// `uname -v`: the build's number and date, with Debian the version of the source package.
    pub version: String,
    /// `uname -m`: `x86_64`.
    pub arch: String,
    /// The ABI whose system calls the events of `syscalls` are.
    pub syscall_arch: String,
    /// Where the kernel is from, as whoever saved it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Bytes of a page.
    pub page_size: u32,
    /// Byte order of its records.
    pub little_endian: bool,
    /// How many numbers CPUs can have, counted from 0 to the last that has a buffer.
    pub cpus_possible: u32,
    /// Every feature of [`features::ALL`] with what was found.
    pub features: BTreeMap<String, Support>,
    /// The names of the files in the root of tracefs.
    pub files: Vec<String>,
    /// The names of the files in an instance; `None` where none could be made.
    pub instance_files: Option<Vec<String>>,
    /// The names of the files of a CPU.
    pub cpu_files: Vec<String>,
    /// The triggers that an event offers, in the kernel's order.
    pub triggers: Vec<String>,
    /// The trace options.
    pub options: Vec<String>,
    /// The trace options of an instance; `None` where none could be made.
    pub instance_options: Option<Vec<String>>,
    /// The trace clocks, in the kernel's order.
    pub clocks: Vec<String>,
    /// The tracers, in the kernel's order.
    pub tracers: Vec<String>,
    /// The tracers of an instance; `None` where none could be made.
    pub instance_tracers: Option<Vec<String>>,
    /// The text of `events/header_page`.
    pub header_page: Option<String>,
    /// The text of `events/header_event`.
    pub header_event: Option<String>,
}

impl Facts {
    /// Whether the kernel has a feature; unknown is also one that it was not asked for.
    pub fn feature(&self, name: &str) -> Support {
        match self.features.get(name) {
            Some(support) => support.clone(),
            None if features::find(name).is_some() => {
                Support::Unknown("the profile was saved by a tracec that did not ask".to_owned())
            }
            None => Support::Unknown(format!("there is no feature `{name}`")),
        }
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, ProfileError> {
        serde_json::to_vec(self).map_err(|error| ProfileError::Unsaveable { what: error.to_string() })
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, ProfileError> {
        serde_json::from_slice(bytes).map_err(|error| ProfileError::damaged(format!("its facts: {error}")))
    }
}
