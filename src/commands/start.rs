//! `tracec start`: a session that outlives the shell.

use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use tracec_compiler::SourceMap;
use tracec_compiler::diagnostic::codes::started_session::started_session;
use tracec_compiler::diagnostic::codes::system_call::system_call;
use tracec_compiler::source::{LineEnds, LineIndex, Unit};
use tracec_kernel::escaped::Escaped;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::{InstanceName, Plan, Span};
use tracec_runtime::control::{
    self, Armed, Card, Control, Detached, Ending, StartError, Supervising, VERSION,
};
use tracec_runtime::session::{self, Ended, RunError, RunOptions, Summary};
use tracec_runtime::sink::Output;
use tracec_runtime::tracefs::Tracefs;

use super::prepared::{Prepared, load, prepare};
use super::started::to;
use super::{Failure, complain, plan, summarised};
use crate::cli::Start;
use crate::out::out;
use crate::source::Loaded;
use crate::{machine, print};

/// What supervises, until the session is armed or has failed.
type Own = Rc<RefCell<Option<Supervising>>>;

/// Starts a session, and waits until it is armed.
pub(crate) fn start(arguments: &Start) -> Result<ExitCode, Failure> {
    // Standard input is read before the process is another one.
    let loaded = load(&arguments.session)?;
    let failed =
        |what: &str, errno: tracec_runtime::Errno| Failure::from(system_call(what, &errno.to_string()));
    match control::detach().map_err(|errno| failed("fork", errno))? {
        Detached::Supervisor(own) => Ok(supervise(arguments, &loaded, own)),
        Detached::Command(waiting) => match waiting.wait().map_err(|errno| failed("read", errno))? {
            Some(Armed::Yes(text)) => {
                out().write_all(text.as_bytes())?;
                Ok(ExitCode::SUCCESS)
            }
            Some(Armed::No(status)) => Ok(ExitCode::from(status)),
            None => {
                let why = "the supervisor was killed before the session was armed; `tracec recover` puts back what it left";
                Err(started_session(why).into())
            }
        },
    }
}

/// Supervises a session to its end. Its failure before it is armed is printed, and its exit status is that of the command.
fn supervise(arguments: &Start, loaded: &Loaded, own: Supervising) -> ExitCode {
    let own: Own = Rc::new(RefCell::new(Some(own)));
    let result = attempt(arguments, loaded, &own);
    let Err(failure) = result else { return ExitCode::SUCCESS };
    let Some(mut own) = own.take() else { return ExitCode::FAILURE };
    // If they cannot be given back, the exit status alone reports the failure.
    let _ = own.speak();
    let status = complain(failure);
    own.report(&Armed::No(status));
    ExitCode::from(status)
}

fn attempt(arguments: &Start, loaded: &Loaded, own: &Own) -> Result<(), Failure> {
    let Prepared { live, mut plan, sources, options, has_left, built } =
        prepare(&arguments.session, loaded, false, &arguments.command)?;
    let path = match &options.output {
        Output::File { path, .. } | Output::Rotated { path, .. } => Some(std::path::absolute(path)?),
        // Of a session with dumps.
        Output::Nothing => None,
        Output::Stdout(_) | Output::Sink(_) => {
            let why = "a started session has no terminal to print to: write `output \"FILE\";` into it, or give `-o FILE`";
            return Err(Failure::Usage(why.to_owned()));
        }
    };
    know_marks(&mut plan, &live.0)?;
    let runtime_dir = std::path::absolute(&options.runtime_dir)?;
    let card = Card {
        version: VERSION,
        name: name(arguments, loaded, &plan),
        pid: std::process::id(),
        instance: (!plan.transaction.is_empty()).then(|| plan.transaction.instance().to_string()),
        output: path.clone(),
        is_ring: plan.life.ring.is_some(),
        is_rotated: plan.life.rotate.is_some(),
    };
    let (told, text) = (Rc::clone(own), armed(&card, arguments));
    let tell = move || told.take().is_some_and(|own| own.report(&Armed::Yes(text)));
    let texts = sources.clone();
    let clause = move |span: Span| clause(&texts, span);
    let not_started = |error: StartError| Failure::from(started_session(&error.to_string()));
    let mut control =
        Control::open(&runtime_dir, &card, Box::new(tell), Box::new(clause)).map_err(not_started)?;
    let no_call =
        |what: &str, errno: tracec_runtime::Errno| Failure::from(system_call(what, &errno.to_string()));
    if let Some(wait) = arguments.confirm_within {
        control.confirm_within(wait).map_err(|errno| no_call("timerfd_create", errno))?;
    }
    // From here on the session, its threads and its command have no terminal.
    if let Some(own) = own.borrow_mut().as_mut() {
        own.silence().map_err(|errno| no_call("dup2", errno))?;
    }
    let output = match (options.output, path) {
        (Output::File { path: _, form }, Some(path)) => Output::File { path, form },
        (Output::Rotated { path: _, form, rotation }, Some(path)) => Output::Rotated { path, form, rotation },
        (other, _) => other,
    };
    let options = RunOptions { runtime_dir, output, ..options };
    let ran = session::run_controlled(&live.0, &plan, options, &mut control);
    drop(built);
    if let (false, Err(error)) = (control.was_armed(), &ran) {
        return Err(Failure::Diagnostics(sources, machine::run(error, &plan)));
    }
    let keeps = !matches!(&ran, Ok(summary) if is_forgotten(summary));
    let ending = ending(&plan, &sources, ran, has_left);
    control.end(&ending, keeps).map_err(|errno| no_call("the result cannot be kept", errno))
}

