//! Refusals by the kernel: the message is at the clause, and everything is undone, at each step.

use std::path::Path;

use libtest_mimic::{Failed, Trial};
use tracec::{Input, InstanceName, LiveKernel, Options, Plan, SourceText, Tracefs, compile};
use tracec_kernel::plan::{Action, FilePath, Location, Span, Step, Transaction};
use tracec_runtime::session::{self, ApplyError};

use super::bench::{Bench, TIMEOUT, finish};

/// A session with a step of every kind.
const EVERY_KIND: &str = "buffer 256KiB per cpu; clock mono; option overwrite off;
    trace sched:sched_switch if prev_prio < 100 { trigger stacktrace count 5; }
    on signal:signal_generate if sig == 9 { trigger traceoff once; }";

/// Writes that kernels refuse: the description, the file, the value.
const REFUSED: [(&str, &str, &str); 3] = [
    // kernel/trace/trace_nop.c
    ("EINVAL of test_nop_refuse", "options/test_nop_refuse", "1"),
    // The filter's parser returns this number for a surplus parenthesis.
    ("EPERM of the filter's parser", "events/sched/sched_switch/filter", "prev_prio < 1)"),
    // As with a profile of another kernel.
    ("an unknown field", "events/sched/sched_switch/filter", "no_such_field == 1"),
];

/// The events of the test session, one filter each.
const EVENTS: [&str; 4] = ["sched_process_exec", "sched_process_exit", "sched_process_fork", "sched_waking"];

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    let mut trials = Vec::new();
    for stale in 0..EVENTS.len() {
        let name = format!("a stale profile: filter {stale} is refused");
        trials.push(bench.trial(&name, move |bench| stale_profile(bench, stale)));
    }
    for place in 0..3 {
        let name = format!("a refused option in place {place}");
        trials.push(bench.trial(&name, move |bench| refused_option(bench, place)));
    }
    for (what, file, value) in REFUSED {
        let name = format!("a refusal at each step of a plan: {what}");
        trials.push(bench.trial(&name, move |bench| at_each_step(bench, file, value)));
    }
    // Kernels with a partial lockdown refuse this file to root; elsewhere the refusals above take its place.
    if is_refused(bench, "set_ftrace_pid") {
        let name = "a refusal at each step of a plan: EPERM of a lockdown policy";
        trials.push(bench.trial(name, |bench| at_each_step(bench, "set_ftrace_pid", "1")));
    }
    trials.push(bench.trial("an instance that is there is not touched", taken));
    trials
}

/// Puts a refused write at each place of a plan after the first; everything that was done before it is undone.
fn at_each_step(bench: &Bench, file: &str, value: &str) -> Result<(), Failed> {
    let tracefs = Tracefs::open(&bench.tracefs)?;
    let good = plan(bench)?.transaction;
    let runtime_dir = tempfile::tempdir()?;
    for step in 1..=good.steps().len() {
        let mut steps = good.steps().to_vec();
        if step == 1 {
            // Own tasks can be left out directly after the instance is made only.
            steps.retain(|step| step.action != Action::LeaveOut);
        }
        let file = Location::Instance(FilePath::new(file)?);
        steps.insert(step, Step::write(file, value, Span::default()));
        let transaction = Transaction::new(good.instance().clone(), steps)?;
        bench.unchanged(&format!("step {step}"), || {
            match session::apply(&tracefs, &transaction, &runtime_dir.path().join("run")) {
                Err(ApplyError::Refused { step: at, residue, .. }) if at == step && residue.is_empty() => {
                    Ok(())
                }
                other => Err(format!("step {step}: {other:?}").into()),
            }
        })?;
        if runtime_dir.path().join("run").exists() {
            return Err(format!("step {step}: the journal is left").into());
        }
    }
    Ok(())
}

/// Returns whether a policy like lockdown refuses a control file to root, before anything is written to it.
fn is_refused(bench: &Bench, file: &str) -> bool {
    const EPERM: i32 = 1;
    let opened = std::fs::OpenOptions::new().write(true).open(bench.tracefs.join(file));
    opened.is_err_and(|error| error.raw_os_error() == Some(EPERM))
}

fn plan(bench: &Bench) -> Result<Plan, Failed> {
    let text = SourceText { name: "-e".to_owned(), text: EVERY_KIND.to_owned(), one_liner: true };
    let options = Options::new(None, InstanceName::new("tracec-refused")?);
    let compilation = compile(Input::new(&text, &LiveKernel(Tracefs::open(&bench.tracefs)?)), &options);
    compilation.plan.ok_or_else(|| format!("{:?}", compilation.diagnostics).into())
}

/// Checks a session with a copy of the kernel that has a field more than the kernel itself.
fn stale_profile(bench: &Bench, stale: usize) -> Result<(), Failed> {
    let profile = tempfile::tempdir()?;
    let mut session = String::from("session stale {\n");
    for (index, event) in EVENTS.iter().enumerate() {
        let source = bench.tracefs.join(format!("events/sched/{event}/format"));
        let mut format = std::fs::read_to_string(source)?;
        if index == stale {
            let extra = "\tfield:int gone;\toffset:200;\tsize:4;\tsigned:1;\n\nprint fmt:";
            format = format.replacen("\nprint fmt:", extra, 1);
        }
        write(&profile.path().join(format!("events/sched/{event}/format")), &format)?;
        let field = if index == stale { "gone" } else { "common_pid" };
        session.push_str(&format!("    trace sched:{event} if {field} == 1;\n"));
    }
    session.push_str("}\n");
    let file = profile.path().join("stale.trc");
    write(&file, &session)?;
    let mut command = bench.tracec("run");
    command.arg("--kernel").arg(profile.path()).arg(&file);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?;
    // The kernel's own words, at the clause's line.
    finished.expect_stderr("T0505")?.expect_stderr("Field not found")?;
    finished.expect_stderr(&format!("stale.trc:{}:", stale + 2))?.expect_stderr("if gone == 1")?;
    Ok(())
}

fn refused_option(bench: &Bench, place: usize) -> Result<(), Failed> {
    let mut options = vec!["option overwrite off;", "option irq-info off;"];
    options.insert(place, "option test_nop_refuse;");
    let text = format!("{} trace sched:sched_process_exec;", options.join(" "));
    let mut command = bench.tracec("run");
    command.args(["-e", &text]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("T0505")?.expect_stderr("test_nop_refuse")?;
    Ok(())
}

fn taken(bench: &Bench) -> Result<(), Failed> {
    let foreign = bench.tracefs.join("instances/tracec-foreign");
    std::fs::create_dir(&foreign)?;
    let result = (|| {
        std::fs::write(foreign.join("events/sched/sched_switch/filter"), "prev_prio == 77")?;
        let mut command = bench.tracec("run");
        command.args(["--instance", "tracec-foreign", "-e", "sched:sched_switch", "--", "true"]);
        finish(command, TIMEOUT)?.expect_status(1)?.expect_stderr("T0506")?;
        let filter = std::fs::read_to_string(foreign.join("events/sched/sched_switch/filter"))?;
        if filter.trim() == "prev_prio == 77" { Ok(()) } else { Err(Failed::from(format!("now {filter}"))) }
    })();
    std::fs::remove_dir(&foreign)?;
    result
}

fn write(path: &Path, text: &str) -> Result<(), Failed> {
    if let Some(dir) = path.parent() {
        std::fs::create_dir_all(dir)?;
    }
    Ok(std::fs::write(path, text)?)
}
