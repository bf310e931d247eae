//! What the tests on stored recordings share.

use std::io::Write;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// A writer whose bytes are kept.
#[derive(Clone, Default)]
pub(crate) struct Shared(pub(crate) Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the decompressed bytes of a file of `tests/data`.
pub(crate) fn data(file: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let output = Command::new("gzip").arg("-dc").arg(&path).output();
    let output = output.expect("gzip, which every Debian has, does not start");
    assert!(output.status.success(), "{path:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
