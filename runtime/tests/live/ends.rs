//! Every kind of end: the session ends at once and everything is put back.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use libtest_mimic::Failed;
use rustix::process::Signal;
use tracec_kernel::page::Lost;
use tracec_runtime::session::{Ended, Failure, RunError, RunOptions, Summary, run};
use tracec_runtime::sink::{JSON_LINES, Output, SinkError, TEXT};

use crate::Test;
use crate::child::{Child, full_pipe, own_command};
use crate::fixture::{Fixture, Memory, Seen, skip};

pub(crate) const TESTS: &[Test] = &[
    ("ends::stop_after", stop_after),
    ("ends::each_signal", each_signal),
    ("ends::closed_pipe_ends_the_session", closed_pipe_ends_the_session),
    (
        "ends::pipe_closed_while_nothing_is_recorded_ends_the_session",
        pipe_closed_while_nothing_is_recorded_ends_the_session,
    ),
    ("ends::stalled_output_does_not_delay_a_signal", stalled_output_does_not_delay_a_signal),
    ("ends::panic_of_a_sink_undoes_the_session", panic_of_a_sink_undoes_the_session),
    ("ends::full_disk_fails_the_session", full_disk_fails_the_session),
    ("ends::a_refused_plan_keeps_the_old_output", a_refused_plan_keeps_the_old_output),
    ("ends::command_is_recorded_from_its_exec_on", command_is_recorded_from_its_exec_on),
    ("ends::command_that_cannot_run_fails_the_session", command_that_cannot_run_fails_the_session),
    ("ends::a_command_outlives_stop_after", a_command_outlives_stop_after),
    ("ends::a_signal_of_a_process_ends_the_command", a_signal_of_a_process_ends_the_command),
    ("ends::stacks_have_symbols", stacks_have_symbols),
    ("ends::lost_records_are_counted", lost_records_are_counted),
    ("ends::json_lines_go_to_a_file", json_lines_go_to_a_file),
    ("ends::plan_of_another_kernel_is_read_by_the_layouts_of_this_one", plan_of_another_kernel),
];

fn options(fixture: &Fixture, output: Output) -> RunOptions {
    let mut options = RunOptions::new(output);
    options.runtime_dir = fixture.runtime_dir();
    options
}

fn stop_after() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut plan = fixture.plan(&["sched:sched_switch", "sched:sched_wakeup"], &[]);
    let length = Duration::from_millis(100);
    plan.life.stop_after = Some(length);
    let (sink, seen) = Memory::new(|_| Ok(()));
    let summary = run(&fixture.tracefs, &plan, options(&fixture, Output::Sink(Box::new(sink))))?;
    fixture.assert_nothing_left();
    let seen = seen.lock().unwrap();
    assert_eq!(summary.ended_by, Ended::StopAfter);
    assert!(summary.elapsed >= length && summary.output_complete && summary.residue.is_empty());
    assert!(summary.records > 0);
    assert_eq!(seen.records.len() as u64, summary.records);
    assert!(seen.timestamps.is_sorted() && seen.finished);
    assert!(seen.comms.iter().any(|comm| comm == "<idle>" || comm != "<...>"), "no task has a name");
    Ok(())
}

fn each_signal() -> Result<(), Failed> {
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let fixture = Fixture::new();
        let mut child = Child::spawn(&fixture, "switches");
        assert!(child.read_line().contains(": sched_switch: prev_comm="));
        child.signal(signal);
        let status = child.wait();
        let expected = format!("ended by Signal({}), complete true, residue []\n", signal.as_raw());
        assert_eq!(child.message(), expected);
        assert!(status.success());
        fixture.assert_nothing_left();
    }
    Ok(())
}

fn closed_pipe_ends_the_session() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut child = Child::spawn(&fixture, "switches");
    child.read_line();
    child.close_output();
    assert!(child.wait().success());
    assert_eq!(child.message(), "ended by OutputClosed, complete false, residue []\n");
    fixture.assert_nothing_left();
    Ok(())
}

fn pipe_closed_while_nothing_is_recorded_ends_the_session() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut child = Child::spawn(&fixture, "nothing");
    assert_eq!(child.message(), "started\n");
    child.close_output();
    assert_eq!(child.message(), "ended by OutputClosed, complete false, residue []\n");
    assert!(child.wait().success());
    fixture.assert_nothing_left();
    Ok(())
}

fn stalled_output_does_not_delay_a_signal() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let (_reader, writer) = full_pipe();
    let mut child = Child::spawn_into(&fixture, "command", writer);
    assert_eq!(child.message(), "started\n");
    child.signal(Signal::TERM);
    let expected = format!("ended by Signal({}), complete false, residue []\n", Signal::TERM.as_raw());
    assert_eq!(child.message(), expected);
    assert!(child.wait().success());
    fixture.assert_nothing_left();
    Ok(())
}

fn panic_of_a_sink_undoes_the_session() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let plan = fixture.plan(&["sched:sched_switch"], &[]);
    let (sink, _) = Memory::new(|_| std::panic::resume_unwind(Box::new("a sink that panics")));
    let options = options(&fixture, Output::Sink(Box::new(sink)));
    let outcome = catch_unwind(AssertUnwindSafe(|| run(&fixture.tracefs, &plan, options)));
    assert!(outcome.is_err());
    fixture.assert_nothing_left();
    Ok(())
}

