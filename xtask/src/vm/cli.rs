//! `cargo xtask vm`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::initramfs::quote;
use super::{CommandOutcome, Kernel, Payload, run};

const USAGE: &str = "\
usage: cargo xtask vm --kernel 6.1|6.12|full [OPTIONS] [--shell-command CMD | -- PROGRAM ARGS...]

Boots the kernel in QEMU and runs a shell command, or a program of this host, as root.
Without either, it says what the machine can trace. The exit code is 0 when the command's is.

  --binary PATH        put this program into /bin of the machine, with its libraries (repeatable)
  --file HOST:MACHINE  put this file or directory there (repeatable)
  --env NAME=VALUE     set an environment variable (repeatable)
  --append WORD        a word for the kernel's command line (repeatable)
  --timeout SECONDS    kill the machine after this time (600)";

/// Prints the machine's kernel and tracers.
const DESCRIBE: &str = "uname -a
cd /sys/kernel/tracing
echo \"tracers: $(cat available_tracers)\"
echo \"clocks: $(cat trace_clock)\"
echo \"events: $(wc -l <available_events)\"
for file in kprobe_events uprobe_events dynamic_events synthetic_events user_events_data snapshot \\
    stack_max_size events/sched/sched_switch/hist events/sched/sched_switch/inject set_ftrace_filter; do
    if [ -e \"$file\" ]; then echo \"has $file\"; else echo \"lacks $file\"; fi
done
if [ -e /sys/kernel/btf/vmlinux ]; then echo 'has BTF'; else echo 'lacks BTF'; fi";

#[derive(Debug, PartialEq, Eq)]
enum Request {
    Help,
    Run(Kernel, Payload),
}

/// Runs the command `vm` with the arguments after it.
///
/// # Errors
///
/// The arguments are wrong, an error of [`run`], or the command's exit code is not 0.
pub fn main(args: &[String]) -> Result<()> {
    let (kernel, payload) = match parse(args)? {
        Request::Help => {
            println!("{USAGE}");
            return Ok(());
        }
        Request::Run(kernel, payload) => (kernel, payload),
    };
    let CommandOutcome { exit_code, boot, duration, .. } = run(kernel, payload)?;
    eprintln!(
        "kernel {kernel}: exit code {exit_code}, {:.1} s, of which {:.1} s until the command began",
        duration.as_secs_f64(),
        boot.as_secs_f64()
    );
    if exit_code != 0 {
        bail!("the command in the machine ended with exit code {exit_code}");
    }
    Ok(())
}

fn parse(args: &[String]) -> Result<Request> {
    let mut kernel = None;
    let mut payload = Payload { command: DESCRIBE.to_owned(), ..Payload::default() };
    let mut has_command = false;
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            if std::mem::replace(&mut has_command, true) {
                bail!("--shell-command and a program exclude each other");
            }
            program(words.as_slice(), &mut payload)?;
            break;
        }
        if ["--help", "-h"].contains(&word.as_str()) {
            return Ok(Request::Help);
        }
        let mut value = || words.next().with_context(|| format!("{word} needs a value"));
        match word.as_str() {
            "--kernel" => kernel = Some(value()?.parse()?),
            "--shell-command" => {
                has_command = true;
                payload.command.clone_from(value()?);
            }
            "--binary" => payload.binaries.push(value()?.into()),
            "--file" => payload.files.push(pair(value()?, ':')?),
            "--env" => payload.env.push(pair(value()?, '=')?),
            "--append" => payload.cmdline.push(value()?.clone()),
            "--timeout" => payload.timeout = Duration::from_secs(value()?.parse().context("--timeout")?),
            _ => bail!("unexpected `{word}`\n{USAGE}"),
        }
    }
    let kernel = kernel.with_context(|| format!("which kernel?\n{USAGE}"))?;
    Ok(Request::Run(kernel, payload))
}

/// Makes a program of the host, with its arguments, the command.
fn program(words: &[String], payload: &mut Payload) -> Result<()> {
    let (program, arguments) = words.split_first().context("no program after --")?;
    let name = Path::new(program).file_name().and_then(|name| name.to_str());
    let name = name.with_context(|| format!("no program: {program}"))?;
    payload.binaries.push(PathBuf::from(program));
    let words: Vec<_> = std::iter::once(format!("/bin/{name}")).chain(arguments.iter().cloned()).collect();
    payload.command = words.iter().map(|word| quote(word)).collect::<Vec<_>>().join(" ");
    Ok(())
}

fn pair<A, B>(text: &str, separator: char) -> Result<(A, B)>
where
    A: From<String>,
    B: From<String>,
{
    let (left, right) =
        text.split_once(separator).with_context(|| format!("`{text}` has no `{separator}`"))?;
    Ok((left.to_owned().into(), right.to_owned().into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Request> {
        parse(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
    }

    fn payload(words: &[&str]) -> Payload {
        match parsed(words).unwrap() {
            Request::Run(_, payload) => payload,
            Request::Help => panic!("help"),
        }
    }

    #[test]
    fn a_program_brings_its_arguments() {
        let payload = payload(&["--kernel", "full", "--", "target/debug/live", "--help", "it's"]);
        assert_eq!(payload.binaries, [PathBuf::from("target/debug/live")]);
        assert_eq!(payload.command, r"'/bin/live' '--help' 'it'\''s'");
    }

    #[test]
    fn options_are_kept() {
        let words =
            "--kernel 6.1 --file a:/b --env A=b=c --append lockdown=integrity --timeout 7 --shell-command x";
        let payload = payload(&words.split(' ').collect::<Vec<_>>());
        assert_eq!(payload.files, [("a".into(), "/b".into())]);
        assert_eq!(payload.env, [("A".into(), "b=c".into())]);
        assert_eq!(payload.cmdline, ["lockdown=integrity"]);
        assert_eq!((payload.timeout.as_secs(), payload.command.as_str()), (7, "x"));
    }

    #[test]
    fn mistakes_are_named() {
        let cases: [(&[&str], &str); 7] = [
            (&[], "which kernel?"),
            (&["--kernel"], "--kernel needs a value"),
            (&["--kernel", "5.10"], "there is no kernel `5.10`"),
            (&["--kernel", "6.1", "--"], "no program after --"),
            (&["--kernel", "6.1", "--file", "a"], "`a` has no `:`"),
            (&["--kernel", "6.1", "live"], "unexpected `live`"),
            (&["--shell-command", "x", "--", "y"], "--shell-command and a program exclude each other"),
        ];
        for (words, message) in cases {
            let error = parsed(words).unwrap_err().to_string();
            assert!(error.starts_with(message), "{words:?}: {error}");
        }
        assert!(matches!(parsed(&["-h"]), Ok(Request::Help)));
    }
}
