//! Sessions and the plans they become.

mod common;

use common::{Copy, text};
use expect_test::{Expect, expect};
use tracec_compiler::{Input, KernelError, KernelSource, Options, compile};
use tracec_kernel::plan::InstanceName;
use tracec_kernel::tables::features::Support;

/// The kernel of the tree, in which another event has the id of `sched:sched_switch`.
struct SharedId;

impl KernelSource for SharedId {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let text = Copy.read(path)?;
        if path != "events/sched/sched_waking/format" {
            return Ok(text);
        }
        let line = |text: &str| text.lines().find(|line| line.starts_with("ID: ")).map(str::to_owned);
        let switch = Copy.read("events/sched/sched_switch/format")?.expect("a format");
        let own = text.expect("a format");
        let (id, of_switch) = (line(&own).expect("an id"), line(&switch).expect("an id"));
        Ok(Some(own.replace(&id, &of_switch)))
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        Copy.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        Copy.feature(name)
    }

    fn describe(&self) -> String {
        Copy.describe()
    }
}

/// Otherwise the plan would be written to a file that its reader does not accept.
#[test]
fn events_of_one_id_are_refused_at_the_last_clause() {
    let session = "session s { trace sched:sched_switch; trace sched:sched_waking; stop after 1s; }";
    let source = text(session);
    let options = Options::new(None, InstanceName::new("test").expect("a valid name"));
    let found = compile(Input::new(&source, &SharedId), &options);
    assert_eq!(found.plan, None);
    let [said] = found.diagnostics.as_slice() else { panic!("{:#?}", found.diagnostics) };
    let marked = said.primary.as_ref().map(|label| &session[label.span.range()]);
    assert_eq!((said.code.id, marked), ("T0512", Some("trace sched:sched_waking;")));
    assert!(
        said.message.contains("for `sched:sched_switch` and for `sched:sched_waking`"),
        "{}",
        said.message
    );
    let one = text("session s { trace sched:sched_waking; stop after 1s; }");
    assert!(compile(Input::new(&one, &SharedId), &options).plan.is_some());
}

fn plan(session: &str, expected: Expect) {
    let instance = InstanceName::new("test").expect("a valid name");
    let compilation = compile(Input::new(&text(session), &Copy), &Options::new(None, instance));
    let plan = compilation.plan.unwrap_or_else(|| panic!("{:#?}", compilation.diagnostics));
    expected.assert_eq(&plan.to_string());
}

#[test]
fn settings_come_first_and_recording_last() {
    plan(
        "session all {
            trace sched:sched_switch if prev_prio < 100 { filter next_prio < 50; trigger stacktrace count 5 if cpu == 0; }
            on signal:signal_generate if sig == 9 { trigger traceoff once; }
            output \"all.jsonl\"; stop after 1500ms; option overwrite off; buffer 2MiB per cpu; queue 1536KiB; clock mono;
        }",
        expect![[r#"
            session all in instances/test
              + instances/test
              ~ set_event_notrace_pid                     none -> (the tasks of tracec itself)
              ~ tracing_on                                   1 -> 0  (nothing is recorded until all is set)
              ~ trace_clock                              local -> mono
              ~ buffer_size_kb                         unknown -> 2048
              ~ options/overwrite                            1 -> 0
              ~ buffer_percent                              50 -> 0  (the first record wakes the reader)
              ~ events/sched/sched_switch/filter          none -> prev_prio < 100 && next_prio < 50
              + events/sched/sched_switch/trigger                 stacktrace:5 if prev_prio < 100 && CPU == 0
              + events/signal/signal_generate/trigger             traceoff:1 if sig == 9
              ~ events/sched/sched_switch/enable             0 -> 1
              ~ tracing_on                                   0 -> 1  (from here on)
            ends    after 1500ms, on a signal, or when its command exits
            output  all.jsonl (JSON lines)
            queue   1536KiB of records can wait for the output
            12 changes: 1 event recorded, 1 filtered, 2 triggers
        "#]],
    );
}

#[test]
fn an_exact_name_beats_a_pattern() {
    plan(
        "session s { trace signal:* if common_pid == 1; trace signal:signal_deliver; }",
        expect![[r#"
            session s in instances/test
              + instances/test
              ~ set_event_notrace_pid                 none -> (the tasks of tracec itself)
              ~ tracing_on                               1 -> 0  (nothing is recorded until all is set)
              ~ buffer_percent                          50 -> 0  (the first record wakes the reader)
              ~ events/signal/signal_generate/filter  none -> common_pid == 1
              ~ events/signal/signal_deliver/enable      0 -> 1
              ~ events/signal/signal_generate/enable     0 -> 1
              ~ tracing_on                               0 -> 1  (from here on)
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            8 changes: 2 events recorded, 1 filtered, 0 triggers
        "#]],
    );
}

#[test]
fn conditions_keep_their_meaning_as_filter_text() {
    plan(
        "session s {
            trace sched:sched_process_exit if comm ~ \"*rue\" || comm ~ \"1*\";
            trace syscalls:sys_enter_openat if dfd == -100 || flags & 6 == 2;
            trace sched:sched_switch if !(prev_comm != \"a\" && next_prio) || next_comm !~ \"it's\";
        }",
        expect![[r#"
            session s in instances/test
              + instances/test
              ~ set_event_notrace_pid                    none -> (the tasks of tracec itself)
              ~ tracing_on                                  1 -> 0  (nothing is recorded until all is set)
              ~ buffer_percent                             50 -> 0  (the first record wakes the reader)
              ~ events/sched/sched_process_exit/filter   none -> comm ~ "*[r]ue" || comm ~ "[1]*"
              ~ events/syscalls/sys_enter_openat/filter  none -> dfd & 2147483648 && !(dfd & 99) || flags & 2 && !(flags & 4)
              ~ events/sched/sched_switch/filter         none -> prev_comm == "a" || next_prio == 0 || !(next_comm == "it's")
              ~ events/sched/sched_process_exit/enable      0 -> 1
              ~ events/syscalls/sys_enter_openat/enable     0 -> 1
              ~ events/sched/sched_switch/enable            0 -> 1
              ~ tracing_on                                  0 -> 1  (from here on)
                host: syscalls:sys_enter_openat if dfd == -100 || flags & 6 == 2
            ends    on a signal, or when its command exits
            output  standard output
            queue   64MiB of records can wait for the output
            11 changes: 3 events recorded, 3 filtered, 0 triggers, 1 condition on the host
        "#]],
    );
}

#[test]
fn what_no_target_carries_out_is_refused() {
    let instance = InstanceName::new("test").expect("a valid name");
    let group = ("scope cgroup \"a\";", "cgroup \"a\"");
    for (clause, place) in [group, ("ring; option overwrite off;", "option overwrite off;")] {
        let source = text(&format!("session s {{ trace sched:sched_switch; {clause} }}"));
        let options = Options::new(None, instance.clone());
        let compilation = compile(Input::new(&source, &Copy), &options);
        assert!(compilation.plan.is_none(), "{clause}");
        let found: Vec<(&str, Option<&str>)> = compilation
            .diagnostics
            .iter()
            .map(|d| (d.code.id, d.primary.as_ref().map(|label| &source.text[label.span.range()])))
            .collect();
        assert_eq!(found, [("T0403", Some(place))]);
    }
}
