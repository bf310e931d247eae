//! `cargo xtask demo`: the quickstart session in the best available venue.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::mount::Tracefs;
use crate::setup::{self, Use};
use crate::snapshot::{Snapshot, note_on_others};
use crate::vm::{self, Kernel, Payload};
use crate::workspace;

const SESSION: &str = "examples/quickstart.trc";
const RECORDING: &str = "tests/data/quickstart.dat";

/// The load while the session records. The path makes the shell start a program, where it has `true` built in.
const LOAD: &str = "for i in 1 2 3; do /bin/true; done";

/// The profile `dev` optimises a little, for tests in emulated machines; without that, the build on a new machine takes
/// half as long.
const UNOPTIMISED: [&str; 2] = ["--config", "profile.dev.opt-level=0"];

/// The kernel of the machine: the newest in Debian's stable release.
const KERNEL: Kernel = Kernel::Debian6_12;

/// A venue for the session: what gives it a kernel or records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Venue {
    Live,
    Machine,
    Recording,
}

/// All venues, the best first.
const VENUES: [Venue; 3] = [Venue::Live, Venue::Machine, Venue::Recording];

/// The result of one venue. A broken promise of tracec is an error instead.
enum Ended {
    /// Records were shown.
    Shown,
    /// It cannot be shown here, for this reason.
    NotHere(String),
}

impl Venue {
    fn parse(word: &str) -> Result<Self> {
        match word {
            "live" => Ok(Self::Live),
            "vm" => Ok(Self::Machine),
            "recording" => Ok(Self::Recording),
            _ => bail!("no place {word:?}; there are live, vm, recording"),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Live => "the running kernel",
            Self::Machine => "a virtual machine",
            Self::Recording => "a recording",
        }
    }

    fn show(self, tracec: &Path) -> Result<Ended> {
        match self {
            Self::Live => live(tracec),
            Self::Machine => machine(tracec),
            Self::Recording => recording(tracec),
        }
    }
}

/// Runs `cargo xtask demo [--place live|vm|recording]`.
///
/// # Errors
/// Wrong arguments, tracec does not compile, no venue could show a record, or the kernel was not left as it was.
pub fn main(arguments: &[String]) -> Result<ExitCode> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let venues = match words.as_slice() {
        [] => VENUES.to_vec(),
        ["--place", word] => vec![Venue::parse(word)?],
        _ => bail!("usage: cargo xtask demo [--place live|vm|recording]"),
    };
    setup::ensure(&[]);
    say("building tracec, without optimisation: on a new machine that halves the wait");
    let start = Instant::now();
    let tracec = workspace::build_tracec_alone(&UNOPTIMISED)?;
    say(&format!("built in {:.0} s: {}", start.elapsed().as_secs_f64(), shown(&tracec)));
    for venue in venues {
        match venue.show(&tracec)? {
            Ended::Shown => return Ok(ExitCode::SUCCESS),
            Ended::NotHere(reason) => say(&format!("not on {}: {reason}", venue.name())),
        }
    }
    bail!("there is no place to run {SESSION}")
}

fn live(tracec: &Path) -> Result<Ended> {
    if !workspace::is_root() {
        return Ok(Ended::NotHere("only root may change what the kernel records".into()));
    }
    let tracefs = match Tracefs::find_or_mount() {
        Ok(tracefs) => tracefs,
        Err(error) => return Ok(Ended::NotHere(format!("{error:#}"))),
    };
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").context("the kernel's release")?;
    let mounted = if tracefs.was_mounted() { "is mounted" } else { "can be mounted, for tracec alone" };
    say(&format!("on the running kernel, Linux {}: this is root, and tracefs {mounted}", release.trim()));
    let mut command = Command::new(tracec);
    command.arg("run");
    if !tracefs.was_mounted() {
        command.arg("--mount");
    }
    command.args([SESSION, "--", "sh", "-c", LOAD]);
    if let Err(error) = tracefs.settle() {
        return Ok(Ended::NotHere(format!("{error:#}")));
    }
    let before = Snapshot::capture(tracefs.path())?;
    let shown = show(&mut command)?;
    let (differences, others) = before.diff_beside_others(&Snapshot::capture(tracefs.path())?);
    tracefs.close()?;
    for difference in &differences {
        println!("{difference}");
    }
    if !differences.is_empty() {
        bail!("the kernel's tracing state is not as before, see above");
    }
    say(&format!("the kernel's tracing state is as before: {} paths, no difference", before.len()));
    if let Some(note) = note_on_others(&others) {
        say(&note);
    }
    Ok(shown)
}

