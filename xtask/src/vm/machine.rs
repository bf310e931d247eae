//! One run of QEMU: its command line, its console, and the watchdog that ends it.

use std::io::{BufRead, BufReader, PipeReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::console::{Console, Event};
use super::{CommandOutcome, Payload};

/// The longest time in which a machine may switch off after its command has ended.
const SHUTDOWN: Duration = Duration::from_secs(20);

/// Boots `image` with `initrd` and waits until QEMU has ended.
pub(super) fn run(image: &Path, initrd: &Path, payload: &Payload, nonce: &str) -> Result<CommandOutcome> {
    let (mut shown, mut unseen) = (std::io::stdout(), std::io::sink());
    let out: &mut dyn Write = if payload.quiet { &mut unseen } else { &mut shown };
    let mut watch = Watch::new(nonce, out);
    let (reader, writer) = std::io::pipe()?;
    let mut command = qemu(image, initrd, &payload.cmdline);
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    let qemu = Qemu(command.spawn().context("cannot start QEMU")?);
    // It holds the other ends of the pipe; the console does not end before it is dropped.
    drop(command);
    let reached_end = watch.follow(&read_lines(reader), watch.start + payload.timeout)?;
    drop(qemu);
    watch.outcome(reached_end, payload.timeout)
}

fn qemu(image: &Path, initrd: &Path, cmdline: &[String]) -> Command {
    // A kernel may hang after an oops: it panics at once, with the reason on its console.
    let mut append = vec!["console=ttyS0", "quiet", "panic=-1", "oops=panic"];
    append.extend(cmdline.iter().map(String::as_str));
    // setpriv (util-linux): a machine must not outlive the run that started it, in whatever way that ends.
    let mut command = Command::new("setpriv");
    command
        .args(["--pdeathsig", "KILL", "qemu-system-x86_64"])
        // One thread for both CPUs: with one each, a kernel that patches its code (every tracepoint that is switched)
        // was seen to loop in the breakpoint of the patch on a CPU that did not see it removed.
        .args(["-accel", "tcg,thread=single", "-cpu", "max", "-m", "1024", "-smp", "2"])
        .args(["-nographic", "-no-reboot", "-nic", "none"])
        .arg("-kernel")
        .arg(image)
        .arg("-initrd")
        .arg(initrd)
        .args(["-append", &append.join(" ")]);
    command
}

/// The process, which is killed when this value is dropped.
struct Qemu(Child);

impl Drop for Qemu {
    fn drop(&mut self) {
        // Both fail only for a process that has already ended and been waited for.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns the lines of the console, read on a separate thread so that waiting for one can time out.
fn read_lines(reader: PipeReader) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).is_ok_and(|length| length > 0) {
            if sender.send(std::mem::take(&mut line)).is_err() {
                return;
            }
        }
    });
    receiver
}

/// The state of the machine while it runs.
struct Watch<'a> {
    /// The writer that shows its output.
    out: &'a mut dyn Write,
    console: Console,
    start: Instant,
    boot: Option<Duration>,
    exit_code: Option<i32>,
    output: String,
}

impl<'a> Watch<'a> {
    /// Returns the state of a machine that starts now.
    fn new(nonce: &str, out: &'a mut dyn Write) -> Self {
        let (console, start) = (Console::new(nonce), Instant::now());
        Self { out, console, start, boot: None, exit_code: None, output: String::new() }
    }

