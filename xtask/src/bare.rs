//! `cargo xtask bare`: the promise of the README, tried on a fresh Debian 12 that has a Rust toolchain and nothing
//! else.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{self, Child, Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::debian::cache;
use crate::setup::{self, Use};
use crate::workspace;

/// The commands that run if none is given.
const PROMISE: [&str; 2] = ["cargo xtask demo", "cargo xtask test"];

/// Keep the new system; let its root be a directory that is not a mount point; let another tracer run at the same time.
const OPTIONS: [&str; 3] = ["--keep", "--plain", "--beside-others"];

/// The number of a command's last lines that are shown again at the end.
const LAST_LINES: usize = 20;

/// The directory of the tree in the new system.
const TREE: &str = "root/tracec";

/// Enters the new system. It runs in a mount namespace of its own, so that every mount disappears when it ends. The
/// toolchain is mounted read-only and not copied: it is most of a gigabyte. The new root is a mount of its own, as in
/// any system, unless a plain chroot is asked for: no mount namespace can be made in that.
const ENTER: &str = r#"
    set -e
    [ "$4" = plain ] || mount --bind "$1" "$1"
    mount -t proc proc "$1/proc"
    mount -t sysfs sysfs "$1/sys"
    mount --rbind /dev "$1/dev"
    mount --bind "$2" "$1/opt/rust"
    mount -o remount,bind,ro "$1/opt/rust"
    exec chroot "$1" /usr/bin/env -i HOME=/root TERM=dumb \
        PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        sh -c "cd /root/tracec && exec 2>&1 && $3"
"#;

/// Another tracer, for as long as the file `$1` and the process `$2` exist: makes and removes instances, one of them
/// always of the same name, and a dynamic event.
const OTHERS: &str = r#"
    mount -t tracefs nodev /sys/kernel/tracing && cd /sys/kernel/tracing || exit
    turn=0
    while [ -e "$1" ] && [ -d "/proc/$2" ]; do
        turn=$((turn + 1))
        for name in others "others-$turn"; do
            mkdir "instances/$name" || continue
            echo "p:others/probe$turn /bin/sh:0x4000" >>uprobe_events
            echo 1 >"instances/$name/events/sched/sched_process_exec/enable"
            sleep "0.0$((turn % 10))"
            until rmdir "instances/$name"; do sleep 0.01; done
            echo "-:others/probe$turn" >>uprobe_events
        done
    done 2>/dev/null
    rmdir instances/others* 2>/dev/null || true
"#;

/// Runs `cargo xtask bare [--keep] [--plain] [--beside-others] [COMMAND...]`: each command is a line of shell.
///
/// # Errors
/// The system cannot be made. A command that fails is not an error: the exit code is 1.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    let (options, given): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|word| word.starts_with("--"));
    if let Some(option) = options.iter().find(|option| !OPTIONS.contains(option)) {
        bail!("no option {option}; usage: cargo xtask bare [{}] [COMMAND...]", OPTIONS.join("] ["));
    }
    let [keep, plain, beside_others] = OPTIONS.map(|option| options.contains(&option));
    if !workspace::is_root() {
        bail!("only root can make a Debian system and change into it");
    }
    setup::ensure(&[Use::Bare]);
    let directory = cache::root()?.join("bare");
    fs::create_dir_all(&directory).with_context(|| directory.display().to_string())?;
    let lock = File::create(directory.join("lock")).context("the lock of the directory")?;
    if lock.try_lock().is_err() {
        bail!("another run is at work in {}", directory.display());
    }
    let root = directory.join("root");
    make(&root)?;
    let commands = if given.is_empty() { PROMISE.to_vec() } else { given };
    let others = if beside_others { Some(Others::start(&directory)?) } else { None };
    let mut endings = Vec::new();
    for command in commands {
        endings.push(run(command, &root, &directory, plain)?);
    }
    others.map_or(Ok(()), Others::end)?;
    if keep {
        println!("==> the system stays in {}", root.display());
    } else {
        remove(&root)?;
    }
    for ending in &endings {
        ending.print();
    }
    let all_well = endings.iter().all(|ending| ending.success);
    Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes a fresh Debian with the tree in it, and with the network configuration of this machine.
fn make(root: &Path) -> Result<()> {
    let archive = cache::entry("debian-12-minbase", debootstrap)?.join("root.tar");
    remove(root)?;
    fs::create_dir(root).with_context(|| root.display().to_string())?;
    workspace::run(Command::new("tar").arg("-xpf").arg(archive).arg("-C").arg(root))?;
    fs::create_dir_all(root.join("opt/rust")).context("the place of the toolchain")?;
    // A machine behind a proxy that signs has the proxy's certificate in its bundle.
    for file in ["etc/resolv.conf", "etc/ssl/certs/ca-certificates.crt"] {
        let from = Path::new("/").join(file);
        fs::copy(&from, root.join(file)).with_context(|| from.display().to_string())?;
    }
    copy_tree(&root.join(TREE))
}