/// Returns whether nobody will ask for the result of a session.
fn is_forgotten(summary: &Summary) -> bool {
    matches!(summary.ended_by, Ended::Unconfirmed | Ended::Unattended) && summary.residue.is_empty()
}

/// Returns what `run` would print at the end, and its exit status.
fn ending(plan: &Plan, sources: &SourceMap, ran: Result<Summary, RunError>, has_left: bool) -> Ending {
    match ran {
        Ok(summary) => {
            let mut text = summarised::text(plan, &summary, false);
            let mut status = summarised::status(&summary);
            let errors = summarised::errors(plan, &summary);
            if !errors.is_empty() {
                text += &print::rendered(sources, &errors, false);
                status = 1;
            }
            if let Some(left) = machine::residue(&summary.residue) {
                text += &print::rendered(&super::nowhere(), &[left], false);
                status = 1;
            }
            Ending { text, status: if has_left { 1 } else { status } }
        }
        Err(error) => {
            Ending { text: print::rendered(sources, &machine::run(&error, plan), false), status: 1 }
        }
    }
}

/// Lets the records of marks be read, which the session may not ask for itself.
fn know_marks(plan: &mut Plan, tracefs: &Tracefs) -> Result<(), Failure> {
    const PATH: &str = "events/ftrace/print/format";
    if !plan.has_ring() || plan.reading.formats.iter().any(|format| format.qualified_name() == "ftrace:print")
    {
        return Ok(());
    }
    let unreadable = |why: String| Failure::from(system_call(PATH, &why));
    let text = tracefs.read_to_string(PATH).map_err(|error| unreadable(error.to_string()))?;
    let format = EventFormat::parse("ftrace", &text).map_err(|error| unreadable(error.to_string()))?;
    plan.reading.formats.push(format);
    Ok(())
}

/// Returns the name that is asked for, or the session's own; for a text without a name, that of its file.
fn name(arguments: &Start, loaded: &Loaded, plan: &Plan) -> String {
    let own = || InstanceName::new(&plan.session).map(String::from);
    arguments.name.clone().unwrap_or_else(|| own().unwrap_or_else(|_| plan::stem(loaded)))
}

/// Returns the line that says that a session is armed.
fn armed(card: &Card, arguments: &Start) -> String {
    let Card { name, pid, instance, output, .. } = card;
    let instance = instance.as_ref().map_or(String::new(), |instance| format!(", instance {instance}"));
    let confirm = arguments.confirm_within.map_or(String::new(), |wait| {
        let wait = humantime::format_duration(wait);
        format!("{name}: ends in {wait} unless you type `tracec confirm {name}`\n")
    });
    format!("{name}: started, pid {pid}{instance}, {}\n{confirm}", Escaped::text(&to(output.as_deref())))
}

/// Returns the first line of a clause, and where it is: `session.trc:4: buffer 8MiB per cpu;`. Dots behind it stand for further
/// lines.
fn clause(sources: &SourceMap, span: Span) -> String {
    let file = sources.file(span.file);
    let lines = LineIndex::new(&file.text, LineEnds::Newline);
    let line = lines.position(span.start as usize, Unit::Byte).line + 1;
    let text = file.text.get(span.start as usize..span.end as usize).unwrap_or_default();
    let first: String = text.lines().next().unwrap_or_default().chars().take(60).collect();
    let more = if first.len() < text.trim_end().len() { " .." } else { "" };
    let name = Path::new(&file.name).file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
    Escaped::text(&format!("{name}:{line}: {first}{more}")).to_string()
}
