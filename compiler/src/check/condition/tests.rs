//! Tests of the typing of conditions, written in one line each.

use std::path::PathBuf;

use tracec_kernel::condition::ir::{Atom, Condition, MaskTest, Number, NumberOp, Sign, Text, TextTest};

use crate::resolve::Finder;
use crate::source::{KernelError, KernelSource, NoImports, SourceText};
use crate::{Choice, Diagnostic, Diagnostics, check, ir, load, resolve};

/// The kernel of the tree with eight CPUs and an event that has a mask of them.
struct Machine;

const IPI: &str = "name: ipi_send_cpumask
ID: 9000
format:
\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;
\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;
\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;
\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;

\tfield:__data_loc cpumask_t cpumask;\toffset:8;\tsize:4;\tsigned:0;
\tfield:void * callsite;\toffset:16;\tsize:8;\tsigned:0;
\tfield:void * callback;\toffset:24;\tsize:8;\tsigned:0;

print fmt: \"cpumask=%s\", __get_cpumask(cpumask)
";

fn path(file: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/data/kernel").join(file)
}

impl KernelSource for Machine {
    fn read(&self, file: &str) -> Result<Option<String>, KernelError> {
        match file {
            "events/ipi/ipi_send_cpumask/format" => Ok(Some(IPI.to_owned())),
            file => Ok(std::fs::read_to_string(path(file)).ok()),
        }
    }

    fn directories(&self, directory: &str) -> Result<Vec<String>, KernelError> {
        let found = match directory {
            "per_cpu" => (0..8).map(|cpu| format!("cpu{cpu}")).collect(),
            "events/ipi" => vec!["ipi_send_cpumask".to_owned()],
            directory => {
                let entries = std::fs::read_dir(path(directory)).into_iter().flatten().flatten();
                let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
                names.chain((directory == "events").then(|| "ipi".to_owned())).collect()
            }
        };
        Ok(found)
    }

    fn describe(&self) -> String {
        "the test kernel".to_owned()
    }
}

/// Returns a text's typed sessions, and the diagnostics.
fn checked(source: &SourceText) -> (ir::Module, Vec<Diagnostic>) {
    let sink = &mut Diagnostics::default();
    let program = load::load(source, &NoImports, &Machine, sink);
    let inclusion = &mut resolve::Inclusion::new(&program);
    let resolved = resolve::resolve(&program, Choice::One(None), &[], Finder::new(&Machine), inclusion, sink);
    let module = check::check(resolved, program.constants.clone(), Vec::new(), &Machine, None, sink);
    (module, std::mem::take(sink).finish())
}

/// Returns the condition of a session's first event, and the diagnostics.
fn typed(source: &SourceText) -> (Option<Vec<ir::Conjunct>>, Vec<Diagnostic>) {
    let (module, found) = checked(source);
    let record = module.sessions.first().and_then(|session| session.events.first()?.record.as_ref());
    (record.map(|record| module.conditions[record.filter].to_vec()), found)
}

fn one_liner(text: &str) -> SourceText {
    SourceText { name: "-e".to_owned(), text: text.to_owned(), one_liner: true }
}

/// Returns a condition in the intermediate form, fully parenthesised; `u` and `s` are the signs of operations.
fn show(condition: &Condition) -> String {
    let list = |parts: &[Condition], with| parts.iter().map(show).collect::<Vec<_>>().join(with);
    match condition {
        Condition::Const(value) => value.to_string(),
        Condition::Not(inner) => format!("!({})", show(inner)),
        Condition::And(parts) => format!("({})", list(parts, " && ")),
        Condition::Or(parts) => format!("({})", list(parts, " || ")),
        Condition::Atom(Atom::Compare { left, op, right }) => {
            format!("{} {op} {}", number(left), number(right))
        }
        Condition::Atom(Atom::In { of, ranges }) => format!("{} in {ranges}", number(of)),
        Condition::Atom(Atom::Text { of, test }) => {
            let of = match of {
                Text::Field(field) => field.name.to_string(),
                Text::User(field) => format!("*{}", field.name),
                Text::Comm => "COMM".to_owned(),
            };
            match test {
                TextTest::Eq(text) => format!("{of} == {text:?}"),
                TextTest::Ne(text) => format!("{of} != {text:?}"),
                TextTest::Glob(glob) => format!("{of} ~ {:?}", glob.as_str()),
            }
        }
        Condition::Atom(Atom::Mask { of, test, cpus }) => {
            let op = match test {
                MaskTest::Any => "&",
                MaskTest::Equal => "==",
                MaskTest::Differ => "!=",
            };
            format!("{} {op} CPUS{cpus}", of.name)
        }
        Condition::Atom(Atom::Function { of, name }) => format!("{} in {name}()", of.name),
    }
}