fn full_disk_fails_the_session() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let plan = fixture.plan(&["sched:sched_switch"], &[]);
    let output = Output::File { path: "/dev/full".into(), form: &TEXT };
    let error = run(&fixture.tracefs, &plan, options(&fixture, output)).unwrap_err();
    let RunError::Failed { failure: Failure::Output { output, source }, residue } = error else {
        panic!("{error:?}")
    };
    assert_eq!((output.as_str(), source.raw_os_error()), ("/dev/full", Some(libc::ENOSPC)));
    assert!(residue.is_empty());
    fixture.assert_nothing_left();
    Ok(())
}

fn a_refused_plan_keeps_the_old_output() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let plan = fixture.plan(&[], &[("options/test_nop_refuse", "1")]);
    for (name, old) in [("new", None), ("old", Some("precious"))] {
        let path = fixture.file(name);
        if let Some(old) = old {
            std::fs::write(&path, old)?;
        }
        let output = Output::File { path: path.clone(), form: &TEXT };
        let error = run(&fixture.tracefs, &plan, options(&fixture, output)).unwrap_err();
        assert!(matches!(error, RunError::Apply { .. }), "{error:?}");
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), old);
        fixture.assert_nothing_left();
    }
    Ok(())
}

/// Runs this program as the command of a session that records every exec.
fn run_command(fixture: &Fixture, command: &str) -> (Summary, Vec<String>) {
    let plan = fixture.plan(&["sched:sched_process_exec"], &[]);
    let (sink, seen) = Memory::new(|_| Ok(()));
    let mut options = options(fixture, Output::Sink(Box::new(sink)));
    options.command = Some(own_command(command));
    let summary = run(&fixture.tracefs, &plan, options).unwrap();
    let records = std::mem::take(&mut seen.lock().unwrap().records);
    (summary, records)
}

fn command_is_recorded_from_its_exec_on() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let (summary, records) = run_command(&fixture, "--exit-7");
    fixture.assert_nothing_left();
    let Ended::CommandExited(status) = summary.ended_by else { panic!("{summary:?}") };
    assert_eq!(status.code(), Some(7));
    assert_eq!((summary.command_status, summary.command_running), (Some(status), None));
    let own = std::env::current_exe()?;
    let own = own.file_name().unwrap().to_str().unwrap();
    assert!(records.iter().any(|record| record.contains(own)), "{records:?}");
    Ok(())
}

fn command_that_cannot_run_fails_the_session() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let (sink, seen) = Memory::new(|_| Ok(()));
    let mut options = options(&fixture, Output::Sink(Box::new(sink)));
    options.command = Some(vec!["/no/such/program".into()]);
    let error = run(&fixture.tracefs, &fixture.plan(&[], &[]), options).unwrap_err();
    let RunError::Failed { failure: Failure::Command { program, source }, .. } = error else {
        panic!("{error:?}")
    };
    assert_eq!(program, "/no/such/program");
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
    assert!(seen.lock().unwrap().records.is_empty());
    fixture.assert_nothing_left();
    Ok(())
}

fn a_command_outlives_stop_after() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut plan = fixture.plan(&[], &[]);
    plan.life.stop_after = Some(Duration::from_millis(1));
    let (question, answer) = (fixture.file("question"), fixture.file("answer"));
    for fifo in [&question, &answer] {
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(rustix::fs::CWD, fifo, rustix::fs::FileType::Fifo, mode, 0)?;
    }
    let script = format!("read x < '{}'; echo \"$x too\" > '{}'", question.display(), answer.display());
    let (sink, _) = Memory::new(|_| Ok(()));
    let mut options = options(&fixture, Output::Sink(Box::new(sink)));
    options.command = Some(vec!["/bin/sh".into(), "-c".into(), script.into()]);
    let summary = run(&fixture.tracefs, &plan, options)?;
    assert_eq!((summary.ended_by, summary.command_status), (Ended::StopAfter, None));
    let pid = summary.command_running.expect("it waits for the question");
    assert!(std::fs::read_to_string(format!("/proc/{pid}/comm"))?.starts_with("sh"));
    fixture.assert_nothing_left();
    std::fs::write(&question, "alive\n")?;
    assert_eq!(std::fs::read_to_string(&answer)?, "alive too\n");
    Ok(())
}

fn a_signal_of_a_process_ends_the_command() -> Result<(), Failed> {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let fixture = Fixture::new();
        let mut child = Child::spawn(&fixture, "nothing");
        assert_eq!(child.message(), "started\n");
        child.signal(signal);
        let expected = format!("ended by Signal({}), complete true, residue []\n", signal.as_raw());
        assert_eq!(child.message(), expected);
        assert!(child.exit_status().success());
        // The command writes into the same pipe when it reads the end of its input.
        child.close_input();
        assert_eq!(child.message(), "");
        fixture.assert_nothing_left();
    }
    Ok(())
}

