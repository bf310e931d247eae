//! libtraceevent's `tep_filter_match` as a process: a C program that is compiled at run time.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use crate::recording::Records;
use crate::{Measured, passes};

/// The directory of the headers of Debian's libtraceevent-dev, for a machine without pkg-config.
const FLAGS: [&str; 2] = ["-I/usr/include/traceevent", "-ltraceevent"];

/// The running program. It ends when its input ends.
pub(crate) struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    /// The library and the compiler's options, for the output.
    pub(crate) made_of: String,
}

/// The decision of the library on a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Decision {
    Kept,
    Dropped,
    /// It reports an error, which does not count as a match.
    Error,
}

impl Peer {
    /// Compiles the program and sends it the records; or returns why that is not possible here.
    pub(crate) fn start(scratch: &Path, records: &Records) -> io::Result<Result<Peer, String>> {
        if Command::new("cc").arg("--version").output().is_err() {
            return Ok(Err("there is no C compiler `cc`".to_owned()));
        }
        let (flags, version) = library();
        let probe = scratch.join("probe.c");
        std::fs::write(&probe, "#include <event-parse.h>\nint main(void) { return !tep_alloc(); }\n")?;
        if let Err(said) = compile(&probe, &scratch.join("probe"), &flags)? {
            let said = said.lines().find(|line| line.contains("error")).unwrap_or("no reason is given");
            return Ok(Err(format!("libtraceevent-dev is not there: {said}")));
        }
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/conditions_peer/tep.c");
        let program = scratch.join("tep");
        // If the library is there, a program that does not compile is an error.
        compile(&source, &program, &flags)?.map_err(io::Error::other)?;
        let (format, file) = (scratch.join("format"), scratch.join("records"));
        std::fs::write(&format, records.format_file())?;
        std::fs::write(&file, records.bytes())?;
        let mut command = Command::new(program);
        command.arg(format).arg(file).arg(passes(records).to_string());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("the peer has no pipes");
        let input = child.stdin.take().ok_or_else(missing)?;
        let output = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Ok(Peer { child, input, output, made_of: format!("libtraceevent{version}, cc -O2") }))
    }

    /// Sets the filter for the next questions.
    ///
    /// # Errors
    /// The library refuses the filter, or the program does not answer.
    pub(crate) fn filter(&mut self, text: &str) -> io::Result<()> {
        match self.ask(&format!("filter sched/sched_switch: {text}"))?.as_str() {
            "ok" => Ok(()),
            refused => Err(io::Error::other(format!("libtraceevent, `{text}`: {refused}"))),
        }
    }

    /// Returns the decision on each record.
    pub(crate) fn decide(&mut self) -> io::Result<Vec<Decision>> {
        let answer = self.ask("decide")?;
        let decision = |character| match character {
            '1' => Ok(Decision::Kept),
            '0' => Ok(Decision::Dropped),
            'E' => Ok(Decision::Error),
            other => Err(io::Error::other(format!("the peer's decision `{other}`"))),
        };
        answer.chars().map(decision).collect()
    }

    /// Times [`passes`] over all records.
    pub(crate) fn round(&mut self) -> io::Result<Measured> {
        let answer = self.ask("round")?;
        let strange = |_| io::Error::other(format!("the peer's answer `{answer}`"));
        let numbers = answer.split(' ').map(str::parse::<u64>).collect::<Result<Vec<_>, _>>();
        match numbers.map_err(strange)?[..] {
            [kept, wall, cpu] => Ok(Measured {
                kept: kept as usize,
                wall: Duration::from_nanos(wall),
                cpu: Duration::from_nanos(cpu),
            }),
            _ => Err(io::Error::other(format!("the peer's answer `{answer}`"))),
        }
    }

    fn ask(&mut self, question: &str) -> io::Result<String> {
        writeln!(self.input, "{question}")?;
        self.input.flush()?;
        let mut answer = String::new();
        if self.output.read_line(&mut answer)? == 0 {
            return Err(io::Error::other(format!("the peer ended at `{question}`: {}", self.child.wait()?)));
        }
        Ok(answer.trim_end_matches('\n').to_owned())
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // Its remaining output is not needed, but it has to end: the files that it reads are removed next.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Returns the compiler options for the library, and its version where pkg-config knows it.
fn library() -> (Vec<String>, String) {
    let asked = |what: &[&str]| {
        let output = Command::new("pkg-config").args(what).arg("libtraceevent").output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let flags = asked(&["--cflags", "--libs"]);
    let flags = flags.map_or(FLAGS.map(str::to_owned).to_vec(), |flags| {
        flags.split_whitespace().map(str::to_owned).collect()
    });
    (flags, asked(&["--modversion"]).map(|version| format!(" {version}")).unwrap_or_default())
}

/// Compiles a program; or returns the compiler's message.
fn compile(source: &Path, program: &Path, flags: &[String]) -> io::Result<Result<(), String>> {
    let mut cc = Command::new("cc");
    let built = cc.args(["-O2", "-Wall", "-o"]).arg(program).arg(source).args(flags).output()?;
    Ok(if built.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&built.stderr).into_owned()) })
}