fn number(of: &Number) -> String {
    match of {
        Number::Const(value) => value.to_string(),
        Number::Field(field) => field.name.to_string(),
        Number::Cpu => "CPU".to_owned(),
        Number::Pid => "PID".to_owned(),
        Number::Tgid => "TGID".to_owned(),
        Number::Cast { to, of } => {
            format!("{}{}({})", if to.signed { "s" } else { "u" }, 8 * to.bytes, number(of))
        }
        Number::Binary { op, sign, left, right } => {
            assert_eq!(*sign, Number::sign_of(*op, left, right));
            let sign = if *sign == Sign::Signed { "s" } else { "u" };
            if let (NumberOp::Sub, Number::Const(0)) = (op, &**left) {
                return format!("-{sign}{}", number(right));
            }
            format!("({} {op}{sign} {})", number(left), number(right))
        }
    }
}

#[test]
fn conditions_are_typed_as_the_form_documents() {
    let switch = "sched:sched_switch if ";
    let kmalloc = "kmem:kmalloc if ";
    let ipi = "ipi:ipi_send_cpumask if ";
    let openat = "syscalls:sys_enter_openat if ";
    for (event, condition, wanted) in [
        // Numbers.
        (switch, "prev_prio + 1 > next_prio", "(prev_prio +s 1) > next_prio"),
        (switch, "prev_prio < next_prio", "prev_prio < next_prio"),
        (switch, "(prev_prio >> 4) & 0xf == 3", "((prev_prio >>s 4) &s 15) == 3"),
        (switch, "3 == 0xf & (prev_prio >> 4)", "((prev_prio >>s 4) &s 15) == 3"),
        (switch, "-prev_prio == 5", "-sprev_prio == 5"),
        (switch, "5 - prev_prio", "(5 -s prev_prio) != 0"),
        (switch, "prev_prio as u8 == 3", "u8(prev_prio) == 3"),
        (switch, "prev_prio as unsigned long == 3", "u64(prev_prio) == 3"),
        (switch, "prev_prio as u32 > next_prio as u64", "u32(prev_prio) > u64(next_prio)"),
        (switch, "!(prev_prio + 1 == 2)", "!((prev_prio +s 1) == 2)"),
        (switch, "!!(prev_prio + 1 == 2)", "(prev_prio +s 1) == 2"),
        (switch, "prev_prio * (1 + 2) == 6", "(prev_prio *s 3) == 6"),
        (switch, "cpu % 2 == 0", "(CPU %u 2) == 0"),
        (switch, "cpu & 1 == 1", "(CPU &u 1) == 1"),
        (switch, "1 & current.cpu == 1", "(CPU &u 1) == 1"),
        (switch, "current.pid == current.tgid", "PID == TGID"),
        (switch, "current.tgid in {1, 3}", "TGID in {1, 3}"),
        (switch, "cpu & prev_prio in {1, 3}", "(CPU &s prev_prio) in {1, 3}"),
        (switch, "(cpu & 3) + 1 > 2", "((CPU &u 3) +u 1) > 2"),
        (switch, "cpu as u32 & 1", "(u32(CPU) &u 1) != 0"),
        (switch, "prev_prio & next_prio", "(prev_prio &s next_prio) != 0"),
        (switch, "prev_prio << next_prio == 1", "(prev_prio <<s next_prio) == 1"),
        (switch, "prev_prio / next_prio != -1", "(prev_prio /s next_prio) != -1"),
        (kmalloc, "bytes_req / 512 in {1, 2..=8}", "(bytes_req /u 512) in {1..=8}"),
        (kmalloc, "bytes_alloc - bytes_req != 64", "(bytes_alloc -u bytes_req) != 64"),
        (kmalloc, "bytes_req > 4KiB", "bytes_req > 4096"),
        (kmalloc, "bytes_req >> 12 == 10ms as us", "(bytes_req >>u 12) == 10000"),
        (kmalloc, "-bytes_req == 5", "-ubytes_req == 5"),
        // Masks.
        (switch, "prev_state & 6 == 4", "(prev_state &s 6) == 4"),
        (switch, "prev_state & 6 < 4", "(prev_state &s 6) < 4"),
        (switch, "prev_state & 6 in {0, 2..=4}", "(prev_state &s 6) in {0, 2..=4}"),
        (
            switch,
            "prev_state & 0x8000000000000000 == 0x8000000000000000",
            "(prev_state &s -9223372036854775808) == -9223372036854775808",
        ),
        (switch, "prev_prio & 0x80000000 == 0x80000000", "(prev_prio &s 2147483648) == 2147483648"),
        (
            switch,
            "prev_state & 0xc000000000000000 in {1 << 62, 0x8000000000000000}",
            "(prev_state &s -4611686018427387904) in {-9223372036854775808, 4611686018427387904}",
        ),
        (kmalloc, "gfp_flags & (1 | 4)", "(gfp_flags &u 5) != 0"),
        // Text.
        (openat, "filename.ustring == \"/etc/passwd\"", "*filename == \"/etc/passwd\""),
        (openat, "filename.ustring !~ \"/etc/*\"", "!(*filename ~ \"/etc/*\")"),
        (openat, "filename.ustring in {\"/a\", \"/b\"}", "(*filename == \"/a\" || *filename == \"/b\")"),
        (switch, "next_comm == \"a'b\\\"c\"", "next_comm == \"a'b\\\"c\""),
        // Functions.
        (kmalloc, "call_site.function == vfs_read", "call_site in vfs_read()"),
        (kmalloc, "call_site.function != \"vfs_read\"", "!(call_site in vfs_read())"),
        (kmalloc, "vfs_read == call_site.function", "call_site in vfs_read()"),
        (kmalloc, "call_site.function == nf_conntrack_in", "call_site in nf_conntrack_in()"),
        (
            kmalloc,
            "call_site.function in {kfree, vfs_read}",
            "(call_site in kfree() || call_site in vfs_read())",
        ),
        (ipi, "callback.function == vfs_read", "callback in vfs_read()"),
        // CPUs.
        (switch, "cpu & CPUS{0-3,5}", "CPU in {0..=3, 5}"),
        (switch, "!(cpu & CPUS{0})", "!(CPU in {0})"),
        // A value that cannot be read is not another CPU.
        (switch, "prev_prio / next_prio != CPUS{1}", "(prev_prio /s next_prio) != 1"),
        (switch, "cpu == CPUS{2}", "CPU == 2"),
        (ipi, "cpumask & CPUS{0-3}", "cpumask & CPUS{0..=3}"),
        (ipi, "cpumask == CPUS{0-3,5}", "cpumask == CPUS{0..=3, 5}"),
        (ipi, "CPUS{1} != cpumask", "cpumask != CPUS{1}"),
    ] {
        let (filter, found) = typed(&one_liner(&format!("{event}{condition}")));
        assert_eq!(found, [], "{condition}");
        let shown: Vec<String> =
            filter.expect("no mistakes").iter().map(|conjunct| show(&conjunct.value)).collect();
        assert_eq!(shown, [wanted], "{condition}");
    }
}

