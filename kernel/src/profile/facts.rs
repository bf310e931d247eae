//! Names, numbers and lists of a kernel.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::error::ProfileError;
use crate::tables::features::{self, Support};

/// The properties of a kernel. Lists are sorted; state that changes while the kernel runs is left out.
///
/// A new field needs `#[serde(default)]`, or earlier profiles cannot be read any more; a removed field is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// `uname -r`: `6.1.0-56-cloud-amd64`.
    pub release: String,
    /// `uname -v`: the build's number and date; on Debian also the version of the source package.
    pub version: String,
    /// `uname -m`: `x86_64`.
    pub arch: String,
    /// The ABI whose system calls the events of `syscalls` are.
    pub syscall_arch: String,
    /// The source of the kernel, as the user who saved it has named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// Bytes of a page.
    pub page_size: u32,
    /// Byte order of its records.
    pub little_endian: bool,
    /// The number of possible CPU numbers, counted from 0 to the last one with a buffer.
    pub cpus_possible: u32,
    /// Every feature of [`features::ALL`] with the result of its probe.
    pub features: BTreeMap<String, Support>,
    /// The names of the files in the root of tracefs.
    pub files: Vec<String>,
    /// The names of the files in an instance; `None` where none could be created.
    pub instance_files: Option<Vec<String>>,
    /// The names of the files of a CPU.
    pub cpu_files: Vec<String>,
    /// The triggers that an event offers, in the kernel's order.
    pub triggers: Vec<String>,
    /// The trace options.
    pub options: Vec<String>,
    /// The trace options of an instance; `None` where none could be created.
    pub instance_options: Option<Vec<String>>,
    /// The trace clocks, in the kernel's order.
    pub clocks: Vec<String>,
    /// The tracers, in the kernel's order.
    pub tracers: Vec<String>,
    /// The tracers of an instance; `None` where none could be created.
    pub instance_tracers: Option<Vec<String>>,
    /// The text of `events/header_page`.
    pub header_page: Option<String>,
    /// The text of `events/header_event`.
    pub header_event: Option<String>,
}

impl Facts {
    /// Returns whether the kernel has a feature; a feature that it was not asked for is unknown.
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
