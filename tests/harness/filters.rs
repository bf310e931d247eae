//! Conditions that the kernel's own filter decides and the host cannot: functions, masks of CPUs, the memory of a task.
//! Each test reads the filter back from its file while the session is applied.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tracec::kernel::{ProfileKernel, TriedKernel};
use tracec::{KernelSource, LiveKernel, Tracefs};
use tracec_kernel::filter::Model;
use tracec_kernel::tables::features::Support;

use super::bench::{Bench, TIMEOUT, finish, start};

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    vec![
        trial(bench, "the kernel compares functions", "filter-function", "kmem:kmalloc", functions),
        trial(bench, "the kernel compares masks of CPUs", "filter-cpus", "ipi:ipi_send_cpumask", masks),
        trial(bench, "the kernel follows user memory", "filter-ustring", OPEN, user_memory),
        unless(
            no_event(bench, CLOSE),
            "an unsigned argument is its C type, whatever is above it",
            bench,
            unsigned_argument,
        ),
        bench.trial("the kernel shows by a filter what nothing else shows", tried),
        bench.trial("a session is written for the kernel that `kernel save` finds", model_of_run),
        bench.trial("inverted classes are demanded of a kernel that ends them", inverted_classes),
        bench.trial("what is not known of a kernel is reported where nothing is tried", not_known),
        unless(
            no_symbols(),
            "an unknown function is found before anything is written",
            bench,
            unknown_function,
        ),
    ]
}

const OPEN: &str = "syscalls:sys_enter_openat";
const CLOSE: &str = "syscalls:sys_enter_close";

/// Registers that close(2) is called with, and the descriptors that it takes from them. No process can have so many
/// descriptors that these are open (`sysctl_nr_open_max` in fs/file.c).
const CLOSED: [(u64, u64); 3] =
    [(0x4000_004d, 0x4000_004d), (0xdead_beef_4000_004d, 0x4000_004d), (0xffff_ffff_4000_004e, 0x4000_004e)];

/// Checks a condition that the kernel's filter decides, and one that the host decides.
fn unsigned_argument(bench: &Bench) -> Result<(), Failed> {
    for descriptor in [0x4000_004d, 0x4000_004e, 0x4000_004f] {
        let kernel = format!("filter in kernel fd == {descriptor};");
        let host = format!("filter fd > 0x40000000 && fd % 0x100 == {};", descriptor % 0x100);
        for filter in [kernel, host] {
            let expected: Vec<u64> =
                CLOSED.iter().map(|(_, fd)| *fd).filter(|fd| *fd == descriptor).collect();
            let found = closed(bench, &filter)?;
            if found != expected {
                return Err(format!("{filter} keeps {found:x?}, not {expected:x?}").into());
            }
        }
    }
    Ok(())
}

/// Closes descriptors in a session with this clause. Returns the `fd` of each record.
fn closed(bench: &Bench, filter: &str) -> Result<Vec<u64>, Failed> {
    let dir = tempfile::tempdir()?;
    let (session, pipe) = (dir.path().join("closes.trc"), dir.path().join("pipe"));
    std::fs::write(&session, format!("session closes {{ trace {CLOSE} {{ {filter} }} }}"))?;
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, rustix::fs::Mode::RWXU, 0)?;
    // Open at both ends, so that neither this test nor the load waits for the other to open it.
    let mut end = OpenOptions::new().read(true).write(true).open(&pipe)?;
    let mut command = bench.tracec("run");
    command.arg("--json").arg(&session);
    command.args(["--", "sh", "-c", &format!("echo ready; read line < {}", quoted(&pipe))]);
    let mut running = start(command)?;
    running.until("ready", TIMEOUT)?;
    for (register, descriptor) in CLOSED {
        // SAFETY: there is no such descriptor.
        let result = unsafe { libc::syscall(libc::SYS_close, register) };
        let error = std::io::Error::last_os_error();
        if result != -1 || error.raw_os_error() != Some(libc::EBADF) {
            return Err(format!("close({register:#x}) of {descriptor:#x}: {result}, {error}").into());
        }
    }
    end.write_all(b"\n")?;
    let finished = running.wait(TIMEOUT)?;
    finished.expect_status(0)?;
    let records = finished.stdout.lines().filter(|line| line.starts_with('{'));
    records
        .map(|line| {
            let record: Value = serde_json::from_str(line)?;
            record["fields"]["fd"].as_u64().ok_or_else(|| format!("no fd in {line}").into())
        })
        .collect()
}

