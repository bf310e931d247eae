//! The instructions of some conditions, and the contents of an object.

use expect_test::{Expect, expect};
use tracec_kernel::condition::ir::Condition;
use tracec_kernel::plan::InstanceName;
use tracec_kernel::tables::features::Support;

use super::filter;
use crate::source::{KernelError, KernelSource};
use crate::target::fixture::{Files, read};
use crate::{Choice, Input, Options, SourceText, analyse, compile};

/// Compares the instructions of a condition on `sched:sched_switch`.
fn check(condition: &str, expected: Expect) {
    let format = read("../tests/data/kernel/events/sched/sched_switch/format");
    let kernel = Files(&[("events/sched/sched_switch/format", &format)]);
    let text = format!("trace sched:sched_switch if {condition};");
    let source = SourceText { text, one_liner: true, ..SourceText::default() };
    let analysis = analyse(Input::new(&source, &kernel), Choice::All);
    let (text, said) = analysis.make(|placed| {
        let event = &placed.session.events[0];
        let recording = event.record.as_ref().expect("it is recorded");
        let conjuncts = &placed.module.conditions[recording.filter];
        let condition = Condition::all(conjuncts.iter().map(|conjunct| conjunct.value.clone()).collect());
        let filter = filter(&condition, &placed.module.catalogue[event.id]);
        Ok(filter.expect("a program").text.join("\n") + "\n")
    });
    expected.assert_eq(&text.unwrap_or_else(|| panic!("{said:?}")));
}

