//! The root of the workspace, and calls of cargo and other programs in it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::{env, fs};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// Returns the root of the workspace.
pub fn root() -> PathBuf {
    // `cargo run` sets the variable; without it (the binary was copied) the directory of the build is used.
    let manifest = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let manifest = manifest.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    manifest.parent().map(Path::to_path_buf).unwrap_or(manifest)
}

/// The beginning of the first line of a `.trc` file that this version does not support yet.
pub const WAITS: &str = "//! Waits for ";

/// Returns a command for the cargo that runs this program, in the root of the workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    // The variables that cargo sets for its child describe xtask, and would mislead a build of anything else.
    for name in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CARGO_PKG_NAME"] {
        command.env_remove(name);
    }
    command
}

/// Returns the output of `cargo metadata`; `arguments` are added to the call.
pub fn metadata(arguments: &[&str]) -> Result<Value> {
    let output = cargo()
        .args(["metadata", "--format-version", "1"])
        .args(arguments)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo metadata could not be started")?;
    if !output.status.success() {
        bail!("cargo metadata: {}", output.status);
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata did not write JSON")
}

/// An executable that cargo has built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Executable {
    /// The directory of its package, relative to the root; empty for the root package.
    pub package: PathBuf,
    /// The name of the target: `tracec`, `live`.
    pub target: String,
    /// The path of the file.
    pub path: PathBuf,
}

/// Runs a cargo command that builds (`build ...`, `test --no-run ...`) and returns the executables it made.
pub fn build(arguments: &[&str]) -> Result<Vec<Executable>> {
    let root = root();
    let mut executables = Vec::new();
    let mut command = cargo();
    command.args(arguments).arg("--message-format=json-render-diagnostics");
    let status = stream(&mut command, |line| executables.extend(executable(line, &root)))?;
    if !status.success() {
        bail!("cargo {}: {status}", arguments.join(" "));
    }
    Ok(executables)
}

/// Builds the `tracec` binary for tests.
///
/// It is built with a test beside it, and from the whole workspace. Cargo then enables the features of dependencies that
/// the tests have, so that nothing is compiled a second time with others.
pub fn build_tracec() -> Result<PathBuf> {
    tracec_of(&["build", "--workspace", "--bin", "tracec", "--test", TEST])
}

/// A test of the root package: one of the smallest.
const TEST: &str = "closed_output";

/// Builds the `tracec` binary and only what it needs; `arguments` are added to the call.
pub fn build_tracec_alone(arguments: &[&str]) -> Result<PathBuf> {
    tracec_of(&[&["build", "--package", "tracec", "--bin", "tracec"], arguments].concat())
}

fn tracec_of(arguments: &[&str]) -> Result<PathBuf> {
    let tracec = build(arguments)?.into_iter().find(|e| e.target == "tracec");
    Ok(tracec.context("cargo built no binary tracec")?.path)
}

/// Returns the executable in a line of cargo's messages; the tool writes other messages between them.
fn executable(line: &str, root: &Path) -> Option<Executable> {
    let message: Value = serde_json::from_str(line).ok()?;
    let path = message.get("executable")?.as_str()?;
    let manifest = Path::new(message.get("manifest_path")?.as_str()?);
    let package = manifest.parent()?.strip_prefix(root).ok()?;
    let target = message.get("target")?.get("name")?.as_str()?;
    Some(Executable { package: package.into(), target: target.into(), path: path.into() })
}

/// Runs a program, passes every line of its output to `line` as it is written, and returns how it ended.
///
/// Bytes that are not UTF-8 are replaced: the lines are shown and searched, not stored.
pub fn stream(command: &mut Command, mut line: impl FnMut(&str)) -> Result<ExitStatus> {
    let name = command.get_program().to_string_lossy().into_owned();
    let mut child =
        command.stdout(Stdio::piped()).spawn().with_context(|| format!("{name} could not be started"))?;
    let output = child.stdout.take().context("a piped child has an output")?;
    let mut output = BufReader::new(output);
    let mut bytes = Vec::new();
    while output.read_until(b'\n', &mut bytes).with_context(|| format!("output of {name}"))? > 0 {
        line(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
    child.wait().with_context(|| format!("waiting for {name}"))
}

/// Runs a program with inherited output; an exit code other than 0 is an error.
pub fn run(command: &mut Command) -> Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name}: {status}");
    }
    Ok(())
}

/// Adds every file below `directory` that `wanted` accepts, sorted by path. Hidden directories and those with a name in
/// `skip` are left out.
pub fn files_below(
    directory: &Path,
    skip: &[&str],
    wanted: &dyn Fn(&Path) -> bool,
    files: &mut Vec<PathBuf>,
) -> Result<()> {
    let entries = fs::read_dir(directory).with_context(|| directory.display().to_string())?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort_unstable();
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && !path.is_symlink() {
            if !name.starts_with('.') && !skip.contains(&name.as_ref()) {
                files_below(&path, skip, wanted, files)?;
            }
        } else if wanted(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// Returns whether there is a program of this name.
pub fn in_path(program: &str) -> bool {
    find_in_path(program).is_some()
}

/// Returns the program of this name in a directory of PATH, or in those where Debian keeps programs for root.
pub fn find_in_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    env::split_paths(&path).chain(system).map(|directory| directory.join(program)).find(|file| file.is_file())
}

/// Returns whether the toolchain has `cargo NAME`; `fmt` and `clippy` are optional components.
pub fn has_cargo_command(name: &str) -> bool {
    let call = cargo().args([name, "--version"]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    call.is_ok_and(|status| status.success())
}

/// Returns whether the process has the user id 0.
pub fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_with_an_executable_is_found() {
        let line = r#"{"reason":"compiler-artifact","manifest_path":"/w/runtime/Cargo.toml",
            "target":{"name":"live","kind":["test"]},"executable":"/w/target/debug/deps/live-1"}"#;
        let found = executable(line, Path::new("/w")).unwrap();
        let path = PathBuf::from("/w/target/debug/deps/live-1");
        assert_eq!(found, Executable { package: "runtime".into(), target: "live".into(), path });
    }

    #[test]
    fn other_messages_are_passed_over() {
        let root = Path::new("/w");
        assert_eq!(executable(r#"{"reason":"build-finished","success":true}"#, root), None);
        assert_eq!(executable(r#"{"reason":"compiler-artifact","executable":null}"#, root), None);
        assert_eq!(executable("running 3 tests", root), None);
        assert_eq!(executable("", root), None);
    }

    #[test]
    fn a_stream_is_lines_and_a_status() {
        let mut lines = Vec::new();
        let mut command = Command::new("sh");
        command.args(["-c", r"printf 'one\r\n\377two\nthree'; exit 7"]);
        let status = stream(&mut command, |line| lines.push(line.to_owned())).unwrap();
        assert_eq!(status.code(), Some(7));
        assert_eq!(lines, ["one", "\u{fffd}two", "three"]);
    }
}