/// No symbol shows a dangling connector, so that it is tried, as every feature is on a kernel without BTF.
fn tried(bench: &Bench) -> Result<(), Failed> {
    let name = "filter-dangling-connector";
    let live = LiveKernel(Tracefs::open(&bench.tracefs)?);
    if !matches!(live.feature(name), Support::Unknown(_)) {
        return Err(format!("{name} is known without a trial").into());
    }
    let dir = tempfile::tempdir()?;
    let shown = TriedKernel::new(&live, dir.path()).feature(name);
    match shown {
        Support::Yes | Support::No => Ok(()),
        Support::Unknown(reason) => Err(format!("{name}: {reason}").into()),
    }
}

/// Checks that `run` detects the same features of the filter as a profile of this kernel holds.
fn model_of_run(bench: &Bench) -> Result<(), Failed> {
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("here.trcprof");
    let mut save = Command::new(&bench.tracec);
    save.args(["kernel", "save", "--no-btf", "--no-functions", "--tracefs"]).arg(&bench.tracefs);
    save.arg("-o").arg(&file).arg("--runtime-dir").arg(dir.path());
    finish(save, TIMEOUT)?.expect_status(0)?;
    let saved = ProfileKernel::open(&file)?;
    let live = LiveKernel(Tracefs::open(&bench.tracefs)?);
    let tried = TriedKernel::new(&live, dir.path());
    // The model asks for each of its features, so that none can be left out here only.
    let run = Model::of(|feature| tried.feature(feature));
    let save = Model::of(|feature| saved.feature(feature));
    if run == save { Ok(()) } else { Err(format!("run: {run:?}\nsave: {save:?}").into()) }
}

/// Checks a pattern that cannot be expressed for kernels whose inverted classes match the end of the string.
fn inverted_classes(bench: &Bench) -> Result<(), Failed> {
    let live = LiveKernel(Tracefs::open(&bench.tracefs)?);
    let support = feature_when_run(&live, "filter-class-takes-nul");
    let mut command = bench.tracec("run");
    let text = "trace sched:sched_process_exec { filter in kernel filename ~ \"[!a]*b*\"; }";
    command.args(["-e", text, "--", "true"]);
    let finished = finish(command, TIMEOUT)?;
    match support {
        Support::No => finished.expect_status(0)?,
        Support::Yes => finished.expect_status(1)?.expect_stderr("T0405")?,
        Support::Unknown(reason) => return Err(reason.into()),
    };
    Ok(())
}

/// Checks that a command that only reads reports an unknown feature, and that `run` would detect it; a command that
/// tries filters does not report it.
fn not_known(bench: &Bench) -> Result<(), Failed> {
    let text = "trace sched:sched_process_exec if filename ~ \"[!a]*b*\"";
    let said = "has `filter-class-takes-nul` is not known";
    for subcommand in ["plan", "explain", "run"] {
        let mut command = bench.tracec(subcommand);
        command.args(["-e", text]);
        if subcommand == "run" {
            command.args(["--", "true"]);
        }
        let finished = finish(command, TIMEOUT)?;
        finished.expect_status(if subcommand == "plan" { 2 } else { 0 })?;
        if subcommand != "run" {
            finished.expect_stderr(said)?.expect_stderr("`tracec run` tries it")?;
        } else if finished.stderr.contains("not known") {
            return Err(finished.to_string().into());
        }
    }
    // Without an alternative, the unknown feature is the reason.
    let mut check = bench.tracec("check");
    let demanded = "trace sched:sched_process_exec { filter in kernel filename ~ \"[!a]*b*\"; }";
    check.args(["-e", demanded]);
    let finished = finish(check, TIMEOUT)?;
    finished.expect_status(1)?.expect_stderr("T0405")?.expect_stderr("whether it has is not known")?;
    Ok(())
}

/// Checks an unknown function. Whether the kernel's filter supports functions at all is tested elsewhere.
fn unknown_function(bench: &Bench) -> Result<(), Failed> {
    let condition =
        |name: &str| format!("session s {{ trace kmem:kmalloc if call_site.function == {name}; }}");
    let dir = tempfile::tempdir()?;
    let file = dir.path().join("function.trc");
    for subcommand in ["check", "plan", "explain", "run"] {
        std::fs::write(&file, condition("no_such_fn"))?;
        let tracec = || {
            let mut command = bench.tracec(subcommand);
            command.arg(&file);
            if subcommand == "run" {
                command.args(["--", "true"]);
            }
            finish(command, TIMEOUT)
        };
        let finished = tracec()?;
        finished.expect_status(1)?.expect_stderr("T0242")?.expect_stderr("no function `no_such_fn`")?;
        // A function that cannot be traced is still a function, and the kernel's filter accepts it.
        std::fs::write(&file, condition("__schedule"))?;
        let finished = tracec()?;
        if finished.stderr.contains("T0242") {
            return Err(finished.to_string().into());
        }
    }
    Ok(())
}

