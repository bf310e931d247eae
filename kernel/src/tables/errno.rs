//! Error numbers (include/uapi/asm-generic/errno-base.h, errno.h) and their meaning for a control file.

/// An error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Errno {
    /// The number, positive.
    pub number: i32,
    /// Its name.
    pub name: &'static str,
    /// A sentence on it.
    pub doc: &'static str,
}

/// `EPERM`.
pub const EPERM: i32 = 1;
/// `ENOENT`.
pub const ENOENT: i32 = 2;
/// `ESRCH`.
pub const ESRCH: i32 = 3;
/// `EINVAL`.
pub const EINVAL: i32 = 22;

/// The errors that operations on tracefs and around it can return.
pub const ALL: &[Errno] = &[
    errno(EPERM, "EPERM", "The operation is not permitted."),
    errno(ENOENT, "ENOENT", "There is no such file or directory."),
    errno(ESRCH, "ESRCH", "There is no such process."),
    errno(4, "EINTR", "A signal interrupted the call."),
    errno(5, "EIO", "Input or output failed."),
    errno(6, "ENXIO", "There is no such device or address."),
    errno(7, "E2BIG", "The argument list is too long."),
    errno(8, "ENOEXEC", "The file is not a module for this kernel."),
    errno(9, "EBADF", "The file is not open for this."),
    errno(11, "EAGAIN", "There is nothing to read now."),
    errno(12, "ENOMEM", "There is not enough memory."),
    errno(13, "EACCES", "Permission is denied."),
    errno(14, "EFAULT", "An address is not valid."),
    errno(16, "EBUSY", "The file or directory is in use."),
    errno(17, "EEXIST", "It is there already."),
    errno(19, "ENODEV", "There is no such device."),
    errno(20, "ENOTDIR", "A part of the path is not a directory."),
    errno(21, "EISDIR", "It is a directory."),
    errno(EINVAL, "EINVAL", "The value is not valid here."),
    errno(23, "ENFILE", "Too many files are open in the system."),
    errno(24, "EMFILE", "Too many files are open in this process."),
    errno(27, "EFBIG", "The file is too big."),
    errno(28, "ENOSPC", "No space is left."),
    errno(30, "EROFS", "The file system is read-only."),
    errno(32, "EPIPE", "Nobody reads the other end of the pipe."),
    errno(33, "EDOM", "A number is outside the domain of the operation."),
    errno(34, "ERANGE", "A number is too large."),
    errno(36, "ENAMETOOLONG", "The name is too long."),
    errno(38, "ENOSYS", "The kernel does not have this call."),
    errno(40, "ELOOP", "Too many symbolic links."),
    errno(75, "EOVERFLOW", "A value is too large for its type."),
    errno(95, "EOPNOTSUPP", "The operation is not supported."),
    errno(122, "EDQUOT", "The disk quota is exceeded."),
    errno(129, "EKEYREJECTED", "The kernel accepts modules with a signature only."),
];

const fn errno(number: i32, name: &'static str, doc: &'static str) -> Errno {
    Errno { number, name, doc }
}

/// Returns the error with this name.
pub fn find(name: &str) -> Option<&'static Errno> {
    ALL.iter().find(|errno| errno.name == name)
}

/// Returns the error with this number.
pub fn of(number: i32) -> Option<&'static Errno> {
    ALL.iter().find(|errno| errno.number == number)
}

/// Returns the names of all errors.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|errno| errno.name)
}

/// Returns the meaning of an error of writing a `filter` file, where it differs from the general one.
///
/// `predicate_parse` (kernel/trace/trace_events_filter.c) returns its internal codes: -1, -2 and -3 stand for
/// parentheses and quotes and arrive as EPERM, ENOENT and ESRCH.
pub fn of_filter_write(number: i32) -> Option<&'static str> {
    match number {
        1 => {
            Some("There is a surplus `)`, or a comparison is followed by something other than `&&` or `||`.")
        }
        2 => Some("A `(` is not closed."),
        3 => Some("A quote is not closed."),
        22 => Some("The filter is not valid for this event; the kernel's error log says why."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_this_machine() {
        for errno in ALL {
            let text = std::io::Error::from_raw_os_error(errno.number).to_string();
            assert!(!text.starts_with("Unknown error"), "{}: {text}", errno.name);
            assert_eq!(of(errno.number), Some(errno));
        }
        assert_eq!(of(0), None);
        assert!(of_filter_write(1).is_some_and(|text| text.contains(')')));
        assert_eq!(of_filter_write(12), None);
    }
}
