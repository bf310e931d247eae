//! Error numbers of system calls.

/// An error number of the kernel.
pub use rustix::io::Errno;

/// Returns the error number of a system call; EIO for an error that has none.
pub(crate) fn errno_of(error: &std::io::Error) -> Errno {
    Errno::from_io_error(error).unwrap_or(Errno::IO)
}