/// Returns a test that requires a feature and an event, and is ignored with a printed reason without them.
fn trial(
    bench: &Bench,
    name: &str,
    feature: &str,
    event: &str,
    test: fn(&Bench) -> Result<(), Failed>,
) -> Trial {
    let support = match Tracefs::open(&bench.tracefs) {
        Ok(tracefs) => feature_when_run(&LiveKernel(tracefs), feature),
        Err(error) => Support::Unknown(error.to_string()),
    };
    let missing = if support != Support::Yes {
        Some(format!("the feature {feature}: {support}"))
    } else {
        no_event(bench, event)
    };
    unless(missing, name, bench, test)
}

/// Returns the reason if the kernel lacks the event.
fn no_event(bench: &Bench, event: &str) -> Option<String> {
    let there = bench.has(&format!("events/{}/format", event.replacen(':', "/", 1)));
    (!there).then(|| format!("the event {event}: no"))
}

/// Returns a test that is ignored, with a printed reason, where something is missing.
fn unless(
    missing: Option<String>,
    name: &str,
    bench: &Bench,
    test: fn(&Bench) -> Result<(), Failed>,
) -> Trial {
    let trial = bench.trial(name, test);
    match missing {
        Some(missing) => {
            println!("SKIPPED {name}: {missing}");
            trial.with_ignored_flag(true)
        }
        None => trial,
    }
}

/// Returns the reason if names cannot be looked up here.
fn no_symbols() -> Option<String> {
    let symbols = std::fs::read_to_string("/proc/kallsyms").unwrap_or_default();
    symbols.is_empty().then(|| "the kernel lists no symbols".to_owned())
}

/// Returns whether the kernel has a feature, as `tracec run` detects it.
fn feature_when_run(live: &LiveKernel, feature: &str) -> Support {
    match tempfile::tempdir() {
        Ok(dir) => TriedKernel::new(live, dir.path()).feature(feature),
        Err(error) => Support::Unknown(error.to_string()),
    }
}

const INSTANCE: &str = "tracec-test-filters";

/// Runs a load in a session. Returns the records, and the filter that the event had.
fn run(bench: &Bench, text: &str, event: &str, load: &str) -> Result<(Vec<Value>, String), Failed> {
    let dir = tempfile::tempdir()?;
    let (session, kept) = (dir.path().join("filters.trc"), dir.path().join("filter"));
    std::fs::write(&session, text)?;
    let event = event.replacen(':', "/", 1);
    let filter = bench.tracefs.join(format!("instances/{INSTANCE}/events/{event}/filter"));
    let mut command = bench.tracec("run");
    command.args(["--json", "--instance", INSTANCE]).arg(&session);
    let read = format!("cat {} > {}", quoted(&filter), quoted(&kept));
    command.args(["--", "sh", "-c", &format!("{read}; {load}")]);
    let finished = finish(command, TIMEOUT)?;
    finished.expect_status(0)?;
    let records = finished.stdout.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    Ok((records, std::fs::read_to_string(&kept)?.trim_end().to_owned()))
}

fn quoted(path: &Path) -> String {
    format!("'{}'", path.display())
}

fn expect_filter(filter: &str, wanted: &str) -> Result<(), Failed> {
    if filter == wanted { Ok(()) } else { Err(format!("the filter is {filter:?}, not {wanted:?}").into()) }
}

/// The names of the kernel's addresses, as `/proc/kallsyms` lists them, without modules.
struct Symbols(BTreeMap<u64, Vec<String>>);

impl Symbols {
    fn read() -> Result<Symbols, Failed> {
        let mut symbols: BTreeMap<u64, Vec<String>> = BTreeMap::new();
        let text = std::fs::read_to_string("/proc/kallsyms")?;
        for line in text.lines().filter(|line| !line.ends_with(']')) {
            let [address, _, name] = line.split(' ').collect::<Vec<_>>()[..] else { continue };
            symbols.entry(u64::from_str_radix(address, 16)?).or_default().push(name.to_owned());
        }
        Ok(Symbols(symbols))
    }