/// Installs the packages of Debian's priority `required`, apt, and certificates: cargo needs these to reach crates.io,
/// so that a user with a Rust toolchain has them.
fn debootstrap(directory: &Path) -> Result<()> {
    let root = directory.join("root");
    println!("==> debootstrap of Debian 12, once");
    let options = ["--variant=minbase", "--include=ca-certificates", "bookworm"];
    workspace::run(Command::new("debootstrap").args(options).arg(&root))?;
    let archive = directory.join("root.tar");
    workspace::run(
        Command::new("tar").arg("-cpf").arg(archive).arg("-C").arg(&root).args(["--one-file-system", "."]),
    )?;
    remove(&root)
}

/// Copies the files that git tracks or would track: the tree as a clone of the next commit would have it.
fn copy_tree(to: &Path) -> Result<()> {
    let from = workspace::root();
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(&from)
        .stderr(Stdio::inherit())
        .output()
        .context("git could not be started")?;
    if !listing.status.success() {
        bail!("git ls-files: {}", listing.status);
    }
    let listing = String::from_utf8(listing.stdout).context("a file's name is not UTF-8")?;
    for file in listing.split_terminator('\0').filter(|file| from.join(file).exists()) {
        let target = to.join(file);
        if let Some(parent) = target.parent() {
            fs::create_dir_all(parent).with_context(|| parent.display().to_string())?;
        }
        fs::copy(from.join(file), &target).with_context(|| file.to_owned())?;
    }
    Ok(())
}

/// The end of a command in the new system.
struct Ending {
    command: String,
    success: bool,
    seconds: f64,
    last: VecDeque<String>,
    log: PathBuf,
}

impl Ending {
    fn print(&self) {
        let word = if self.success { "passed" } else { "FAILED" };
        println!("\n==> {word} in {:.0} s: {} (log: {})", self.seconds, self.command, self.log.display());
        for line in &self.last {
            println!("    {line}");
        }
    }
}

/// The other tracer.
struct Others {
    flag: PathBuf,
    child: Child,
}

impl Others {
    fn start(directory: &Path) -> Result<Self> {
        let flag = directory.join("others");
        File::create(&flag).with_context(|| flag.display().to_string())?;
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", OTHERS, "sh"]).arg(&flag).arg(process::id().to_string());
        let child = command.stdin(Stdio::null()).spawn().context("unshare could not be started")?;
        Ok(Self { flag, child })
    }

    /// Waits until it has removed what it made.
    fn end(mut self) -> Result<()> {
        fs::remove_file(&self.flag).with_context(|| self.flag.display().to_string())?;
        let status = self.child.wait().context("waiting for the other tracer")?;
        if !status.success() {
            bail!("the other tracer: {status}");
        }
        Ok(())
    }
}

fn run(command: &str, root: &Path, directory: &Path, plain: bool) -> Result<Ending> {
    println!("\n==> $ {command}");
    let log = directory.join(format!("{}.log", file_name(command)));
    let mut file = File::create(&log).with_context(|| log.display().to_string())?;
    let mut enter = Command::new("unshare");
    enter.args(["--mount", "sh", "-c", ENTER, "sh"]).arg(root).arg(sysroot()?).arg(command);
    enter.arg(if plain { "plain" } else { "mounted" });
    let start = Instant::now();
    let mut last = VecDeque::new();
    let mut written = Ok(());
    let status = workspace::stream(enter.stdin(Stdio::null()), |line| {
        println!("{line}");
        if written.is_ok() {
            written = writeln!(file, "{line}");
        }
        if last.len() == LAST_LINES {
            last.pop_front();
        }
        last.push_back(line.to_owned());
    })?;
    written.with_context(|| log.display().to_string())?;
    let seconds = start.elapsed().as_secs_f64();
    Ok(Ending { command: command.to_owned(), success: status.success(), seconds, last, log })
}

/// Returns the directory of the toolchain that runs this program.
fn sysroot() -> Result<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output =
        Command::new(rustc).args(["--print", "sysroot"]).output().context("rustc could not be started")?;
    let sysroot = String::from_utf8(output.stdout).context("the path of the toolchain is not UTF-8")?;
    Ok(PathBuf::from(sysroot.trim_end()))
}

/// Removes a system in which nothing is mounted; `--one-file-system` protects mounts if there is one.
fn remove(root: &Path) -> Result<()> {
    workspace::run(Command::new("rm").args(["-rf", "--one-file-system"]).arg(root))
}

/// Returns a command's letters and digits, for the name of its log.
fn file_name(command: &str) -> String {
    command.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(60).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_has_a_harmless_name() {
        assert_eq!(file_name("cargo xtask test ../x"), "cargo-xtask-test----x");
        assert_eq!(file_name(&"é/".repeat(100)).len(), 60);
    }

    #[test]
    fn an_unknown_option_is_no_command() {
        assert!(main(&["--kep".to_owned()]).is_err());
    }

    #[test]
    fn the_toolchain_has_a_compiler() {
        assert!(sysroot().unwrap().join("bin/rustc").is_file());
    }
}
