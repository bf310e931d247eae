//! Kernel modules that sessions load and unload.

use std::ffi::CString;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use tracec_kernel::plan::ModuleName;

/// Returns the directory of a module that is loaded.
pub(crate) fn directory(module: &ModuleName) -> PathBuf {
    Path::new("/sys/module").join(module.as_str())
}

/// Returns the id of the build of a loaded module, by which it is distinguished from another one of its name; empty if
/// it has none, `None` if no module of the name is loaded.
pub(crate) fn build_id(module: &ModuleName) -> Result<Option<String>, Errno> {
    let directory = directory(module);
    if fs::metadata(&directory).is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
        return Ok(None);
    }
    // A part of the kernel has a directory too, but no state (`module_add_modinfo_attrs` in kernel/module/sysfs.c).
    match fs::read(directory.join("notes/.note.gnu.build-id")) {
        Ok(note) => Ok(Some(hex(&note))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(String::new())),
        Err(error) => Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
    }
}

/// Returns a name for a session that no other session has.
pub(crate) fn session_name() -> Result<String, Errno> {
    let mut random = [0; 16];
    let read = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
    if read == random.len() { Ok(hex(&random)) } else { Err(Errno::AGAIN) }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing into a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the session that has loaded a module, as the module says; `None` if it does not, or is not loaded.
pub(crate) fn session(module: &ModuleName) -> Result<Option<String>, Errno> {
    match fs::read_to_string(directory(module).join("parameters").join(ModuleName::SESSION)) {
        Ok(text) => Ok(Some(text.trim_end().to_owned())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Errno::from_io_error(&error).unwrap_or(Errno::IO)),
    }
}

/// Loads a module from its file, which gets the name of the session. The kernel takes it also from a module that has no
/// such parameter (`unknown_module_param_cb` in kernel/module/main.c).
pub(crate) fn load(path: &str, session: &str) -> Result<(), Errno> {
    let file = fs::File::open(path).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let parameters = CString::new(format!("{}={session}", ModuleName::SESSION)).map_err(|_| Errno::INVAL)?;
    rustix::system::finit_module(&file, &parameters, 0)
}

/// Unloads a module, unless it is in use: then the error is `EBUSY`.
pub(crate) fn unload(module: &ModuleName) -> Result<(), Errno> {
    let name = CString::new(module.as_str()).map_err(|_| Errno::INVAL)?;
    const O_NONBLOCK: i32 = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    // For a module with users the call would wait, which the flag forbids (`try_stop_module` in kernel/module/main.c).
    rustix::system::delete_module(&name, O_NONBLOCK).map_err(|errno| match errno {
        Errno::AGAIN => Errno::BUSY,
        errno => errno,
    })
}
