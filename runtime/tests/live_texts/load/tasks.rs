//! Timers, signals, schedulers, control groups, programs in the kernel: what tasks ask of it beside files and networks.

use std::fs;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Failed;

/// Does all of it.
pub(super) fn run() -> Result<(), Failed> {
    timers();
    schedulers();
    super::in_child(|| {
        signals();
        true
    })?;
    groups();
    programs();
    small();
    super::shell(include_str!("tasks.sh"), &[])
}

/// Arms timers of every clock, and waits for them.
fn timers() {
    let soon = libc::timespec { tv_sec: 0, tv_nsec: 2_000_000 };
    let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    let once = libc::itimerspec { it_interval: zero, it_value: soon };
    for clock in 0..12 {
        // SAFETY: the calls take numbers and the addresses of local variables; clocks that do not exist are refused.
        unsafe {
            // The time of a process does not pass while it sleeps.
            if clock != libc::CLOCK_PROCESS_CPUTIME_ID {
                libc::clock_nanosleep(clock, 0, &raw const soon, std::ptr::null_mut());
            }
            let timer = libc::timerfd_create(clock, libc::TFD_NONBLOCK);
            if timer >= 0 {
                libc::timerfd_settime(timer, 0, &raw const once, std::ptr::null_mut());
                let mut poll = libc::pollfd { fd: timer, events: libc::POLLIN, revents: 0 };
                libc::poll(&raw mut poll, 1, 50);
                let late = libc::itimerspec {
                    it_interval: soon,
                    it_value: libc::timespec { tv_sec: 100, tv_nsec: 0 },
                };
                libc::timerfd_settime(timer, 0, &raw const late, std::ptr::null_mut());
                libc::close(timer);
            }
            let mut event: libc::sigevent = std::mem::zeroed();
            event.sigev_notify = libc::SIGEV_NONE;
            let mut timer: libc::timer_t = std::ptr::null_mut();
            if libc::timer_create(clock, &raw mut event, &raw mut timer) == 0 {
                libc::timer_settime(timer, 0, &raw const once, std::ptr::null_mut());
                libc::usleep(5_000);
                libc::timer_delete(timer);
            }
        }
    }
    // SAFETY: as above; the alarms are taken back before they are due, and SIGVTALRM and SIGPROF are ignored.
    unsafe {
        for (which, signal) in [
            (libc::ITIMER_REAL, libc::SIGALRM),
            (libc::ITIMER_VIRTUAL, libc::SIGVTALRM),
            (libc::ITIMER_PROF, libc::SIGPROF),
        ] {
            libc::signal(signal, libc::SIG_IGN);
            let value = libc::timeval { tv_sec: 0, tv_usec: 5_000 };
            let limit = libc::itimerval { it_interval: value, it_value: value };
            libc::setitimer(which, &raw const limit, std::ptr::null_mut());
            let begin = std::time::Instant::now();
            while begin.elapsed() < Duration::from_millis(25) {}
            let none: libc::itimerval = std::mem::zeroed();
            libc::setitimer(which, &raw const none, std::ptr::null_mut());
        }
    }
}

/// Changes how this task is scheduled, and where.
fn schedulers() {
    // SAFETY: the calls take numbers and the addresses of local variables.
    unsafe {
        let mut all: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of_val(&all), &raw mut all);
        for cpu in (0..8).filter(|cpu| libc::CPU_ISSET(*cpu, &all)) {
            let mut one: libc::cpu_set_t = std::mem::zeroed();
            libc::CPU_SET(cpu, &mut one);
            libc::sched_setaffinity(0, size_of_val(&one), &raw const one);
            libc::sched_yield();
        }
        libc::sched_setaffinity(0, size_of_val(&all), &raw const all);
        for policy in
            [libc::SCHED_FIFO, libc::SCHED_RR, libc::SCHED_BATCH, libc::SCHED_IDLE, libc::SCHED_OTHER]
        {
            let urgent = [libc::SCHED_FIFO, libc::SCHED_RR].contains(&policy);
            let parameter = libc::sched_param { sched_priority: libc::c_int::from(urgent) };
            libc::sched_setscheduler(0, policy, &raw const parameter);
            libc::usleep(1_000);
        }
        libc::prctl(libc::PR_SET_NAME, c"a longer na".as_ptr());
    }
}

