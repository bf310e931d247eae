//! Selections of a size that nobody writes by hand, and systems that refuse executable memory.

use std::mem::offset_of;
use std::process::Command;
use std::time::{Duration, Instant};

use tracec_compiler::target::host::{Code, CodeError, Listing};
use tracec_kernel::condition::glob::Glob;
use tracec_kernel::condition::ir::{Atom, CompareOp, Condition, DEPTH, Number, NumberOp, Text, TextTest};
use tracec_kernel::condition::ranges::Ranges;
use tracec_kernel::page::PageLayout;
use tracec_kernel::selection::{Evaluator, Numbered, SelectedEvent, Selection};

use crate::bytes;
use crate::event::{FIXED, PLAIN};
use crate::law::outcome;

fn field(name: &str) -> Number {
    Number::Field(bytes::field(&PLAIN.format, name).clone())
}

fn selection(conditions: Vec<Condition>) -> Selection {
    let conditions = (0..).zip(conditions).map(|(number, condition)| Numbered { number, condition });
    let event = SelectedEvent { format: PLAIN.format.clone(), conditions: conditions.collect() };
    Selection::new(PageLayout::default(), vec![event]).expect("the conditions can be decided")
}

/// Returns entries with records whose fields `u32` and `s64` have these values.
fn page(values: &[u64]) -> Vec<u8> {
    let record = |value: &u64| {
        let mut record = bytes::empty(&PLAIN.format, FIXED, true);
        bytes::put(&mut record, bytes::field(&PLAIN.format, "u32"), *value, true);
        bytes::put(&mut record, bytes::field(&PLAIN.format, "s64"), *value, true);
        [0_u32.to_le_bytes(), (FIXED as u32 + 4).to_le_bytes()].concat().into_iter().chain(record)
    };
    values.iter().flat_map(record).collect()
}

fn compile(selection: &Selection) -> (Code, Duration) {
    let start = Instant::now();
    let code = Code::new(selection).expect("the conditions become code");
    (code, start.elapsed())
}

#[test]
fn set_of_a_million_members_is_a_table_that_is_searched() {
    // No gap is as small as another next to it, so that no other form fits.
    let member = |index: i128| index * 4001 + index % 7;
    let sparse = Ranges::new((0..1_000_000).map(|index| (member(index), member(index))));
    let runs = Ranges::new((0..1_000_000).map(|index| (member(index) - 9, member(index) + index % 3)));
    let selection = selection(vec![
        Condition::Atom(Atom::In {
            of: field("u32"),
            ranges: sparse.intersection(&Ranges::new([(0, u32::MAX.into())])),
        }),
        Condition::Atom(Atom::In { of: field("s64"), ranges: runs }),
    ]);
    let (code, took) = compile(&selection);
    println!("a million members: {} bytes of code, {took:?}", code.size());
    assert!(code.size() < 4_000, "{} bytes of code", code.size());
    assert!(took < Duration::from_secs(5), "{took:?}");
    let near = [0, 1, 2, 6, 7, 499_999, 500_000, 999_998, 999_999];
    let values: Vec<u64> = near
        .iter()
        .flat_map(|index| (-11..5).map(|distance| (member(*index) + distance) as u64))
        .chain([u64::MAX, 1 << 63, u64::from(u32::MAX)])
        .collect();
    let data = page(&values);
    let means = outcome(&Evaluator::new(&selection), &data, 0);
    assert!(means.0.len() > near.len(), "{} selected", means.0.len());
    assert_eq!(outcome(&code, &data, 0), means);
}

#[test]
fn thousands_of_conditions_are_one_function() {
    let count = 3_000;
    let condition = |number: i128| {
        Condition::all(vec![
            Condition::compare(field("u32"), CompareOp::Ge, number * 10),
            Condition::compare(field("s64"), CompareOp::Lt, number * 10 + 25),
        ])
    };
    let selection = selection((0..count).map(condition).collect());
    let (code, took) = compile(&selection);
    println!("{count} conditions: {} KiB of code, {took:?}", code.size() / 1024);
    assert!(took < Duration::from_secs(30), "{took:?}");
    let data = page(&(0..500).map(|value| value * 71).collect::<Vec<_>>());
    let means = outcome(&Evaluator::new(&selection), &data, 0);
    assert!(means.0.len() > 500, "{} selected", means.0.len());
    assert_eq!(outcome(&code, &data, 0), means);
}

