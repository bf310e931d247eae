//! One arena of the allocator for all threads of the server.

/// Lets the threads share what is freed.
///
/// glibc gives each thread an arena of its own, which keeps what that thread has freed. The server has two threads that hold a
/// document by turns, so that a long one would take its memory twice. Other allocators are not affected.
pub(super) fn share() {
    #[cfg(target_env = "gnu")]
    #[expect(unsafe_code, reason = "the allocator is libc's")]
    // SAFETY: mallopt(3) takes two numbers, and may be called at any time. Where it fails, more memory is taken.
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}
