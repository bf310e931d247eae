//! Lowered conditions on a real kernel: the kernel takes the texts, and they match what the language says.
//!
//! Every test works in an instance of its own and reads its ring through [`Page`] and [`Decoder`], so that those meet
//! real bytes as well. Only records of the test's own threads and children are looked at.

#![expect(unsafe_code, reason = "makes system calls with chosen arguments")]

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::lower::{Lowered, Spelling, lower};
use tracec_kernel::filter::Model;
use tracec_kernel::format::{EventFormat, Field};
use tracec_kernel::page::{Page, PageLayout};
use tracec_kernel::record::{Decoder, Record, Value};
use tracec_kernel::tables::{errno, filter_errors, limits};

mod common;

/// No record has two types.
const NEVER: &str = "common_type == 0 && common_type == 1";

/// Whose turn it is. A program that one test starts has, until it is executed, the files that another has open, and
/// the instance of those cannot be removed then.
static TURN: Mutex<()> = Mutex::new(());

/// An instance that goes with its test, one at a time.
struct Instance {
    path: PathBuf,
    _turn: MutexGuard<'static, ()>,
}

impl Instance {
    fn new(test: &str) -> Option<Instance> {
        let path =
            common::tracefs(test)?.join("instances").join(format!("tracec-{test}-{}", std::process::id()));
        // A test that failed has had its turn too.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir(&path).unwrap();
        Some(Instance { path, _turn: turn })
    }

    fn write(&self, file: &str, value: &str) -> io::Result<()> {
        let written = OpenOptions::new().write(true).open(self.path.join(file))?.write(value.as_bytes())?;
        assert_eq!(written, value.len(), "{file}");
        Ok(())
    }

    fn read(&self, file: &str) -> String {
        common::read(&self.path.join(file))
    }

    fn has(&self, event: &str, test: &str) -> bool {
        let there = self.path.join("events").join(event).exists();
        if !there {
            println!("SKIPPED: {test}: the kernel has no event {event}");
        }
        there
    }

    fn format(&self, event: &str) -> EventFormat {
        let (system, _) = event.split_once('/').unwrap();
        EventFormat::parse(system, &self.read(&format!("events/{event}/format"))).unwrap()
    }

    fn filter(&self, event: &str, condition: &Condition) {
        let spelling = Spelling::at(&self.format(event));
        let text = match lower(condition, &spelling, &Model::LINUX_6_1).unwrap() {
            Lowered::Text(text) => text,
            Lowered::Everything => "0".to_owned(),
            Lowered::Nothing => NEVER.to_owned(),
        };
        let file = format!("events/{event}/filter");
        self.write(&file, &text)
            .unwrap_or_else(|error| panic!("{text}: {error}\n{}", self.read("error_log")));
        let back = self.read(&file);
        assert_eq!(back.trim_end(), if text == "0" { "none" } else { &text });
    }