/// Returns so many conditions on a number, each of them twice: all of them, and then all again.
fn twice(count: i128, condition: impl Fn(i128) -> Condition) -> Selection {
    selection((0..count).chain(0..count).map(condition).collect())
}

#[test]
fn conditions_with_several_numbers_take_little_of_the_stack() {
    let unequal = |number: i128| Condition::compare(field("u32"), CompareOp::Ne, 5 + number);
    // Sums that two conditions have in common, which the compiler may keep from the first to the second.
    let sum = |number: i128| {
        let sum = Number::binary(NumberOp::Add, field("u32"), Number::Const(number % 500));
        Condition::Atom(Atom::Compare { left: sum, op: CompareOp::Gt, right: Number::Const(number) })
    };
    for selection in [twice(2100, unequal), twice(2000, sum)] {
        let (code, took) = compile(&selection);
        println!("some 4000 numbers: {} KiB of code, {took:?}", code.size() / 1024);
        let data = page(&[3, 7, 7000]);
        let means = outcome(&Evaluator::new(&selection), &data, 0);
        assert!(means.0.len() > 3000, "{} selected", means.0.len());
        // A frame that grows with the selection would reach past the guard, into the memory of another thread.
        let thread = std::thread::Builder::new().stack_size(20 << 10);
        let says = thread.spawn(move || outcome(&code, &data, 0)).expect("a thread");
        assert_eq!(says.join().expect("it selects"), means);
    }
}

#[test]
fn what_takes_long_to_compile_is_refused() {
    let pattern = |times: usize| {
        let pattern = "*ab".repeat(times);
        let field = bytes::field(&PLAIN.format, "name").clone();
        selection(vec![Condition::Atom(Atom::Text {
            of: Text::Field(field),
            test: TextTest::Glob(Glob::parse(&pattern).expect("a pattern")),
        })])
    };
    let unequal = |number: i128| Condition::compare(field("u32"), CompareOp::Ne, 5 + number);
    let distinct = |count: i128| selection((0..count).map(unequal).collect());
    for (what, selection) in [
        ("a pattern of 20,000 pieces", pattern(20_000)),
        ("a pattern of a million pieces", pattern(1_000_000)),
        ("200,000 conditions", distinct(200_000)),
    ] {
        let start = Instant::now();
        let refused = [Code::new(&selection).map(drop), Listing::new(&selection).map(drop)];
        println!("{what}: {:?}", start.elapsed());
        for refused in refused {
            assert!(matches!(refused, Err(CodeError::TooLarge(_))), "{what}: {refused:?}");
        }
        assert!(start.elapsed() < Duration::from_secs(5), "{what}: {:?}", start.elapsed());
    }
    // The largest ones that are not refused.
    let largest = |of: &dyn Fn(usize) -> Selection| {
        let sizes = (0..20).map(|step| 200_000 * 3_usize.pow(step) / 4_usize.pow(step));
        sizes.map(|size| (size, of(size))).find_map(|(size, selection)| {
            let start = Instant::now();
            Code::new(&selection).ok().map(|code| (size, code.size(), start.elapsed()))
        })
    };
    for (what, largest) in [
        ("pieces", largest(&pattern)),
        ("conditions", largest(&|count| distinct(count as i128))),
        ("conditions with two numbers", largest(&|count| twice(count as i128, unequal))),
    ] {
        let (count, size, took) = largest.expect("a small one is compiled");
        println!("{count} {what}: {} KiB of code, {took:?}", size / 1024);
        assert!(took < Duration::from_secs(10), "{count} {what}: {took:?}");
    }
}

#[test]
fn condition_of_the_greatest_depth_is_compiled() {
    let mut condition = Condition::compare(field("u32"), CompareOp::Eq, 0);
    for level in 1..DEPTH as i128 {
        let atom = Condition::compare(field("u32"), CompareOp::Eq, level);
        condition = match level % 3 {
            0 => Condition::And(vec![Condition::Not(Box::new(atom)), condition]),
            1 => Condition::Or(vec![condition, atom]),
            _ => Condition::Not(Box::new(condition)),
        };
    }
    let selection = selection(vec![condition]);
    let (code, _) = compile(&selection);
    let data = page(&(0..DEPTH as u64 + 2).collect::<Vec<_>>());
    let means = outcome(&Evaluator::new(&selection), &data, 0);
    assert!(means.0.len() > 10, "{} selected", means.0.len());
    assert_eq!(outcome(&code, &data, 0), means);
}