fn machine(tracec: &Path) -> Result<Ended> {
    setup::ensure(&[Use::Machine(KERNEL)]);
    let missing = vm::packages(KERNEL);
    if !missing.is_empty() {
        return Ok(Ended::NotHere(format!("it needs {}", missing.join(", "))));
    }
    say(&format!("in a virtual machine with Debian's kernel {KERNEL}, emulated; no right is needed for it"));
    let payload = Payload {
        binaries: vec![tracec.to_path_buf()],
        files: vec![(workspace::root().join(SESSION), Path::new("/").join(SESSION))],
        command: format!("cd / && tracec run {SESSION} -- sh -c '{LOAD}'"),
        timeout: Duration::from_secs(120),
        ..Payload::default()
    };
    println!("$ tracec run {SESSION} -- sh -c '{LOAD}'");
    match vm::run(KERNEL, payload) {
        Ok(outcome) => {
            Ok(ended(outcome.exit_code == 0, outcome.output.lines().filter(|line| is_record(line)).count()))
        }
        Err(error) => Ok(Ended::NotHere(format!("{error:#}"))),
    }
}

fn recording(tracec: &Path) -> Result<Ended> {
    say(&format!(
        "from a recording in the repository, {RECORDING}: nothing runs, this is what a run has left"
    ));
    show(Command::new(tracec).args(["report", RECORDING]))
}

/// Runs tracec, forwards its output and counts the records in it.
fn show(command: &mut Command) -> Result<Ended> {
    let words = command.get_args().map(|word| quoted(&word.to_string_lossy())).collect::<Vec<_>>();
    println!("$ tracec {}", words.join(" "));
    let mut records = 0;
    let status = workspace::stream(command.current_dir(workspace::root()), |line| {
        println!("{line}");
        records += usize::from(is_record(line));
    })?;
    Ok(ended(status.success(), records))
}

fn ended(success: bool, records: usize) -> Ended {
    match (success, records) {
        (true, 0) => Ended::NotHere("tracec ended well but printed no record".into()),
        (true, _) => {
            say(&format!("{records} records"));
            Ended::Shown
        }
        (false, _) => Ended::NotHere("tracec ended with an error, see above".into()),
    }
}

/// Returns whether a line is a record: `COMM-PID [CPU] FLAGS SECONDS: EVENT: ...`. A comm may itself hold a bracket.
fn is_record(line: &str) -> bool {
    line.match_indices(" [").any(|(at, bracket)| {
        let Some((cpu, rest)) = line[at + bracket.len()..].split_once("] ") else { return false };
        let Some((before, event)) = rest.split_once(": ") else { return false };
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        // The flags stand between the CPU and the time.
        let time = before.split_whitespace().last();
        is_number(cpu) && time.is_some_and(is_number) && event.contains(':')
    })
}

/// Returns a word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:".contains(c);
    if word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}

fn shown(path: &Path) -> String {
    path.strip_prefix(workspace::root()).unwrap_or(path).display().to_string()
}

fn say(text: &str) {
    println!("==> {text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_distinguished_from_other_lines() {
        assert!(is_record(
            "true-4711 [001] d..2.  123.456789: sched_process_exec: filename=\"/bin/true\" pid=4711"
        ));
        assert!(is_record("a [b] c-1 [0] 5: sched_process_exit: comm=x"));
        for line in
            ["", "# 255 events lost on cpu 0", "  => do_exit+0x10", "x [0] : a:b", "x [0] 1.5: text", "[0"]
        {
            assert!(!is_record(line), "{line:?}");
        }
    }

    #[test]
    fn venues_have_names() {
        assert_eq!(Venue::parse("vm").unwrap(), Venue::Machine);
        assert!(Venue::parse("moon").is_err());
        assert!(main(&["--place".to_owned()]).is_err());
    }

    #[test]
    fn only_records_make_a_good_end() {
        assert!(matches!(ended(true, 0), Ended::NotHere(_)));
        assert!(matches!(ended(false, 5), Ended::NotHere(_)));
        assert!(matches!(ended(true, 5), Ended::Shown));
    }
}