/// Sends this process signals of all kinds, the last of which ends it.
fn signals() {
    // SAFETY: the calls take numbers and the address of a local variable.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            libc::signal(signal, libc::SIG_IGN);
            if signal != libc::SIGKILL && signal != libc::SIGSTOP {
                libc::kill(libc::getpid(), signal);
                libc::raise(signal);
            }
        }
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigaddset(&raw mut set, libc::SIGUSR1);
        libc::signal(libc::SIGUSR1, libc::SIG_DFL);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        libc::kill(libc::getpid(), libc::SIGUSR1);
        libc::kill(libc::getpid(), libc::SIGUSR1);
    }
}

/// Writes to a file that a kernel may not have, or may refuse to change: the counts of events show it.
fn set(path: &Path, value: &str) -> bool {
    fs::write(path, value).is_ok()
}

/// The number of the writer in `cgroup.procs`.
const ITSELF: &str = "0";

/// Makes control groups, moves this process into them, freezes one, and fills the memory of one.
fn groups() {
    let Ok(directory) = tempfile::tempdir() else { return };
    for (name, words) in
        [("named", &["-t", "cgroup", "-o", "none,name=tracec-texts"][..]), ("unified", &["-t", "cgroup2"])]
    {
        let mount = directory.path().join(name);
        let mounted = fs::create_dir(&mount).is_ok()
            && Command::new("mount")
                .args(words)
                .arg("none")
                .arg(&mount)
                .status()
                .is_ok_and(|it| it.success());
        if !mounted {
            println!("no hierarchy {name}");
            continue;
        }
        let group = mount.join("tracec-texts");
        let _ = fs::create_dir(&group);
        let _ = fs::create_dir(group.join("inner"));
        set(&group.join("cgroup.procs"), ITSELF);
        set(&mount.join("cgroup.procs"), ITSELF);
        let _ = fs::rename(group.join("inner"), group.join("other"));
        for value in ["1", "0"] {
            set(&group.join("cgroup.freeze"), value);
        }
        memory(&mount, &group);
        for name in ["other", "inner"] {
            let _ = fs::remove_dir(group.join(name));
        }
        remove(&group);
        let _ = Command::new("umount").arg(&mount).status();
    }
    let mount = Path::new("/sys/fs/cgroup/memory");
    let group = mount.join("tracec-texts");
    if fs::create_dir(&group).is_ok() {
        memory(mount, &group);
        remove(&group);
    }
}