#[test]
fn big_endian_records_are_refused() {
    let layout = PageLayout { little_endian: false, ..PageLayout::default() };
    let selection = Selection::new(layout, Vec::new()).expect("nothing is selected");
    assert!(matches!(Code::new(&selection), Err(CodeError::ByteOrder)));
    assert!(matches!(Listing::new(&selection), Err(CodeError::ByteOrder)));
}

/// Returns the executable mappings of this process that are not of a file, and those that are writable too.
fn executable() -> (Vec<String>, Vec<String>) {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the mappings");
    let lines = |permissions: fn(&str) -> bool| {
        let is = |line: &&str| line.split(' ').nth(1).is_some_and(permissions);
        maps.lines().filter(is).map(str::to_owned).collect::<Vec<_>>()
    };
    let own = |line: &String| !line.contains('/') && !line.contains('[');
    let executable = lines(|permissions| permissions.contains('x')).into_iter().filter(own).collect();
    (executable, lines(|permissions| permissions.contains('w') && permissions.contains('x')))
}

/// Runs a test alone in a process of its own, in which the variable is set.
fn alone(test: &str) -> bool {
    if std::env::var_os("TRACEC_CODE_ALONE").is_some() {
        return true;
    }
    let program = std::env::current_exe().expect("this program");
    let output = Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env("TRACEC_CODE_ALONE", "1")
        .output()
        .expect("this program runs again");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    assert!(output.status.success() && text.contains("1 passed"), "{text}");
    false
}

#[test]
fn memory_is_never_writable_and_executable_and_is_freed() {
    if !alone("limits::memory_is_never_writable_and_executable_and_is_freed") {
        return;
    }
    let before = executable();
    assert_eq!(before.1, [""; 0], "nothing is writable and executable");
    let selection = selection(vec![Condition::compare(field("u32"), CompareOp::Eq, 1)]);
    let code = compile(&selection).0;
    let with = executable();
    assert_eq!(with.0.len(), before.0.len() + 1, "{with:?}");
    assert_eq!(with.1, [""; 0], "nothing is writable and executable");
    drop(code);
    assert_eq!(executable(), before);
}

#[test]
#[expect(unsafe_code, reason = "the system call has no safe form")]
fn refused_memory_is_an_error() {
    if !alone("limits::refused_memory_is_an_error") {
        return;
    }
    // A filter of system calls refuses it on every kernel; PR_SET_MDWE is of Linux 6.3.
    let step = |code: u32, k: u32, jt, jf| libc::sock_filter { code: code as u16, jt, jf, k };
    let load = |offset| step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, offset, 0, 0);
    let mut filter = [
        load(offset_of!(libc::seccomp_data, nr) as u32),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_mprotect as u32, 0, 3),
        load(offset_of!(libc::seccomp_data, args) as u32 + 2 * size_of::<u64>() as u32),
        step(libc::BPF_JMP | libc::BPF_JSET | libc::BPF_K, libc::PROT_EXEC as u32, 0, 1),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EACCES as u32, 0, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the calls restrict this thread, which ends with the test; the program is read and not kept.
    let set = unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
            | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0)
    };
    assert_eq!(set, 0, "seccomp: {}", std::io::Error::last_os_error());
    let before = std::fs::read_to_string("/proc/self/maps").expect("the mappings").lines().count();
    let selection = selection(vec![Condition::compare(field("u32"), CompareOp::Eq, 1)]);
    for _ in 0..100 {
        match Code::new(&selection) {
            Err(error @ CodeError::Memory(_)) => {
                // As the book shows it (book/src/places.md).
                let line = "the system refuses executable memory: Permission denied";
                assert_eq!(error.to_string(), line);
            }
            other => panic!("{other:?}"),
        }
    }
    let after = std::fs::read_to_string("/proc/self/maps").expect("the mappings").lines().count();
    assert!(after < before + 20, "{before} mappings, then {after}: refused memory is not freed");
}
