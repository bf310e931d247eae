//! The initial ramdisk of a machine: busybox, the payload's files, and a script that runs its command.
//!
//! The tree is staged as links to the host's files, and cpio follows them, so that nothing is copied twice. The archive
//! is not compressed, since the emulated processor would take longer to unpack it than QEMU takes to load it.

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::{Payload, console, needs};

const INIT: &str = include_str!("init.sh");

/// The users of the machine: some tests run as nobody.
const PASSWD: &str = "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/sh\n";
const GROUP: &str = "root:x:0:\nnogroup:x:65534:\n";

/// Packs the ramdisk for `payload` below `scratch` and returns its path.
pub(super) fn pack(payload: &Payload, nonce: &str, scratch: &Path) -> Result<PathBuf> {
    let root = scratch.join("root");
    fs::create_dir(&root)?;
    let busybox = needs::static_busybox().context("there is no static busybox")?;
    link(&root, &busybox, Path::new("/bin/busybox"))?;
    for binary in &payload.binaries {
        let name = binary.file_name().with_context(|| format!("no program: {}", binary.display()))?;
        link(&root, binary, &Path::new("/bin").join(name))?;
    }
    for library in shared_libraries(&payload.binaries)? {
        link(&root, &library, &library)?;
    }
    for (host, machine) in &payload.files {
        link(&root, host, machine)?;
    }
    write(&root, "init", &init(nonce))?;
    write(&root, "machine/command", &command(payload)?)?;
    write(&root, "etc/passwd", PASSWD)?;
    write(&root, "etc/group", GROUP)?;
    let archive = scratch.join("initrd");
    write_archive(&root, &archive)?;
    Ok(archive)
}

fn init(nonce: &str) -> String {
    let (shebang, rest) = INIT.split_once('\n').unwrap_or((INIT, ""));
    format!("{shebang}\nMARK='{}'\n{rest}", console::mark(nonce))
}

fn command(payload: &Payload) -> Result<String> {
    let mut script = String::new();
    for (name, value) in &payload.env {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(word) {
            bail!("`{name}` is not a name for an environment variable");
        }
        script.push_str(&format!("export {name}={}\n", quote(value)));
    }
    script.push_str(&payload.command);
    script.push('\n');
    Ok(script)
}

/// Returns `word` quoted for the shell.
pub(super) fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Links `host` at the absolute path `machine` below `root`.
fn link(root: &Path, host: &Path, machine: &Path) -> Result<()> {
    let host = fs::canonicalize(host).with_context(|| format!("cannot find {}", host.display()))?;
    let inside = machine.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
    let Some(relative) = machine.strip_prefix("/").ok().filter(|path| inside && path.file_name().is_some())
    else {
        bail!("{} is not an absolute path in the machine", machine.display());
    };
    let place = root.join(relative);
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent).with_context(|| format!("cannot place {}", machine.display()))?;
    }
    if fs::read_link(&place).is_ok_and(|there| there == host) {
        return Ok(());
    }
    symlink(&host, &place).with_context(|| format!("cannot place {}", machine.display()))
}

fn write(root: &Path, name: &str, text: &str) -> Result<()> {
    let path = root.join(name);
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&path, text).with_context(|| format!("cannot write /{name}"))?;
    Ok(fs::set_permissions(&path, Permissions::from_mode(0o755))?)
}

/// Returns the libraries that the loader would map for any of `binaries`, and the loader itself.
fn shared_libraries(binaries: &[PathBuf]) -> Result<BTreeSet<PathBuf>> {
    let mut libraries = BTreeSet::new();
    for binary in binaries {
        // The path is resolved first, since a path such as /proc/self/exe means something else to ldd.
        let path = fs::canonicalize(binary).with_context(|| format!("cannot find {}", binary.display()))?;
        let output = Command::new("ldd").arg(path).env("LC_ALL", "C").output().context("cannot start ldd")?;
        // ldd fails for a static program and for a script, which need nothing.
        if output.status.success() {
            let found = parse_ldd(&String::from_utf8_lossy(&output.stdout));
            libraries.extend(found.with_context(|| format!("libraries of {}", binary.display()))?);
        }
    }
    Ok(libraries)
}

/// Reads the lines `NAME => PATH (ADDRESS)`, `PATH (ADDRESS)` and `NAME (ADDRESS)`; the last is the kernel's vdso.
fn parse_ldd(text: &str) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for line in text.lines().map(str::trim) {
        let target = line.split_once(" => ").map_or(line, |(_, target)| target);
        if target == "not found" {
            bail!("{line}");
        }
        let path = target.split_once(" (").map_or(target, |(path, _)| path);
        if path.starts_with('/') {
            paths.push(PathBuf::from(path));
        }
    }
    Ok(paths)
}

