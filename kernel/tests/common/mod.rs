//! What the tests on a live kernel share.

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A tracefs that can be written: `TRACEC_TEST_TRACEFS`, or the first that is mounted. Says so if there is none.
pub(crate) fn tracefs(test: &str) -> Option<PathBuf> {
    let found = std::env::var_os("TRACEC_TEST_TRACEFS").map(PathBuf::from).or_else(mounted);
    let Some(path) = found else {
        println!("SKIPPED: {test}: no tracefs is mounted and TRACEC_TEST_TRACEFS is not set");
        return None;
    };
    match fs::OpenOptions::new().append(true).open(path.join("trace_marker")) {
        Ok(_) => {
            alone(&path);
            Some(path)
        }
        Err(error) => {
            println!("SKIPPED: {test}: {} cannot be written: {error}", path.display());
            None
        }
    }
}

/// Waits until no other process tests on this tracefs. Other processes wait until this one has ended.
///
/// The live tests of the command compare all of tracefs, and take the same lock.
fn alone(tracefs: &Path) {
    static LOCKED: OnceLock<File> = OnceLock::new();
    LOCKED.get_or_init(|| {
        let root = File::open(tracefs).unwrap_or_else(|error| panic!("{}: {error}", tracefs.display()));
        root.lock().unwrap_or_else(|error| panic!("{}: {error}", tracefs.display()));
        root
    });
}

fn mounted() -> Option<PathBuf> {
    let mounts = fs::read_to_string("/proc/self/mounts").ok()?;
    mounts.lines().find_map(|line| {
        let mut words = line.split(' ');
        let (path, kind) = (words.nth(1)?, words.next()?);
        // Spaces in paths are written as octal escapes; such a mount is passed over.
        (kind == "tracefs" && !path.contains('\\')).then(|| Path::new(path).to_owned())
    })
}

/// The text of a control file.
///
/// Some files give nothing from any offset but 0 (`event_filter_read`, `show_header`), so the first read takes all that
/// there is; `fs::read_to_string` begins with a small one and would cut them.
pub(crate) fn read(path: &Path) -> String {
    let mut file = File::open(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut text = Vec::new();
    let mut buffer = vec![0; 1 << 16];
    loop {
        match file.read(&mut buffer) {
            Ok(0) => return String::from_utf8(text).unwrap(),
            Ok(len) => text.extend(&buffer[..len]),
            Err(error) => panic!("{}: {error}", path.display()),
        }
    }
}