    /// What the records of one event say since the last call, in the order of time.
    fn drain<T>(&self, event: &str, mut read: impl FnMut(&Record<'_>) -> Option<T>) -> Vec<T> {
        let layout = PageLayout::parse(&self.read("events/header_page")).unwrap();
        let decoder = Decoder::new(vec![self.format(event)]);
        let mut found = Vec::new();
        for cpu in fs::read_dir(self.path.join("per_cpu")).unwrap() {
            let raw = cpu.unwrap().path().join("trace_pipe_raw");
            let mut raw = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(raw).unwrap();
            while let Some(bytes) = read_page(&mut raw, layout.size as usize) {
                for entry in Page::new(&layout, &bytes).unwrap().entries() {
                    let entry = entry.unwrap();
                    let record = decoder.record(entry.data).unwrap();
                    found.extend(read(&record).map(|value| (entry.timestamp, value)));
                }
            }
        }
        found.sort_by_key(|(timestamp, _)| *timestamp);
        found.into_iter().map(|(_, value)| value).collect()
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir(&self.path) {
            eprintln!("{} stays behind: {error}", self.path.display());
        }
    }
}

fn read_page(raw: &mut File, size: usize) -> Option<Vec<u8>> {
    let mut bytes = vec![0; size];
    match raw.read(&mut bytes) {
        Ok(0) => None,
        Ok(len) => {
            bytes.truncate(len);
            Some(bytes)
        }
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => None,
        Err(error) => panic!("trace_pipe_raw: {error}"),
    }
}

fn field(format: &EventFormat, name: &str) -> Field {
    format.field(name).unwrap_or_else(|| panic!("{} has no `{name}`", format.qualified_name())).clone()
}

fn text(record: &Record<'_>, field: &str) -> String {
    match record.get(field) {
        Some(Ok(Value::Text(text))) => String::from_utf8_lossy(text).into_owned(),
        other => panic!("{field}: {other:?}"),
    }
}

fn glob(of: &Text, pattern: &str) -> Condition {
    test(of, TextTest::Glob(Glob::parse(pattern).unwrap()))
}

fn test(of: &Text, test: TextTest) -> Condition {
    Condition::Atom(Atom::Text { of: of.clone(), test })
}

fn compare(number: &Number, op: CompareOp, value: i128) -> Condition {
    Condition::compare(number.clone(), op, value)
}

fn any_bit(number: &Number, mask: i128) -> Condition {
    let bits = Number::binary(NumberOp::And, number.clone(), Number::Const(mask));
    Condition::compare(bits, CompareOp::Ne, 0)
}

/// What the language says of a pattern: over the whole text, byte by byte.
fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern, text) {
        ([], text) => text.is_empty(),
        ([b'*', rest @ ..], text) => (0..=text.len()).any(|skip| matches(rest, &text[skip..])),
        ([b'\\', c, rest @ ..], [d, tail @ ..]) => c == d && matches(rest, tail),
        ([b'[', rest @ ..], [c, tail @ ..]) => {
            let (inverted, members) = rest.strip_prefix(b"!").map_or((false, rest), |rest| (true, rest));
            let end = 1 + members[1..].iter().position(|&b| b == b']').unwrap();
            is_member(&members[..end], *c) != inverted && matches(&members[end + 1..], tail)
        }
        ([p, rest @ ..], [c, tail @ ..]) => (*p == b'?' || p == c) && matches(rest, tail),
        (_, []) => false,
    }
}

fn is_member(members: &[u8], c: u8) -> bool {
    match members {
        [] => false,
        [low, b'-', high, rest @ ..] => (low..=high).contains(&&c) || is_member(rest, c),
        [one, rest @ ..] => *one == c || is_member(rest, c),
    }
}

const PATTERNS: &[&str] = &[
    "abc*", "*abc", "*abc*", "a*c", "?bc", "[a-c]bc*", "[!a]bc*", "1*", "*1*", "12", "12?", "!a*", "*!a*",
    "\\!abc*", "a\\*c*", "*\\**", "*def*", "*ij", "*hij*", "kworker*", "fifteen*", "*letters", "*\"*", "*'*",
    "\\[*", "[]a]*", "*]b", "*é*", "*é", "?", "??", "*b?", "-*", "*-", "*-*", "abc", "*", "**c", "*?c",
    "z*b*z", "\\**", "*\\\\*",
];

const NAMES: &[&str] = &[
    "abcdefghij",
    "x",
    "abc",
    "zabc",
    "abcz",
    "zabcz",
    "1abc",
    "12",
    "123",
    "!abc",
    "a*c",
    "a*cd",
    "kworker-0:1",
    "fifteen_letters",
    "a\"b",
    "it's",
    "[ab]",
    "a]b",
    "é",
    "éé",
    "-",
    "-x",
    "x-",
    "a\\b",
    "*",
    "bc",
    "ac",
];

#[test]
fn patterns_match_fixed_text_and_the_task_as_the_language_says() {
    const EVENT: &str = "task/task_rename";
    let test = "fixed";
    let Some(instance) = Instance::new(test) else { return };
    if !instance.has(EVENT, test) {
        return;
    }
    let format = instance.format(EVENT);
    instance.write(&format!("events/{EVENT}/enable"), "1").unwrap();
    let tid = thread_id();
    let rename = |name: &str| fs::write("/proc/thread-self/comm", name).unwrap();

    // While a task renames itself it still has the old name: `comm` is `oldcomm`.
    for (operand, shown) in [(Text::Field(field(&format, "newcomm")), "newcomm"), (Text::Comm, "oldcomm")] {
        for pattern in PATTERNS {
            instance.filter(EVENT, &glob(&operand, pattern));
            rename(NAMES[NAMES.len() - 1]);
            instance.drain(EVENT, |_| Some(()));
            NAMES.iter().for_each(|name| rename(name));
            let seen =
                instance.drain(EVENT, |record| (record.common_pid() == tid).then(|| text(record, shown)));
            let seen: BTreeSet<String> = seen.into_iter().collect();
            let expected: BTreeSet<String> = NAMES
                .iter()
                .filter(|name| matches(pattern.as_bytes(), name.as_bytes()))
                .map(|name| (*name).to_owned())
                .collect();
            assert_eq!(seen, expected, "{shown} ~ {pattern}");
        }
    }
}