/// Values have the names of a table that the event prints with, of flags behind a mask, or of an enum behind a cast.
#[test]
fn computed_values_keep_their_names() {
    let head = "flags Mode: u32 { READ = 1, WRITE = 2, }\n\
                enum Level: u8 { LOW = 1, HIGH = 200, }\n\
                const FAST: cpus = CPUS{0-3};\n";
    for (event, condition, wanted) in [
        ("signal:signal_generate", "code & Mode::WRITE == Mode::WRITE", "(code &s 2) == 2"),
        ("signal:signal_generate", "code & (Mode::READ | Mode::WRITE)", "(code &s 3) != 0"),
        ("signal:signal_generate", "code as Level == HIGH", "u8(code) == 200"),
        ("signal:signal_generate", "code as Level in {LOW, HIGH}", "u8(code) in {1, 200}"),
        ("signal:signal_generate", "code as Mode & WRITE", "(u32(code) &u 2) != 0"),
        ("irq:softirq_entry", "vec == TIMER", "vec == 1"),
        ("sched:sched_switch", "cpu & FAST", "CPU in {0..=3}"),
        ("ipi:ipi_send_cpumask", "cpumask == FAST", "cpumask == CPUS{0..=3}"),
    ] {
        let text = format!("{head}session s {{ trace {event} if {condition}; }}");
        let (filter, found) = typed(&SourceText { name: "a.trc".to_owned(), text, one_liner: false });
        assert_eq!(found, [], "{condition}");
        let shown: Vec<String> =
            filter.expect("no mistakes").iter().map(|conjunct| show(&conjunct.value)).collect();
        assert_eq!(shown, [wanted], "{condition}");
    }
}