#[test]
fn words_of_the_context_are_compared() {
    check(
        "prev_prio < 100 && next_comm == \"bash\"",
        expect![[r#"
        0: r2 = *(u32 *)(r1 +28)
        1: if w2 s> 99 goto 8
        2: r2 = *(u32 *)(r1 +40)
        3: if w2 != 1752392034 goto 8
        4: r1 = *(u8 *)(r1 +44)
        5: if w1 != 0 goto 8
        6: r0 = 1
        7: exit
        8: r0 = 0
        9: exit
    "#]],
    );
}

#[test]
fn set_is_a_tree_or_a_word() {
    check(
        "prev_pid in {1, 5, 90, 1000..=2000, 70000}",
        expect![[r#"
        0: r1 = *(u32 *)(r1 +24)
        1: if w1 s>= 90 goto 5
        2: if w1 == 1 goto 9
        3: if w1 == 5 goto 9
        4: goto 11
        5: if w1 == 90 goto 9
        6: if w1 s< 1000 goto 11
        7: if w1 s<= 2000 goto 9
        8: if w1 != 70000 goto 11
        9: r0 = 1
        10: exit
        11: r0 = 0
        12: exit
    "#]],
    );
    check(
        "prev_prio in {1, 5, 9, 11, 13}",
        expect![[r#"
        0: r1 = *(u32 *)(r1 +28)
        1: r2 = r1
        2: w2 = w1
        3: w2 -= 1
        4: if r2 > 12 goto 11
        5: r1 = 5393
        6: r1 >>= r2
        7: if r1 & 1 goto 9
        8: goto 11
        9: r0 = 1
        10: exit
        11: r0 = 0
        12: exit
    "#]],
    );
}

#[test]
fn divisor_is_tested_first() {
    check(
        "prev_pid % next_prio == 3",
        expect![[r#"
        0: r2 = *(u32 *)(r1 +24)
        1: r2 <<= 32
        2: r2 s>>= 32
        3: r1 = *(u32 *)(r1 +60)
        4: r1 <<= 32
        5: r1 s>>= 32
        6: if r1 == 0 goto 18
        7: r3 = r2
        8: if r2 s>= 0 goto 10
        9: r2 = -r2
        10: if r1 s>= 0 goto 12
        11: r1 = -r1
        12: r2 %= r1
        13: if r3 s>= 0 goto 15
        14: r2 = -r2
        15: if r2 != 3 goto 18
        16: r0 = 1
        17: exit
        18: r0 = 0
        19: exit
    "#]],
    );
}

#[test]
fn pattern_with_stars_is_an_automaton() {
    check(
        "next_comm ~ \"*ab*\"",
        expect![[r#"
            0: r2 = *(u64 *)(r1 +40)
            1: *(u64 *)(r10 -128) = r2
            2: r1 = *(u64 *)(r1 +48)
            3: *(u64 *)(r10 -120) = r1
            4: r1 = 1
            5: r2 = r10
            6: r2 += -128
            7: r3 = 0
            8: r4 = *(u8 *)(r2 +0)
            9: if w4 != 0 goto 12
            10: if r1 & 4 goto 28
            11: goto 30
            12: r4 *= 8
            13: r5 = value of constants + 8
            15: r5 += r4
            16: r4 = *(u64 *)(r5 +0)
            17: r5 = r1
            18: r5 &= 5
            19: r1 &= r4
            20: r1 <<= 1
            21: r1 |= r5
            22: if r1 != 0 goto 24
            23: goto 30
            24: r2 += 1
            25: r3 += 1
            26: if r3 < 16 goto 8
            27: goto 10
            28: r0 = 1
            29: exit
            30: r0 = 0
            31: exit
        "#]],
    );
}

/// A kernel with every feature.
struct Full;

impl KernelSource for Full {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        Ok(match path {
            "available_filter_functions" => Some("vfs_read\ndo_sys_openat2\n".to_owned()),
            "events/sched/sched_switch/format" => Some(read(&format!("../tests/data/kernel/{path}"))),
            _ => None,
        })
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let names: &[&str] = match path {
            "events" => &["sched"],
            "events/sched" => &["sched_switch"],
            _ => &[],
        };
        Ok(names.iter().map(|&name| name.to_owned()).collect())
    }

    fn feature(&self, _: &str) -> Support {
        Support::Yes
    }

    fn describe(&self) -> String {
        "the kernel".to_owned()
    }

    fn arch(&self) -> String {
        "x86_64".to_owned()
    }
}

/// Returns the programs of a session that records an event of these declarations, or the errors.
fn programs(declarations: &str, clauses: &str) -> Result<String, String> {
    let text = format!("{declarations}\nsession s {{ {clauses} }}\n");
    let source = SourceText { text, ..SourceText::default() };
    let analysis = analyse(Input::new(&source, &Full), Choice::All);
    let (listing, said) = analysis.make(|placed| super::listing(placed, &Full, &analysis.sources));
    listing.ok_or_else(|| {
        let lines = said
            .iter()
            .map(|said| format!("{}: {}: {}\n", said.code.id, said.message, said.helps.join("; ")));
        lines.collect()
    })
}

#[test]
fn probe_makes_its_record() {
    let probe = "event opened at kprobe do_sys_openat2(dfd: s32, path: *user char);";
    let listing =
        programs(probe, "recorder bpf; trace opened if path ~ \"/etc*\" && dfd < 0;").expect("a program");
    expect![[r#"

        program e0_opened for kprobe:opened, 89 instructions
          at kprobe/do_sys_openat2
               0: r6 = r1
               1: *(u32 *)(r10 -8) = 0
               2: r1 = map memory
               4: r2 = r10
               5: r2 += -8
               6: call bpf_map_lookup_elem#1
               7: r7 = r0
               8: if r7 == 0 goto 87
               9: call bpf_get_current_pid_tgid#14
              10: r1 = value of constants + 0
              12: r1 = *(u32 *)(r1 +0)
              13: r2 = r0
              14: r2 >>= 32
              15: if r2 == r1 goto 87
              16: r8 = r7
              17: r8 += 8224
              18: *(u32 *)(r8 +0) = 65535
              19: *(u32 *)(r8 +4) = r0
              20: r9 = 24
              21: r1 = *(u64 *)(r6 +128)
              22: r1 -= 1
              23: *(u64 *)(r8 +8) = r1
              24: r1 = *(u64 *)(r6 +112)
              25: *(u32 *)(r8 +16) = r1
              26: *(u8 *)(r7 +16416) = 0
              27: r3 = *(u64 *)(r6 +104)
              28: r1 = r8
              29: r1 += r9
              30: r2 = 4096
              31: call bpf_probe_read_user_str#114
              32: if r0 s< 0 goto 39
              33: r1 = r0
              34: r1 <<= 16
              35: r1 |= r9
              36: *(u32 *)(r8 +20) = r1
              37: r9 += r0
              38: goto 41
              39: *(u8 *)(r7 +16416) = 1
              40: *(u32 *)(r8 +20) = 0
          2:43: session s { recorder bpf; trace opened if path ~ "/etc*" && dfd < 0; }
              41: r1 = *(u8 *)(r7 +16416)
              42: if w1 != 0 goto 87
              43: r3 = *(u32 *)(r8 +20)
              44: r1 = r3
              45: r1 >>= 16
              46: r3 &= 65535
              47: r3 += r8
              48: if r1 < 4 goto 87
              49: r1 = r10
              50: r1 += -136
              51: r2 = 5
              52: call bpf_probe_read_kernel_str#115
              53: if r0 s< 0 goto 87
              54: r1 = *(u32 *)(r10 -136)
              55: if w1 != 1668572463 goto 87
          2:61: session s { recorder bpf; trace opened if path ~ "/etc*" && dfd < 0; }
              56: r1 = *(u32 *)(r8 +16)
              57: if w1 s> -1 goto 87
          2:27: session s { recorder bpf; trace opened if path ~ "/etc*" && dfd < 0; }
              58: r1 = r7
              59: r1 += 8208
              60: r2 = 16
              61: call bpf_get_current_comm#16
              62: call bpf_get_smp_processor_id#8
              63: *(u64 *)(r7 +8200) = r0
              64: call bpf_ktime_get_ns#5
              65: *(u64 *)(r7 +8192) = r0
              66: r2 = r7
              67: r2 += 8192
              68: r3 = r9
              69: if r3 > 8192 goto 76
              70: r3 += 32
              71: r1 = map records
              73: r4 = 0
              74: call bpf_ringbuf_output#130
              75: if r0 s>= 0 goto 87
              76: *(u32 *)(r10 -144) = 0
              77: r1 = map lost
              79: r2 = r10
              80: r2 += -144
              81: call bpf_map_lookup_elem#1
              82: if r0 == 0 goto 87
              83: r1 = 1
              84: lock *(u64 *)(r0 +0) += r1
              85: r0 = 0
              86: exit
              87: r0 = 0
              88: exit
    "#]]
    .assert_eq(&listing);
}

#[test]
fn what_a_program_cannot_be_is_refused_with_what_can() {
    let mut said = String::new();
    for probe in [
        "event e at fprobe vfs_read(file: u64);",
        "event e at tprobe sched_switch(preempt: bool);",
        "event e at usdt \"/bin/true\":a:b;",
        "event e at perf cpu_cycles;",
        "event e at kretprobe vfs_read(file: u64) -> (ret: s64);",
        "event e at kprobe ext4:ext4_sync_file(file: u64);",
        "event e at kretprobe vfs_read { a = $arg1: u64; b = $retval: s64; }",
        "event e at kprobe vfs_read { a = $arg*; b = @jiffies: u64; }",
        "event e at kprobe vfs_read { a = %di: symstr; b = %si: %pD; }",
        "event e at uprobe \"/bin/true\":main { a = @+0x10: u32; }",
    ] {
        let refused = programs(probe, "recorder bpf; trace e;").expect_err(probe);
        // What is not recorded is said when the text is checked.
        let text = format!("{probe}\nsession s {{ recorder bpf; trace e; }}\n");
        let source = SourceText { text, ..SourceText::default() };
        let foreseen = analyse(Input::new(&source, &Full), Choice::All).foreseen(&Full);
        assert_eq!(foreseen.len(), refused.lines().count(), "{probe}");
        said.push_str(&format!("{probe}\n{refused}\n"));
    }
    expect![[r#"
        event e at fprobe vfs_read(file: u64);
        T0408: the target `bpf` does not support a probe of the kind `fprobe`: attach it `at fentry`, `fexit`, `kprobe` or `kretprobe`

        event e at tprobe sched_switch(preempt: bool);
        T0408: the target `bpf` does not support a probe of the kind `tprobe`: attach it `at tp_btf` or `at raw_tp`

        event e at usdt "/bin/true":a:b;
        T0408: the target `bpf` does not support a probe of the kind `usdt`: attach it `at uprobe`, to the symbol or the offset of the probe

        event e at perf cpu_cycles;
        T0408: the target `bpf` does not support a probe of the kind `perf`: leave it out

        event e at kretprobe vfs_read(file: u64) -> (ret: s64);
        T0408: the target `bpf` does not support arguments of the call in a probe of the kind `kretprobe`: attach it `at fexit`, which sees the arguments and the result

        event e at kprobe ext4:ext4_sync_file(file: u64);
        T0408: the target `bpf` does not support a probe of the kind `kprobe` at a function of the module `ext4`: attach it `at fentry` or `at fexit`, which take the module

        event e at kretprobe vfs_read { a = $arg1: u64; b = $retval: s64; }
        T0408: the target `bpf` does not support an argument of the call where the function returns: attach it `at fexit`, which sees the arguments and the result

        event e at kprobe vfs_read { a = $arg*; b = @jiffies: u64; }
        T0408: the target `bpf` does not support `$arg*`: name the arguments: `kprobe vfs_read(file: u64, buf: u64)`
        T0408: the target `bpf` does not support the address of a symbol of the kernel: write the address: `@0xffffffff82000000`

        event e at kprobe vfs_read { a = %di: symstr; b = %si: %pD; }
        T0408: the target `bpf` does not support the name of a symbol as a text: record it `as symbol`, which keeps the address
        T0408: the target `bpf` does not support the name of a file: record the text at its address

        event e at uprobe "/bin/true":main { a = @+0x10: u32; }
        T0408: the target `bpf` does not support memory at an offset of the probed file: leave it out

    "#]].assert_eq(&said);
}

/// Each event has one recorder: programs record what only they can be, and a clause says otherwise for all.
#[test]
fn session_may_have_both_recorders() {
    let raw = "event e at raw_tp sched_switch(preempt: bool);";
    let of = |declarations: &str, clauses: &str| {
        let text = format!("{declarations}\nsession s {{ {clauses} }}\n");
        let source = SourceText { text, ..SourceText::default() };
        let options = Options::new(None, InstanceName::new("s").unwrap());
        let compiled = compile(Input::new(&source, &Full), &options);
        let foreseen = analyse(Input::new(&source, &Full), Choice::All).foreseen(&Full).len();
        match compiled.plan {
            Some(plan) => {
                let programs: Vec<_> = plan
                    .programs
                    .iter()
                    .flat_map(|programs| &programs.programs)
                    .map(|one| &one.event)
                    .collect();
                format!("programs {programs:?}, ring: {}, clock {}\n", plan.has_ring(), plan.reading.clock)
            }
            None => {
                let lines = compiled
                    .diagnostics
                    .iter()
                    .map(|said| format!("{}: {}: {}\n", said.code.id, said.message, said.helps.join("; ")));
                let lines: String = lines.collect();
                assert!(foreseen >= lines.lines().count(), "{lines}");
                lines
            }
        }
    };
    let both = "trace e; trace sched:sched_switch if prev_prio == 3 { trigger stacktrace; }";
    let probes = format!("{raw} event k at kprobe vfs_read(file: u64);");
    let said: String = [
        of(raw, "trace e;"),
        of(raw, "recorder bpf; trace e; trace sched:sched_switch;"),
        of(raw, both),
        of(raw, &format!("clock boot; {both}")),
        of(raw, &format!("clock local; {both}")),
        of(raw, "trace e { trigger stacktrace; } trace sched:sched_switch;"),
        of(&probes, "trace e; trace k;"),
        of(&probes, "recorder bpf; trace e; trace k;"),
    ]
    .concat();
    expect![[r#"
        programs ["raw_tp:e"], ring: false, clock mono
        programs ["raw_tp:e", "sched:sched_switch"], ring: false, clock mono
        programs ["raw_tp:e"], ring: true, clock mono
        programs ["raw_tp:e"], ring: true, clock boot
        T0408: the target `bpf` does not support the clock `local`, which a program cannot read: use `clock mono` or `clock boot` or `clock tai`
        T0408: the target `tracefs` does not support `trigger stacktrace` of an event that a program records: leave it out: a trigger is armed by tracefs, which has no such event
        T0408: the target `tracefs` does not support the event `k` that the text defines: write `recorder bpf;` into the session: every event is recorded by a program then
        programs ["raw_tp:e", "kprobe:k"], ring: false, clock mono
    "#]].assert_eq(&said);
}

/// A session that names what only a program can be is recorded by programs, and another is not.
#[test]
fn recorder_follows_from_the_events() {
    let raw = "event e at raw_tp sched_switch(preempt: bool);";
    assert!(programs(raw, "trace e;").is_ok());
    let probe = "event e at kprobe vfs_read(file: u64);";
    let mut said = String::new();
    for (declarations, clauses) in [(raw, "recorder tracefs; trace e;"), (probe, "trace e;")] {
        let text = format!("{declarations}\nsession s {{ {clauses} }}\n");
        let source = SourceText { text, ..SourceText::default() };
        for diagnostic in analyse(Input::new(&source, &Full), Choice::All).foreseen(&Full) {
            said.push_str(&format!(
                "{}: {}: {}\n",
                diagnostic.code.id,
                diagnostic.message,
                diagnostic.helps.join("; ")
            ));
        }
    }
    expect![[r#"
        T0408: the target `plan` does not support the event `e` that the text defines: write `recorder bpf;` into the session: a BPF program is the probe then, where its kind can be one
        T0408: the target `plan` does not support the event `e` that the text defines: write `recorder bpf;` into the session: a BPF program is the probe then, where its kind can be one
    "#]].assert_eq(&said);
}