/// Removes a group, which a process leaves some time after its end.
fn remove(group: &Path) {
    for _ in 0..50 {
        if fs::remove_dir(group).is_ok() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    println!("{} stays", group.display());
}

/// Fills the memory of a group, in either version of control groups.
fn memory(mount: &Path, group: &Path) {
    set(&mount.join("cgroup.subtree_control"), "+memory");
    let is_limited = ["memory.limit_in_bytes", "memory.max"].map(|name| set(&group.join(name), "16777216"));
    if is_limited == [false, false] {
        return;
    }
    // It is killed, which is what is wanted.
    let _ = super::in_child(|| set(&group.join("cgroup.procs"), ITSELF) && fill().is_ok());
}

/// Fills pages of a file, which can be written back, and others, which cannot.
fn fill() -> io::Result<()> {
    let mut file = tempfile::tempfile_in("/var/tmp").or_else(|_| tempfile::tempfile())?;
    let bytes = vec![1; 1 << 20];
    for _ in 0..64 {
        file.write_all(&bytes)?;
    }
    file.sync_all()?;
    let all: Vec<Vec<u8>> = (0..64).map(|_| vec![1; 1 << 20]).collect();
    println!("{} MiB are in a group of 16", all.len());
    Ok(())
}

/// Loads and runs a program of two instructions, and makes maps of all kinds.
fn programs() {
    // r0 = 0; exit
    let code: [u64; 2] = [0xb7, 0x95];
    let (prog_load, map_create, test_run) = (5, 0, 10);
    for kind in 1..40_u64 {
        // `struct bpf_attr`: type, number of keys, of values, of entries (include/uapi/linux/bpf.h).
        let mut attributes = [0_u64; 16];
        attributes[0] = kind | 4 << 32;
        attributes[1] = 8 | 4 << 32;
        bpf(map_create, &mut attributes);
        let mut attributes = [0_u64; 16];
        attributes[0] = kind | 2 << 32;
        attributes[1] = code.as_ptr() as u64;
        attributes[2] = c"GPL".as_ptr() as u64;
        if let Some(program) = bpf(prog_load, &mut attributes) {
            let data = [0_u8; 64];
            let mut attributes = [0_u64; 16];
            attributes[0] = program.as_raw_fd() as u64;
            attributes[1] = data.len() as u64;
            attributes[2] = data.as_ptr() as u64;
            attributes[4] = 4;
            bpf(test_run, &mut attributes);
        }
    }
}

/// Makes a call of bpf(2).
fn bpf(command: libc::c_long, attributes: &mut [u64; 16]) -> Option<OwnedFd> {
    // SAFETY: the length is that of the array, and the addresses in it are of what the caller holds. A result that is
    // positive is a new descriptor, since the commands here return no other number but 0.
    unsafe {
        let result = libc::syscall(libc::SYS_bpf, command, attributes.as_mut_ptr(), size_of_val(attributes));
        (result > 0).then(|| OwnedFd::from_raw_fd(result as libc::c_int))
    }
}

/// Uses small services: latency requests, messages of the kernel, counters, address spaces.
fn small() {
    if let Ok(mut latency) = fs::OpenOptions::new().write(true).open("/dev/cpu_dma_latency") {
        let _ = latency.write_all(&100_i32.to_ne_bytes());
        let _ = latency.write_all(&200_i32.to_ne_bytes());
    }
    let _ = fs::write("/dev/kmsg", "<6>tracec: a line of the test of texts\n");
    let length = 8 << 20;
    // SAFETY: the mappings are new, and nothing else refers to them.
    unsafe {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let start = libc::mmap(std::ptr::null_mut(), length, protection, flags, -1, 0);
        if start == libc::MAP_FAILED {
            return;
        }
        for advice in [
            libc::MADV_HUGEPAGE,
            libc::MADV_WILLNEED,
            libc::MADV_MERGEABLE,
            libc::MADV_COLD,
            libc::MADV_PAGEOUT,
            25, // MADV_COLLAPSE
            libc::MADV_UNMERGEABLE,
            libc::MADV_FREE,
        ] {
            for page in (0..length).step_by(4096) {
                start.cast::<u8>().add(page).write_volatile(1);
            }
            libc::madvise(start, length, advice);
        }
        libc::mlock(start, 1 << 16);
        libc::munlock(start, 1 << 16);
        libc::mprotect(start, 1 << 20, libc::PROT_READ);
        libc::syscall(libc::SYS_mbind, start, 1 << 20, 0, 0, 0, 2);
        let mut pages = [start; 8];
        let nodes = [0; 8];
        let mut status = [0; 8];
        libc::syscall(libc::SYS_move_pages, 0, 8, pages.as_mut_ptr(), nodes.as_ptr(), status.as_mut_ptr(), 2);
        let moved = libc::mremap(start, length, 2 * length, libc::MREMAP_MAYMOVE);
        if moved != libc::MAP_FAILED {
            libc::munmap(moved, 2 * length);
        }
        let huge = libc::mmap(std::ptr::null_mut(), 2 << 20, protection, flags | libc::MAP_HUGETLB, -1, 0);
        if huge != libc::MAP_FAILED {
            libc::munmap(huge, 2 << 20);
        }
    }
}