#[test]
fn conjuncts_keep_their_spans() {
    let text = "session s { trace sched:sched_switch if prev_prio < 5 && (next_prio && cpu == 1) {\n\
                filter prev_pid == 1 || next_pid == 1; filter prev_pid > 0; } }";
    let source = SourceText { name: "a.trc".to_owned(), text: text.to_owned(), one_liner: false };
    let (filter, found) = typed(&source);
    assert_eq!(found, []);
    let filter = filter.expect("no mistakes");
    let spans: Vec<&str> = filter.iter().map(|conjunct| &text[conjunct.span.range()]).collect();
    let wanted = ["prev_prio < 5", "next_prio", "cpu == 1", "prev_pid == 1 || next_pid == 1", "prev_pid > 0"];
    assert_eq!(spans, wanted);
    assert_eq!(show(&filter[1].value), "next_prio != 0");
    assert!(filter.iter().all(|conjunct| !matches!(conjunct.value, Condition::And(_))));
}

#[test]
fn impossible_conditions_are_reported_at_their_span() {
    let switch = "sched:sched_switch if ";
    let kmalloc = "kmem:kmalloc if ";
    let ipi = "ipi:ipi_send_cpumask if ";
    let runtime = "sched:sched_stat_runtime if ";
    for (event, condition, code, place) in [
        // Signs.
        (runtime, "runtime > pid", "T0240", ">"),
        (runtime, "runtime + pid > 5", "T0240", "+"),
        (runtime, "pid & runtime", "T0240", "&"),
        (runtime, "runtime + -1 == 5", "T0240", "+"),
        (runtime, "pid | 0xffffffffffffffff == 5", "T0240", "|"),
        (runtime, "(pid + 1) / runtime == 2", "T0240", "/"),
        // Constants.
        (switch, "prev_prio / 0 == 1", "T0705", "0"),
        (switch, "prev_prio % (1 - 1) == 1", "T0705", "(1 - 1)"),
        (switch, "prev_prio << 64 == 1", "T0706", "64"),
        (switch, "prev_prio >> -1 == 1", "T0706", "-1"),
        (switch, "prev_prio as u8 == 256", "T0202", "256"),
        (switch, "prev_prio as s8 in {1, 120..=128}", "T0202", "128"),
        (switch, "prev_prio + 1 == 0xffffffffffffffff", "T0202", "0xffffffffffffffff"),
        (kmalloc, "bytes_alloc - bytes_req == -1", "T0202", "-1"),
        (switch, "prev_prio & 6 == 8", "T0202", "8"),
        (switch, "prev_prio & 6 > 7", "T0202", "7"),
        (switch, "prev_prio & 0x100000000", "T0202", "0x100000000"),
        // Bits are compared for equality; an order is one of numbers.
        (switch, "prev_state & 0xc000000000000000 > 0x8000000000000000", "T0202", "0x8000000000000000"),
        (switch, "prev_state & 0xc000000000000000 < 0x8000000000000000", "T0202", "0x8000000000000000"),
        (
            switch,
            "prev_state & 0xc000000000000000 in {0..=0x8000000000000000}",
            "T0202",
            "0x8000000000000000",
        ),
        (switch, "prev_prio == 99999999999999999999", "T0010", "99999999999999999999"),
        (switch, "prev_prio + 5.5 == 1", "T0009", ".5"),
        (switch, "5.5 + 1 == prev_prio", "T0009", ".5"),
        (switch, "5.5 + 1 == 1", "T0009", ".5"),
        (switch, "prev_prio + 10ms > 1", "T0201", "10ms"),
        (switch, "prev_prio + \"1\" > 1", "T0201", "\"1\""),
        // Sets.
        (switch, "prev_prio in {next_prio}", "T0208", "next_prio"),
        (switch, "prev_prio in {1, 2..=cpu}", "T0208", "cpu"),
        (switch, "prev_prio in {1, next_prio + 1}", "T0208", "next_prio + 1"),
        (switch, "prev_comm in {\"a\", next_comm}", "T0208", "next_comm"),
        (switch, "5 in {prev_prio}", "T0208", "prev_prio"),
        ("irq:softirq_entry if ", "vec in {vec}", "T0208", "vec"),
        ("irq:softirq_entry if ", "vec in {TIMER..=SCHED}", "T0216", "TIMER..=SCHED"),
        ("irq:softirq_entry if ", "vec & TIMER", "T0205", "&"),
        ("irq:softirq_entry if ", "TIMER | vec == 3", "T0205", "|"),
        (switch, "prev_comm in {\"a\"..=\"b\"}", "T0208", "\"a\"..=\"b\""),
        (switch, "comm in {\"a\", \"a\"}", "T0219", "\"a\""),
        // Operands.
        (switch, "prev_comm == next_comm", "T0208", "prev_comm == next_comm"),
        (switch, "prev_comm == prev_prio", "T0208", "prev_comm == prev_prio"),
        (switch, "prev_comm + 1 == 2", "T0205", "+"),
        (switch, "-prev_comm == 2", "T0205", "-"),
        (switch, "prev_comm as u8 == 2", "T0205", "u8"),
        (switch, "prev_prio as duration == 2", "T0246", "duration"),
        (switch, "prev_prio as bool", "T0246", "bool"),
        (switch, "prev_prio as *u8 == 2", "T0246", "*u8"),
        (switch, "prev_prio as u7 == 2", "T0715", "u7"),
        (switch, "!(prev_prio + 1)", "T0207", "!"),
        (switch, "!(prev_prio as u8)", "T0207", "!"),
        (switch, "(cpu & CPUS{1}) == 1", "T0208", "(cpu & CPUS{1})"),
        (switch, "cpu & 1", "T0205", "&"),
        (switch, "prev_prio > 1 && (1 & current.cpu)", "T0205", "&"),
        (switch, "cpu & prev_prio", "T0205", "&"),
        (switch, "!(cpu & 1)", "T0205", "&"),
        (switch, "cpu & 4 == 2", "T0202", "2"),
        (switch, "cpu & 0x100000000 == 0", "T0202", "0x100000000"),
        (switch, "cpu ~ \"1\"", "T0205", "~"),
        (switch, "(prev_prio == 1) + 1 == 2", "T0208", "(prev_prio == 1)"),
        (switch, "prev_prio + zzz == 2", "T0102", "zzz"),
        // Text.
        ("syscalls:sys_enter_openat if ", "filename == \"/etc/passwd\"", "T0214", "filename"),
        ("syscalls:sys_enter_openat if ", "filename in {\"/a\", \"/b\"}", "T0214", "filename"),
        ("syscalls:sys_enter_openat if ", "dfd.ustring == \"/etc/passwd\"", "T0241", "ustring"),
        (switch, "prev_comm.ustring == \"a\"", "T0241", "ustring"),
        (switch, "prev_prio.function == kfree", "T0241", "function"),
        (switch, "prev_prio.func == kfree", "T0213", "func"),
        (switch, "next_comm ~ \"[ab\"", "T0243", "["),
        (switch, "next_comm ~ \"x[a-b]y[!\"", "T0243", "["),
        (switch, "next_comm ~ \"\\\"[ab\"", "T0243", "\"\\\"[ab\""),
        (switch, "next_comm ~ \"a\\\\\"", "T0243", "\"a\\\\\""),
        (switch, "next_comm == \"a\\0\"", "T0244", "\"a\\0\""),
        (switch, "next_comm ~ \"????????????????*\"", "T0203", "\"????????????????*\""),
        // Functions.
        (kmalloc, "call_site.function == vfs_raed", "T0242", "vfs_raed"),
        (kmalloc, "call_site.function == \"0xffffffff81000000\"", "T0201", "\"0xffffffff81000000\""),
        (kmalloc, "call_site.function == \"a && ptr\"", "T0201", "\"a && ptr\""),
        (kmalloc, "call_site.function == 5", "T0201", "5"),
        (kmalloc, "call_site.function < vfs_read", "T0205", "<"),
        (kmalloc, "call_site.function ~ \"vfs_*\"", "T0205", "~"),
        (kmalloc, "call_site.function", "T0206", "call_site.function"),
        // CPUs.
        (ipi, "cpumask == 3", "T0201", "3"),
        (ipi, "cpumask & 3", "T0205", "&"),
        (ipi, "cpumask < CPUS{3}", "T0205", "<"),
        (ipi, "cpumask", "T0206", "cpumask"),
        (ipi, "cpumask & CPUS{0-8}", "T0245", "CPUS{0-8}"),
        (switch, "cpu & CPUS{0,9}", "T0245", "CPUS{0,9}"),
        (switch, "cpu == CPUS{0-1}", "T0221", "CPUS{0-1}"),
        (switch, "cpu | CPUS{0-1}", "T0221", "CPUS{0-1}"),
        (switch, "next_comm & CPUS{0}", "T0201", "CPUS{0}"),
    ] {
        let source = one_liner(&format!("{event}{condition}"));
        let (_, found) = typed(&source);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|said| {
                let span = said.primary.as_ref().expect("a place").span;
                (said.code.id, &source.text[span.range()])
            })
            .collect();
        assert_eq!(found, [(code, place)], "{condition}");
    }
}

