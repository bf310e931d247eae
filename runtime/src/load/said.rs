//! What libbpf says, which it would print to standard error.

use std::ffi::{c_char, c_int};
use std::sync::{Mutex, PoisonError};

use libbpf_rs::libbpf_sys::{__va_list_tag, LIBBPF_WARN, libbpf_print_level, libbpf_set_print};

/// What was said. There is one such function for a process.
static SAID: Mutex<String> = Mutex::new(String::new());

/// Calls a function, and returns what libbpf said meanwhile. It is not printed.
pub(super) fn with_log<T>(call: impl FnOnce() -> T) -> (String, T) {
    let lock = || SAID.lock().unwrap_or_else(PoisonError::into_inner);
    lock().clear();
    // SAFETY: the function has the type that libbpf calls, and lives as long as the process.
    let before = unsafe { libbpf_set_print(Some(take)) };
    let result = call();
    // SAFETY: it is the function that was there before.
    unsafe { libbpf_set_print(before) };
    (std::mem::take(&mut *lock()), result)
}

/// Takes a message. libbpf-rs has such a function too; it aborts the process where a message has the bytes of a damaged
/// object, which are not a text.
unsafe extern "C" fn take(
    level: libbpf_print_level,
    format: *const c_char,
    arguments: *mut __va_list_tag,
) -> c_int {
    if level == LIBBPF_WARN
        // SAFETY: the format and its arguments are those of a call of libbpf, which lasts.
        && let Ok(bytes) = unsafe { vsprintf::vsprintf_raw(format, arguments) }
    {
        SAID.lock().unwrap_or_else(PoisonError::into_inner).push_str(&String::from_utf8_lossy(&bytes));
    }
    0
}