    /// Takes lines until the console ends (true) or the time is up (false).
    fn follow(&mut self, lines: &Receiver<Vec<u8>>, mut deadline: Instant) -> Result<bool> {
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            // The time is checked first: a machine with endless output always has a line ready.
            if left.is_zero() {
                return Ok(false);
            }
            match lines.recv_timeout(left) {
                Ok(line) => {
                    if self.take(&line)? {
                        deadline = Instant::now() + SHUTDOWN;
                    }
                }
                Err(RecvTimeoutError::Disconnected) => return Ok(true),
                Err(RecvTimeoutError::Timeout) => return Ok(false),
            }
        }
    }

    /// Takes one line; returns whether the command has ended with it.
    fn take(&mut self, line: &[u8]) -> Result<bool> {
        match self.console.line(line) {
            Event::Boot | Event::Shutdown => {}
            Event::Begin => self.boot = Some(self.start.elapsed()),
            Event::Output(text) => self.show(&text)?,
            Event::End(rest, exit_code) => {
                if let Some(text) = rest {
                    self.show(&text)?;
                }
                self.exit_code = Some(exit_code);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn show(&mut self, line: &str) -> Result<()> {
        writeln!(self.out, "{line}").context("cannot show the machine's output")?;
        self.output.push_str(line);
        self.output.push('\n');
        Ok(())
    }

    fn outcome(self, reached_end: bool, timeout: Duration) -> Result<CommandOutcome> {
        if let Some(panic) = self.console.panic() {
            bail!("{panic}\n{}", self.console.tail());
        }
        let (Some(exit_code), Some(boot)) = (self.exit_code, self.boot) else {
            let what = match (reached_end, self.boot) {
                (false, None) => format!("no command started within {} s", timeout.as_secs()),
                (false, Some(_)) => format!("the command did not end within {} s", timeout.as_secs()),
                (true, None) => "the machine ended before the command started".to_owned(),
                (true, Some(_)) => "the machine ended while the command ran".to_owned(),
            };
            bail!("{what}; the last lines of its console:\n{}", self.console.tail());
        };
        if !reached_end {
            eprintln!("the machine did not switch off within {} s and was killed", SHUTDOWN.as_secs());
        }
        Ok(CommandOutcome { exit_code, output: self.output, boot, duration: self.start.elapsed() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the outcome of a machine that prints `lines` and then ends, or hangs.
    fn outcome(lines: &[&str], ends: bool) -> Result<CommandOutcome> {
        let mut shown = Vec::new();
        let mut watch = Watch::new("1", &mut shown);
        for line in lines {
            watch.take(line.as_bytes())?;
        }
        let outcome = watch.outcome(ends, Duration::from_secs(600))?;
        assert_eq!(outcome.output.as_bytes(), shown, "what is returned has been shown");
        Ok(outcome)
    }

    #[test]
    fn a_whole_run_has_an_outcome() {
        let lines = ["boot", "##machine-1## begin", "a", "b##machine-1## end 3", "reboot: Power down"];
        for ends in [true, false] {
            let outcome = outcome(&lines, ends).unwrap();
            assert_eq!((outcome.exit_code, outcome.output.as_str()), (3, "a\nb\n"));
        }
    }

    #[test]
    fn a_machine_that_hangs_or_ends_early_is_an_error_with_its_last_lines() {
        let cases: [(&[&str], bool, &str); 4] = [
            (&["boot"], false, "no command started within 600 s"),
            (&["boot"], true, "the machine ended before the command started"),
            (&["##machine-1## begin", "boot"], false, "the command did not end within 600 s"),
            (&["##machine-1## begin", "boot"], true, "the machine ended while the command ran"),
        ];
        for (lines, ends, message) in cases {
            let error = outcome(lines, ends).unwrap_err().to_string();
            assert!(error.starts_with(message) && error.contains("| boot"), "{error}");
        }
    }

    #[test]
    fn a_panic_is_reported_even_after_the_end() {
        let panic = "Kernel panic - not syncing: Attempted to kill init!";
        let lines = ["##machine-1## begin", "##machine-1## end 0", panic];
        assert!(outcome(&lines, true).unwrap_err().to_string().starts_with(panic));
    }

    #[test]
    fn the_console_is_followed_to_its_end_or_to_the_deadline() {
        let (sender, receiver) = mpsc::channel();
        let mut shown = Vec::new();
        let mut watch = Watch::new("1", &mut shown);
        sender.send(b"a line is always ready\n".to_vec()).unwrap();
        assert!(!watch.follow(&receiver, Instant::now()).unwrap());
        drop(sender);
        assert!(watch.follow(&receiver, Instant::now() + Duration::from_secs(600)).unwrap());
    }

    #[test]
    fn the_command_line_ends_with_the_words_of_the_caller() {
        let command = qemu(Path::new("/k"), Path::new("/i"), &["lockdown=confidentiality".to_owned()]);
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.last().unwrap(), "console=ttyS0 quiet panic=-1 oops=panic lockdown=confidentiality");
    }
}