/// A kernel lists nearly all of its functions, but the author may know others and can allow the lint.
#[test]
fn functions_that_are_not_listed_are_a_lint() {
    let (filter, found) = typed(&one_liner("kmem:kmalloc if call_site.function == vfs_raed"));
    assert_eq!(show(&filter.expect("a lint")[0].value), "call_site in vfs_raed()");
    assert_eq!(found[0].message, "the test kernel lists no function `vfs_raed`");
    assert_eq!(found[0].fixes[0].edits[0].text, "vfs_read");
    let allowed = "lint allow unknown-function;\n\
                   session s { trace kmem:kmalloc if call_site.function == __schedule; }";
    let source = SourceText { name: "a.trc".to_owned(), text: allowed.to_owned(), one_liner: false };
    let (filter, found) = typed(&source);
    assert_eq!((filter.expect("a lint").len(), found), (1, Vec::new()));
}

/// A list of CPUs that the machine does not have.
#[test]
fn impossible_cpus_are_reported() {
    let source = one_liner("sched:sched_switch if cpu & CPUS{0,512}");
    let (filter, found) = typed(&source);
    assert_eq!(found.len(), 1, "{found:#?}");
    let label = found[0].primary.as_ref().expect("a place");
    assert_eq!((found[0].code.id, &source.text[label.span.range()]), ("T0245", "CPUS{0,512}"));
    assert_eq!(label.text, "the test kernel has no CPU above 7");
    assert_eq!(filter.expect("a lint").len(), 1);
}