fn write_archive(root: &Path, archive: &Path) -> Result<()> {
    let find = Command::new("find")
        .args(["-L", ".", "-print0"])
        .current_dir(root)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot start find")?;
    if !find.status.success() {
        bail!("find could not list the files for the machine");
    }
    let mut cpio = Command::new("cpio")
        .args(["--create", "--format=newc", "--null", "--dereference", "--owner=0:0", "--quiet"])
        .current_dir(root)
        .stdin(Stdio::piped())
        .stdout(File::create(archive)?)
        .spawn()
        .context("cannot start cpio")?;
    // The pipe is dropped at the end of the statement, which ends cpio's list.
    let written = cpio.stdin.take().context("cpio has no input")?.write_all(&find.stdout);
    let status = cpio.wait()?;
    if !status.success() {
        bail!("cpio: {status}");
    }
    written.context("cpio did not read the list of files")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(archive: &Path) -> Vec<String> {
        let output =
            Command::new("cpio").args(["-t", "--quiet"]).stdin(File::open(archive).unwrap()).output();
        let output = String::from_utf8(output.unwrap().stdout).unwrap();
        output.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_archive_holds_files_directories_and_libraries() {
        if !super::super::packages(super::super::Kernel::Debian6_1).is_empty() {
            return println!("SKIPPED: the packages of a virtual machine are not installed");
        }
        let (scratch, data) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::create_dir(data.path().join("deep")).unwrap();
        fs::write(data.path().join("deep/a file"), "text").unwrap();
        let payload = Payload {
            binaries: vec!["/proc/self/exe".into()],
            files: vec![(data.path().into(), "/data".into())],
            ..Payload::default()
        };
        let names = names(&pack(&payload, "1", scratch.path()).unwrap());
        for name in ["init", "machine/command", "bin/busybox", "bin/exe", "data/deep/a file"] {
            assert!(names.iter().any(|found| found == name), "{name} is not in {names:?}");
        }
        assert!(names.iter().any(|name| name.contains("ld-linux")), "{names:?}");
    }

    #[test]
    fn paths_that_leave_the_machine_are_refused() {
        let root = tempfile::tempdir().unwrap();
        for path in ["", "/", "relative", "/../etc/passwd", "/a/../../b"] {
            assert!(link(root.path(), Path::new("/dev/null"), Path::new(path)).is_err(), "{path}");
        }
        assert!(link(root.path(), Path::new("/no/such/file"), Path::new("/file")).is_err());
        for _ in 0..2 {
            link(root.path(), Path::new("/dev/null"), Path::new("/a/b")).unwrap();
        }
        let other = link(root.path(), Path::new("/dev/zero"), Path::new("/a/b"));
        assert!(other.is_err(), "two files cannot be in one place");
    }

    #[test]
    fn environment_and_command_survive_the_shell() {
        let value = "it's $HOME; `x` \"y\"\nz";
        let payload = Payload {
            env: vec![("A_1".into(), value.into())],
            command: "printf %s \"$A_1\"".into(),
            ..Payload::default()
        };
        let script = command(&payload).unwrap();
        let output = Command::new("sh").arg("-c").arg(script).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), value);
    }

    #[test]
    fn names_that_are_no_variables_are_refused() {
        for name in ["", "1A", "A B", "A;reboot", "Ä"] {
            let payload = Payload { env: vec![(name.into(), String::new())], ..Payload::default() };
            assert!(command(&payload).is_err(), "{name}");
        }
    }

    #[test]
    fn ldd_is_read() {
        let text = "\tlinux-vdso.so.1 (0x00007ffe)\n\tlibgcc_s.so.1 => /lib/x86_64-linux-gnu/libgcc_s.so.1 \
            (0x00007f01)\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\t/lib64/ld-linux-x86-64.so.2 (0x2)\n";
        let expected =
            ["/lib/x86_64-linux-gnu/libgcc_s.so.1", "/lib/libc.so.6", "/lib64/ld-linux-x86-64.so.2"];
        assert_eq!(parse_ldd(text).unwrap(), expected.map(PathBuf::from));
        assert_eq!(parse_ldd("\tstatically linked\n").unwrap(), Vec::<PathBuf>::new());
        assert!(parse_ldd("\tlibx.so => not found\n").is_err());
    }
}
