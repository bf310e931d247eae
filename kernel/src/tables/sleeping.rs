//! Functions of C that can sleep, and flags with which an allocation does.
//!
//! What fills a record runs with preemption disabled, wherever the tracepoint is (`__DO_TRACE` in
//! include/linux/tracepoint.h): it may not call one of them. A kernel with `CONFIG_DEBUG_ATOMIC_SLEEP` says so when it
//! happens (`might_sleep` in include/linux/kernel.h); others can hang.

/// What makes a caller sleep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A page of user memory that is not there.
    UserMemory,
    /// A lock that somebody else has.
    Lock,
    /// Somebody else, or time.
    Wait,
    /// Memory, which may have to be freed first.
    Memory,
    /// A file or a program.
    File,
}

/// A function, or a flag of an allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sleeping {
    /// Its name.
    pub name: &'static str,
    /// What it sleeps for.
    pub cause: Cause,
    /// Whether it is a flag, and not a function.
    pub is_flag: bool,
}

const fn function(name: &'static str, cause: Cause) -> Sleeping {
    Sleeping { name, cause, is_flag: false }
}

const fn flag(name: &'static str) -> Sleeping {
    Sleeping { name, cause: Cause::Memory, is_flag: true }
}

/// All of them.
pub const ALL: &[Sleeping] = &[
    // include/linux/uaccess.h, include/linux/string.h, mm/util.c
    function("copy_from_user", Cause::UserMemory),
    function("copy_to_user", Cause::UserMemory),
    function("copy_struct_from_user", Cause::UserMemory),
    function("clear_user", Cause::UserMemory),
    function("get_user", Cause::UserMemory),
    function("put_user", Cause::UserMemory),
    function("strncpy_from_user", Cause::UserMemory),
    function("strnlen_user", Cause::UserMemory),
    function("strndup_user", Cause::UserMemory),
    function("memdup_user", Cause::UserMemory),
    function("memdup_user_nul", Cause::UserMemory),
    function("access_process_vm", Cause::UserMemory),
    function("access_remote_vm", Cause::UserMemory),
    function("get_cmdline", Cause::UserMemory),
    function("get_user_pages", Cause::UserMemory),
    function("get_user_pages_remote", Cause::UserMemory),
    function("pin_user_pages", Cause::UserMemory),
    // include/linux/mutex.h, semaphore.h, rwsem.h, mmap_lock.h, rtnetlink.h, pagemap.h, net/sock.h
    function("mutex_lock", Cause::Lock),
    function("mutex_lock_interruptible", Cause::Lock),
    function("mutex_lock_killable", Cause::Lock),
    function("mutex_lock_nested", Cause::Lock),
    function("down", Cause::Lock),
    function("down_interruptible", Cause::Lock),
    function("down_killable", Cause::Lock),
    function("down_timeout", Cause::Lock),
    function("down_read", Cause::Lock),
    function("down_read_interruptible", Cause::Lock),
    function("down_read_killable", Cause::Lock),
    function("down_write", Cause::Lock),
    function("down_write_killable", Cause::Lock),
    function("percpu_down_read", Cause::Lock),
    function("percpu_down_write", Cause::Lock),
    function("rt_mutex_lock", Cause::Lock),
    function("ww_mutex_lock", Cause::Lock),
    function("mmap_read_lock", Cause::Lock),
    function("mmap_read_lock_killable", Cause::Lock),
    function("mmap_write_lock", Cause::Lock),
    function("mmap_write_lock_killable", Cause::Lock),
    function("inode_lock", Cause::Lock),
    function("inode_lock_shared", Cause::Lock),
    function("rtnl_lock", Cause::Lock),
    function("lock_page", Cause::Lock),
    function("folio_lock", Cause::Lock),
    function("lock_sock", Cause::Lock),
    function("device_lock", Cause::Lock),
    function("cpus_read_lock", Cause::Lock),
    // include/linux/delay.h, sched.h, wait.h, completion.h, rcupdate.h, srcu.h, workqueue.h, kthread.h, timer.h
    function("msleep", Cause::Wait),
    function("msleep_interruptible", Cause::Wait),
    function("ssleep", Cause::Wait),
    function("usleep_range", Cause::Wait),
    function("fsleep", Cause::Wait),
    function("schedule", Cause::Wait),
    function("schedule_timeout", Cause::Wait),
    function("schedule_timeout_interruptible", Cause::Wait),
    function("schedule_timeout_killable", Cause::Wait),
    function("schedule_timeout_uninterruptible", Cause::Wait),
    function("io_schedule", Cause::Wait),
    function("cond_resched", Cause::Wait),
    function("might_sleep", Cause::Wait),
    function("might_fault", Cause::Wait),
    function("wait_event", Cause::Wait),
    function("wait_event_interruptible", Cause::Wait),
    function("wait_event_killable", Cause::Wait),
    function("wait_event_timeout", Cause::Wait),
    function("wait_event_interruptible_timeout", Cause::Wait),
    function("wait_for_completion", Cause::Wait),
    function("wait_for_completion_interruptible", Cause::Wait),
    function("wait_for_completion_killable", Cause::Wait),
    function("wait_for_completion_timeout", Cause::Wait),
    function("wait_on_bit", Cause::Wait),
    function("synchronize_rcu", Cause::Wait),
    function("synchronize_rcu_expedited", Cause::Wait),
    function("synchronize_srcu", Cause::Wait),
    function("synchronize_net", Cause::Wait),
    function("rcu_barrier", Cause::Wait),
    function("flush_work", Cause::Wait),
    function("flush_workqueue", Cause::Wait),
    function("flush_delayed_work", Cause::Wait),
    function("cancel_work_sync", Cause::Wait),
    function("cancel_delayed_work_sync", Cause::Wait),
    function("kthread_stop", Cause::Wait),
    function("free_irq", Cause::Wait),
    function("synchronize_irq", Cause::Wait),
    // include/linux/vmalloc.h, slab.h, sched/mm.h, percpu.h; the flags are of include/linux/gfp_types.h
    function("vmalloc", Cause::Memory),
    function("vzalloc", Cause::Memory),
    function("vfree", Cause::Memory),
    function("vmap", Cause::Memory),
    function("alloc_percpu", Cause::Memory),
    function("kmem_cache_create", Cause::Memory),
    function("mmput", Cause::Memory),
    flag("GFP_KERNEL"),
    flag("GFP_KERNEL_ACCOUNT"),
    flag("GFP_NOIO"),
    flag("GFP_NOFS"),
    flag("GFP_USER"),
    flag("GFP_HIGHUSER"),
    flag("GFP_HIGHUSER_MOVABLE"),
    // include/linux/fs.h, kmod.h, umh.h, namei.h, path.h, dcache.h, file.h
    function("kernel_read", Cause::File),
    function("kernel_write", Cause::File),
    function("filp_open", Cause::File),
    function("filp_close", Cause::File),
    function("vfs_read", Cause::File),
    function("vfs_write", Cause::File),
    function("vfs_fsync", Cause::File),
    function("kern_path", Cause::File),
    function("path_put", Cause::File),
    function("dput", Cause::File),
    function("iput", Cause::File),
    function("__fput_sync", Cause::File),
    function("request_module", Cause::File),
    function("call_usermodehelper", Cause::File),
];

/// Returns the function or flag of this name.
pub fn find(name: &str) -> Option<&'static Sleeping> {
    ALL.iter().find(|known| known.name == name)
}

/// Returns all names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|known| known.name)
}
