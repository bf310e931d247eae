//! The constants of an object, which its programs share.

use rustc_hash::FxHashMap;

/// Bytes in front: the process whose records are left out, and four of nothing.
const FRONT: usize = 8;

/// Constants, each at a multiple of 8.
#[derive(Debug)]
pub(super) struct Constants {
    bytes: Vec<u8>,
    known: FxHashMap<Vec<u8>, u32>,
}

impl Constants {
    /// Returns those of an object without programs.
    pub(super) fn new() -> Constants {
        Constants { bytes: vec![0; FRONT], known: FxHashMap::default() }
    }

    /// Adds constants and returns where they lie; equal ones are there once.
    pub(super) fn add(&mut self, constants: Vec<u8>) -> u32 {
        if let Some(at) = self.known.get(&constants) {
            return *at;
        }
        let at = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(at, 0);
        self.bytes.extend_from_slice(&constants);
        self.known.insert(constants, at as u32);
        at as u32
    }

    /// Returns all bytes.
    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}