fn stacks_have_symbols() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let events = ["sched:sched_switch", "ftrace:kernel_stack"];
    let plan = fixture.plan(&events, &[("events/sched/sched_switch/trigger", "stacktrace")]);
    let (sink, seen) =
        Memory::new(|seen: &Seen| if seen.frames.is_empty() { Ok(()) } else { Err(SinkError::Closed) });
    let summary = run(&fixture.tracefs, &plan, options(&fixture, Output::Sink(Box::new(sink))))?;
    fixture.assert_nothing_left();
    assert_eq!((summary.ended_by, summary.unknown), (Ended::OutputClosed, 0));
    let frames = &seen.lock().unwrap().frames;
    assert!(frames.iter().all(|frame| frame.contains("+0x") || frame.starts_with("0x")), "{frames:?}");
    if std::fs::read_to_string("/proc/kallsyms")?.lines().all(|line| line.starts_with("0000000000000000")) {
        return skip("kernel addresses are hidden (kptr_restrict)");
    }
    assert!(frames.iter().any(|frame| frame.contains("schedule")), "{frames:?}");
    Ok(())
}

fn lost_records_are_counted() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let event = "raw_syscalls:sys_enter";
    if !fixture.tracefs.exists("events/raw_syscalls/sys_enter")? {
        return skip("this kernel does not trace system calls");
    }
    let calls = Arc::new(AtomicU64::new(0));
    let (of_caller, of_sink) = (Arc::clone(&calls), Arc::clone(&calls));
    let (send, caller) = mpsc::channel();
    // It makes system calls until the sink is dropped, which holds the only other reference to the count.
    let calling = std::thread::spawn(move || {
        let _ = send.send(rustix::thread::gettid().as_raw_nonzero());
        while Arc::strong_count(&of_caller) > 1 {
            let _ = rustix::process::getppid();
            of_caller.fetch_add(1, Ordering::Relaxed);
        }
    });
    drop(calls);
    let filter = format!("common_pid == {}", caller.recv()?);
    let filter = ("events/raw_syscalls/sys_enter/filter", filter.as_str());
    let mut plan = fixture.plan(&[event], &[("buffer_size_kb", "8"), filter]);
    // The first record is kept until more calls were made than the ring and the queue hold records.
    let (sink, seen) = Memory::new(move |seen: &Seen| {
        if seen.records.len() == 1 {
            let before = of_sink.load(Ordering::Relaxed);
            while of_sink.load(Ordering::Relaxed) - before < 10_000 {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if seen.losses.is_empty() { Ok(()) } else { Err(SinkError::Closed) }
    });
    let options = options(&fixture, Output::Sink(Box::new(sink)));
    // The rings are read only while no page waits.
    plan.reading.queue = 1;
    let summary = run(&fixture.tracefs, &plan, options)?;
    calling.join().map_err(|_| "the caller panicked")?;
    fixture.assert_nothing_left();
    let lost: u64 = summary.lost.iter().map(|(_, lost)| lost).sum();
    assert!(lost > 5_000, "{summary:?}");
    assert!(!seen.lock().unwrap().losses.contains(&Lost::None));
    Ok(())
}

fn json_lines_go_to_a_file() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut plan = fixture.plan(&["sched:sched_switch"], &[]);
    plan.life.stop_after = Some(Duration::from_millis(50));
    let path = fixture.file("out.json");
    std::fs::write(&path, "old content that is longer than nothing\n")?;
    let output = Output::File { path: path.clone(), form: &JSON_LINES };
    let summary = run(&fixture.tracefs, &plan, options(&fixture, output))?;
    let text = std::fs::read_to_string(&path)?;
    assert_eq!(text.lines().count() as u64, summary.records);
    for line in text.lines() {
        let object: serde_json::Value = serde_json::from_str(line)?;
        assert_eq!(object["event"], "sched:sched_switch");
        assert!(object["fields"]["next_pid"].is_u64() && object["ts"].is_u64());
    }
    Ok(())
}

fn plan_of_another_kernel() -> Result<(), Failed> {
    let fixture = Fixture::new();
    let mut plan = fixture.plan(&["sched:sched_switch"], &[]);
    plan.life.stop_after = Some(Duration::from_millis(50));
    let format = &mut plan.reading.formats[0];
    format.id = u16::MAX;
    let mut fields = format.fields.to_vec();
    fields.iter_mut().for_each(|field| field.offset += 8);
    format.fields = fields.into();
    let (sink, seen) = Memory::new(|_| Ok(()));
    let summary = run(&fixture.tracefs, &plan, options(&fixture, Output::Sink(Box::new(sink))))?;
    fixture.assert_nothing_left();
    assert!(summary.records > 0 && summary.unknown == 0, "{summary:?}");
    let seen = seen.lock().unwrap();
    for record in &seen.records {
        let priority = record.split_once(" next_prio=").and_then(|(_, rest)| rest.split(' ').next());
        let priority: u32 = priority.unwrap().parse()?;
        // MAX_PRIO in include/linux/sched/prio.h is 140, the priority of idle tasks is 120.
        assert!(priority < 140, "{record}");
    }
    Ok(())
}