#[test]
fn patterns_match_dynamic_text_as_the_language_says() {
    const EVENT: &str = "sched/sched_process_exec";
    let test = "dynamic";
    let Some(instance) = Instance::new(test) else { return };
    if !instance.has(EVENT, test) {
        return;
    }
    let paths = ["abc/x", "1bc/x", "!bc/y", "12/abc", "z/abcz", "a*c/x", "x-/ij", "é/é"];
    let directory = std::env::temp_dir().join(format!("tracec-exec-{}", std::process::id()));
    for path in paths {
        let path = directory.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink(std::env::current_exe().unwrap(), path).unwrap();
    }
    let operand = Text::Field(field(&instance.format(EVENT), "filename"));
    instance.write(&format!("events/{EVENT}/enable"), "1").unwrap();
    for pattern in [
        "abc*", "*abc", "*abc*", "1*", "!*", "*/x", "a\\**", "?bc/?", "[!a]bc*", "*é", "x-*", "12/*c", "*c/*",
    ] {
        instance.filter(EVENT, &glob(&operand, pattern));
        let children: Vec<i32> = paths.iter().map(|path| run(&directory, path)).collect();
        let seen = instance
            .drain(EVENT, |record| children.contains(&record.common_pid()).then(|| text(record, "filename")));
        let expected: Vec<_> = paths
            .iter()
            .filter(|path| matches(pattern.as_bytes(), path.as_bytes()))
            .map(|p| (*p).to_owned())
            .collect();
        assert_eq!(seen, expected, "{pattern}");
    }
    fs::remove_dir_all(directory).unwrap();
}

/// Runs this test binary under another name, only to list its tests. Gives the process id.
fn run(directory: &Path, program: &str) -> i32 {
    let mut child = Command::new(program)
        .arg("--list")
        .current_dir(directory)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.wait().unwrap();
    i32::try_from(child.id()).unwrap()
}

/// The id of the thread that runs the test, as records have it.
fn thread_id() -> i32 {
    let thread = fs::read_link("/proc/thread-self").unwrap();
    thread.file_name().unwrap().to_str().unwrap().parse().unwrap()
}

const OPS: [CompareOp; 6] =
    [CompareOp::Eq, CompareOp::Ne, CompareOp::Lt, CompareOp::Le, CompareOp::Gt, CompareOp::Ge];

#[test]
fn arguments_of_system_calls_compare_as_in_c() {
    const EVENT: &str = "syscalls/sys_enter_getpriority";
    let test = "arguments";
    let Some(instance) = Instance::new(test) else { return };
    if !instance.has(EVENT, test) {
        return;
    }
    let who = Number::Field(field(&instance.format(EVENT), "who"));
    instance.write(&format!("events/{EVENT}/enable"), "1").unwrap();
    let tid = thread_id();
    let values = [i32::MIN, -100, -1, 0, 1, 100, i32::MAX];
    // Each as a 32-bit move leaves it in the register, and extended to 64 bits.
    let slots: Vec<i64> = values.iter().flat_map(|&v| [i64::from(v as u32), i64::from(v)]).collect();
    let matched = |condition: &Condition| -> Vec<i64> {
        instance.filter(EVENT, condition);
        for &slot in &slots {
            // SAFETY: getpriority(2) takes integers only and changes nothing; an impossible `who` is an error.
            unsafe { libc::syscall(libc::SYS_getpriority, libc::c_long::from(libc::PRIO_PGRP), slot) };
        }
        instance.drain(EVENT, |record| {
            let Some(Ok(Value::Int(value))) = record.get("who") else { panic!("who") };
            (record.common_pid() == tid).then_some(value)
        })
    };
    let meant = || slots.iter().map(|&slot| i64::from(slot as i32));
    for op in OPS {
        for right in values.map(i64::from) {
            let expected: Vec<i64> = meant().filter(|&left| op.holds(left.into(), right.into())).collect();
            assert_eq!(matched(&compare(&who, op, right.into())), expected, "who {op:?} {right}");
        }
    }
    let sign = any_bit(&who, 0x8000_0000);
    assert_eq!(matched(&sign), meant().filter(|&left| left < 0).collect::<Vec<_>>());
}

