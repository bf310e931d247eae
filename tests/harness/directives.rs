//! Sessions as tests: `tests/live/NAME.trc` with directives in comments, one a line.
//!
//! | directive | meaning |
//! |---|---|
//! | `// REQUIRES: event SYS:EV` | the kernel has the event; else the test is skipped |
//! | `// REQUIRES: file PATH` | tracefs has the file |
//! | `// REQUIRES: trigger NAME` | the kernel lists the trigger |
//! | `// REQUIRES: btf` | the kernel describes its types |
//! | `// ARGS: ..` | more arguments of `tracec run`, split at blanks |
//! | `// LOAD: ..` | a shell command, run as the session's command |
//! | `// EXPECT: ..` | a line of standard output matches; `*` stands for anything |
//! | `// EXPECT-NOT: ..` | no line of it matches |
//! | `// STDERR: ..` | standard error holds the text |
//! | `// EXIT: N` | the exit status, 0 if not given |
//! | `// TIMEOUT: N` | seconds the run may take |

use std::path::{Path, PathBuf};
use std::time::Duration;

use libtest_mimic::{Failed, Trial};

use super::bench::{Bench, TIMEOUT, finish};

/// The directives of a test file.
#[derive(Debug, Default)]
struct Directives {
    requires: Vec<String>,
    args: Vec<String>,
    load: Option<String>,
    expect: Vec<String>,
    expect_not: Vec<String>,
    stderr: Vec<String>,
    exit: i32,
    timeout: Option<Duration>,
}

/// Returns one trial per file.
pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    files(bench).iter().map(|path| trial(bench, path)).collect()
}

/// Returns the test files.
pub(crate) fn files(bench: &Bench) -> Vec<PathBuf> {
    let dir = bench.data.join("live");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.extension().is_some_and(|ending| ending == "trc"))
        .collect();
    files.sort();
    files
}

/// Returns whether a test file requires something that kernels may lack.
pub(crate) fn has_requirements(path: &Path) -> bool {
    std::fs::read_to_string(path).is_ok_and(|text| parse(&text).is_ok_and(|found| !found.requires.is_empty()))
}

/// Returns the load of a test file that tracefs records, and not programs (`bpf_NAME.trc`); `None` if it has none, or
/// requires something that the kernel lacks.
pub(crate) fn load_of(bench: &Bench, path: &Path) -> Option<String> {
    let directives = parse(&std::fs::read_to_string(path).ok()?).ok()?;
    let by_tracefs = !path.file_stem().is_some_and(|stem| stem.to_string_lossy().starts_with("bpf_"));
    directives.load.filter(|_| by_tracefs && directives.requires.iter().all(|what| met(bench, what)))
}

fn trial(bench: &Bench, path: &Path) -> Trial {
    let name = format!("session {}", path.file_stem().unwrap_or_default().to_string_lossy());
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let directives = parse(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let missing = directives.requires.iter().find(|what| !met(bench, what)).cloned();
    let path = path.to_owned();
    let trial = bench.trial(&name, move |bench| run(bench, &path, &directives));
    match missing {
        Some(missing) => {
            println!("SKIPPED {name}: this kernel has no {missing}");
            trial.with_ignored_flag(true)
        }
        None => trial,
    }
}

fn parse(text: &str) -> Result<Directives, String> {
    let mut directives = Directives::default();
    for line in text.lines() {
        let Some((word, rest)) = line.trim().strip_prefix("// ").and_then(|line| line.split_once(':')) else {
            continue;
        };
        let rest = rest.trim().to_owned();
        let number = || rest.parse().map_err(|_| format!("{word}: {rest:?} is not a number"));
        match word {
            "REQUIRES" => directives.requires.push(rest),
            "ARGS" => directives.args.extend(rest.split_whitespace().map(str::to_owned)),
            "LOAD" => directives.load = Some(rest),
            "EXPECT" => directives.expect.push(rest),
            "EXPECT-NOT" => directives.expect_not.push(rest),
            "STDERR" => directives.stderr.push(rest),
            "EXIT" => directives.exit = number()?,
            "TIMEOUT" => directives.timeout = Some(Duration::from_secs(number()?.unsigned_abs().into())),
            word if word.chars().all(|c| c.is_ascii_uppercase() || c == '-') && word.len() > 2 => {
                return Err(format!("unknown directive {word}"));
            }
            _ => {}
        }
    }
    if directives.expect.is_empty() && directives.stderr.is_empty() {
        return Err("expects nothing, so it cannot fail".to_owned());
    }
    Ok(directives)
}

fn met(bench: &Bench, requirement: &str) -> bool {
    match requirement.split_once(' ') {
        Some(("event", name)) => bench.has(&format!("events/{}/format", name.replacen(':', "/", 1))),
        Some(("file", path)) => bench.has(path),
        Some(("trigger", name)) => {
            let list = std::fs::read_to_string(bench.tracefs.join("events/sched/sched_switch/trigger"));
            list.is_ok_and(|list| list.split_whitespace().any(|word| word == name))
        }
        None if requirement == "btf" => Path::new("/sys/kernel/btf/vmlinux").exists(),
        _ => panic!("unknown requirement {requirement:?}"),
    }
}

fn run(bench: &Bench, path: &Path, directives: &Directives) -> Result<(), Failed> {
    let mut command = bench.tracec("run");
    command.args(&directives.args).arg(path);
    if let Some(load) = &directives.load {
        command.args(["--", "sh", "-c", load]);
    }
    let finished = finish(command, directives.timeout.unwrap_or(TIMEOUT))?;
    finished.expect_status(directives.exit)?;
    for wanted in &directives.stderr {
        finished.expect_stderr(wanted)?;
    }
    for wanted in &directives.expect {
        if !finished.stdout.lines().any(|line| matches(wanted, line)) {
            return Err(format!("no line matches {wanted:?}\n{finished}").into());
        }
    }
    for unwanted in &directives.expect_not {
        if let Some(line) = finished.stdout.lines().find(|line| matches(unwanted, line)) {
            return Err(format!("{line:?} matches {unwanted:?}\n{finished}").into());
        }
    }
    Ok(())
}

/// Returns whether a line matches: `*` stands for any text, everything else for itself.
pub(crate) fn matches(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = line.strip_prefix(first) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}