    /// Returns the names of the last symbol at or before an address.
    fn at(&self, address: u64) -> &[String] {
        self.0.range(..=address).next_back().map_or(&[], |(_, names)| names)
    }

    /// Returns whether a name has only one address: of several the kernel's filter takes the first.
    fn is_unique(&self, name: &str) -> bool {
        self.0.values().flatten().filter(|known| *known == name).count() == 1
    }
}

/// Returns the address from which a record of `kmem:kmalloc` was made.
fn call_site(record: &Value) -> Result<u64, Failed> {
    let site = &record["fields"]["call_site"];
    site.as_u64().ok_or_else(|| format!("call_site is {site}").into())
}

/// Records the function that occurs most often in the load, and checks that no other occurs.
fn functions(bench: &Bench) -> Result<(), Failed> {
    let symbols = Symbols::read()?;
    let load = "i=0; while [ $i -lt 20 ]; do cat /proc/version > /dev/null; i=$((i+1)); done";
    let (all, filter) = run(bench, "session all { trace kmem:kmalloc; }", "kmem:kmalloc", load)?;
    expect_filter(&filter, "none")?;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    // Other programs allocate too, and need not do it again. A child of the shell that is preempted before it executes
    // its program keeps the name of the shell.
    let is_of_load = |record: &&Value| record["comm"] == "cat" || record["comm"] == "sh";
    for record in all.iter().filter(is_of_load) {
        if let [name] = symbols.at(call_site(record)?) {
            *seen.entry(name).or_default() += 1;
        }
    }
    let mut seen: Vec<(usize, &str)> = seen.into_iter().map(|(name, count)| (count, name)).collect();
    seen.sort_unstable();
    let found = seen.iter().rev().find(|(count, name)| *count > 10 && symbols.is_unique(name));
    let Some((_, name)) = found else { return Err(format!("no function of the load: {seen:?}").into()) };
    let text = format!(
        "lint allow unknown-function;\n\
         session one {{ trace kmem:kmalloc if call_site.function == \"{name}\"; }}"
    );
    let (records, filter) = run(bench, &text, "kmem:kmalloc", load)?;
    expect_filter(&filter, &format!("call_site.function == {name}"))?;
    if records.len() < 10 || records.len() == all.len() {
        return Err(format!("{} records of {name}, {} without a filter", records.len(), all.len()).into());
    }
    for record in &records {
        let names = symbols.at(call_site(record)?);
        if !names.iter().any(|other| other == name) {
            return Err(format!("{record} is in {names:?}, not in {name}").into());
        }
    }
    Ok(())
}

/// Checks the filter that the kernel accepts: to get a record would need three CPUs and luck.
fn masks(bench: &Bench) -> Result<(), Failed> {
    let event = "ipi:ipi_send_cpumask";
    for (condition, wanted) in [
        ("cpumask & CPUS{0}", "cpumask & CPUS{0}"),
        ("!(cpumask & CPUS{0}) && cpu == 0", "!(cpumask & CPUS{0}) && CPU == 0"),
        // The kernel ignores the bits of CPUs that are not possible: all of a mask is compared on the host.
        ("cpumask == CPUS{0} && cpu == 0", "CPU == 0"),
    ] {
        let text = format!("session masks {{ trace {event} if {condition}; }}");
        let (_, filter) = run(bench, &text, event, "true")?;
        expect_filter(&filter, wanted)?;
    }
    Ok(())
}

/// The load opens two files, and the record of one of them is kept.
fn user_memory(bench: &Bench) -> Result<(), Failed> {
    let load = "cat /proc/version /proc/uptime > /dev/null";
    let opened = |condition: &str| -> Result<(usize, String), Failed> {
        let text = format!("session opened {{ trace {OPEN} if {condition}; }}");
        let (records, filter) = run(bench, &text, OPEN, load)?;
        Ok((records.len(), filter))
    };
    let (exact, filter) = opened("filename.ustring == \"/proc/version\"")?;
    expect_filter(&filter, "filename.ustring == \"/proc/version\"")?;
    let (pattern, filter) = opened("filename.ustring ~ \"/proc/[uv]*\" && current.comm == \"cat\"")?;
    expect_filter(&filter, "filename.ustring ~ \"/proc/[uv]*\" && COMM == \"cat\"")?;
    // Another task may open one of them too.
    if exact == 0 || pattern != 2 {
        return Err(format!("{exact} records of one file, {pattern} of two").into());
    }
    Ok(())
}