#[test]
fn every_shape_of_condition_is_accepted() {
    let name = "shapes";
    let Some(instance) = Instance::new(name) else { return };
    let switch = "sched/sched_switch";
    let format = instance.format(switch);
    let prio = Number::Field(field(&format, "prev_prio"));
    let state = Number::Field(field(&format, "prev_state"));
    let next = Text::Field(field(&format, "next_comm"));
    let any = |mask| any_bit(&state, mask);
    let eq = |of: &Text, text: &str| test(of, TextTest::Eq(text.to_owned()));
    let ne = |of: &Text, text: &str| test(of, TextTest::Ne(text.to_owned()));
    let not = |condition| Condition::Not(Box::new(condition));
    for condition in [
        any(i64::MIN.into()),
        any(-1),
        any(3),
        compare(&state, CompareOp::Ge, i64::MIN.into()),
        compare(&prio, CompareOp::Gt, -1),
        compare(&Number::Pid, CompareOp::Ne, 0),
        compare(&Number::Cpu, CompareOp::Le, 1),
        eq(&next, "a && (b || !c"),
        eq(&next, "\"quoted\""),
        eq(&next, "it's"),
        eq(&next, ""),
        ne(&Text::Comm, "a\nb\t"),
        not(Condition::Or(vec![any(1), not(not(any(2))), not(Condition::And(vec![any(4), any(8)]))])),
        Condition::And(vec![
            Condition::Or(vec![any(1), eq(&next, "x")]),
            Condition::Or(vec![glob(&next, "x*"), compare(&prio, CompareOp::Lt, 100)]),
        ]),
    ] {
        instance.filter(switch, &condition);
    }

    let exec = "sched/sched_process_exec";
    let filename = Text::Field(field(&instance.format(exec), "filename"));
    instance.filter(exec, &eq(&filename, &"x".repeat(limits::STRING_OPERAND_BYTES)));
    let open = "syscalls/sys_enter_openat";
    if instance.has(open, name) {
        let format = instance.format(open);
        let pointer = Text::Field(field(&format, "filename"));
        let flags = Number::Field(field(&format, "flags"));
        instance.filter(open, &glob(&pointer, "*"));
        instance.filter(open, &eq(&pointer, "/etc/passwd"));
        instance.filter(open, &any_bit(&flags, 0o100));
    }
}

#[test]
fn a_filter_of_the_greatest_length_is_accepted_and_one_byte_more_is_not() {
    let Some(instance) = Instance::new("length") else { return };
    let file = "events/sched/sched_switch/filter";
    let terms = vec!["prev_pid == 1"; 240].join(" || ");
    let filled = |length: usize| {
        let text = terms.replacen("|| ", &format!("||{}", " ".repeat(1 + length - terms.len())), 1);
        assert_eq!(text.len(), length);
        text
    };
    instance.write(file, &filled(limits::FILTER_BYTES)).unwrap();
    let longer = instance.write(file, &filled(limits::FILTER_BYTES + 1));
    assert_eq!(longer.unwrap_err().raw_os_error(), Some(libc::EINVAL));
    let string = format!("prev_comm == \"{}\"", "x".repeat(limits::STRING_OPERAND_BYTES + 1));
    assert_eq!(instance.write(file, &string).unwrap_err().raw_os_error(), Some(libc::EINVAL));
}

#[test]
fn the_kernel_refuses_with_the_errors_of_the_tables() {
    let Some(instance) = Instance::new("errors") else { return };
    let file = "events/sched/sched_switch/filter";
    for (text, number, message) in [
        ("((prev_prio > 100)", libc::ENOENT, "Too many '('"),
        ("(prev_prio > 100))", libc::EPERM, "Too few '('"),
        ("prev_comm == \"abc", libc::ESRCH, "Missing matching quote"),
        ("no_such_field == 1", libc::EINVAL, "Field not found"),
        ("prev_comm == 5", libc::EINVAL, "Expecting string field"),
        ("prev_prio == \"5\"", libc::EINVAL, "Expecting numeric field"),
        ("prev_prio ~ 5", libc::EINVAL, "Illegal operation for field type"),
        ("prev_prio == 5x", libc::EINVAL, "Illegal integer value"),
        ("prev_prio == 1 prev_pid == 2", libc::EPERM, "Too many terms in predicate expression"),
        ("prev_prio = 1", libc::EINVAL, "Invalid operator"),
        ("prev_prio == x", libc::EINVAL, "Invalid value (did you forget quotes)?"),
    ] {
        let error = instance.write(file, text).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(number), "{text}");
        assert!(errno::of_filter_write(number).is_some(), "{text}");
        assert!(filter_errors::find(message).is_some(), "{message}");
        let log = instance.read("error_log");
        assert!(log.contains(&format!("error: {message}\n  Command: {text}\n")), "{text}: {log}");
        assert!(instance.read(file).contains(&format!("parse_error: {message}")), "{text}");
    }
}
