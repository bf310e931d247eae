//! Saved kernels.

use tracec_kernel::profile::{Kept, Profile};

/// Opens a profile and reads the parts that the compiler would read. Any bytes are read or refused, with memory and
/// work in proportion to the file.
///
/// # Panics
/// If an error has no message, or an event of the index cannot be found by its name.
pub fn profile(data: &[u8]) {
    let Ok(profile) = Profile::open(data) else { return };
    let _ = profile.verify();
    let names: Vec<(String, String)> = profile
        .index()
        .all()
        .take(64)
        .map(|(system, event)| (system.to_owned(), event.name.clone()))
        .collect();
    let mut kept = None;
    for (system, name) in names {
        let path = format!("events/{system}/{name}/format");
        assert!(profile.exists(&path), "{path} is listed and does not exist");
        match profile.file(&path, &mut kept) {
            Ok(file) => assert!(file != Kept::Absent, "{path} exists and is absent"),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    for directory in ["events", "options", "instances", ""] {
        let _ = profile.directories(directory);
    }
    for error in
        [profile.readme().err(), profile.functions().err(), profile.btf().err()].into_iter().flatten()
    {
        assert!(!error.to_string().is_empty());
    }
}