/// Each event of a group has the condition that it would have alone, and shares it with the events that have the same.
#[test]
fn events_with_equal_conditions_share_them() {
    let values = |filter: &[ir::Conjunct]| filter.iter().map(|part| part.value.clone()).collect::<Vec<_>>();
    for (set, condition, conditions) in [
        ("sched:*", "common_pid == 3 && current.comm ~ \"k*\"", 1),
        // One event has a field of that name, which changes an answer.
        ("sched:*", "cpu > 1 || current.cpu == 0", 2),
        // The names in the filter of an event do not change the condition.
        ("sched:*", "current.cpu == 0 && current.pid != 1 && current.tgid != 1", 1),
        // The fields of one name have two offsets.
        ("{sched:sched_wakeup, sched:sched_waking, sched:sched_pi_setprio}", "pid == 7", 2),
        ("signal:*", "sig == 9 || code == 5", 1),
        // Their value names differ, but no condition uses them.
        ("{irq:softirq_entry, kmem:kmalloc}", "common_flags == 1", 1),
    ] {
        let (module, found) = checked(&one_liner(&format!("{set} if {condition}")));
        let [session] = &module.sessions[..] else { panic!("{set} if {condition}: {found:#?}") };
        let mut different: Vec<ir::ConditionId> = Vec::new();
        for event in &session.events {
            let id = event.record.as_ref().expect("recorded").filter;
            let filter = values(&module.conditions[id]);
            let name = module.catalogue[event.id].qualified_name();
            let alone = typed(&one_liner(&format!("{name} if {condition}"))).0.expect("typed");
            assert_eq!(filter, values(&alone), "{name}");
            let same = different.iter().find(|other| values(&module.conditions[**other]) == filter);
            assert!(same.is_none_or(|other| *other == id), "{name} if {condition}");
            if same.is_none() {
                different.push(id);
            }
        }
        assert_eq!((different.len(), session.events.len() > 1), (conditions, true), "{set} if {condition}");
    }
}
