//! Sessions that record by BPF programs: nothing is left of them after a kill, or after many, and they record what tracefs
//! does.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::{Failed, Trial};
use tracec::{Input, InstanceName, LiveKernel, Options, SourceText, Tracefs, compile};
use tracec_kernel::plan::Programs;
use tracec_runtime::session::{self, RunOptions};
use tracec_runtime::sink::{Output, TEXT};

use super::bench::{Bench, TIMEOUT, finish, start};

/// How many objects are tampered with for each of these sessions.
const TAMPERED: usize = 6;

/// How many sessions are run one after the other.
const CYCLES: usize = 10;

/// The names of the programs of [`SESSION`], as the kernel cuts them.
const NAMES: [&str; 2] = ["e0_sched_proces", "e1_signal_gener"];
const SESSION: &str = "trace sched:sched_process_exec if filename ~ \"*e*\"; trace signal:signal_generate;";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    if let Err(reason) = ids() {
        println!("SKIPPED programs: the kernel lists no BPF programs: {reason}");
        return Vec::new();
    }
    let mut trials = vec![
        bench.trial("programs: a session that is killed leaves no program", killed),
        bench.trial("programs: many sessions leave no program and no map", many),
        bench.trial("programs: they record what tracefs records", as_tracefs),
        bench.trial("programs: they need two capabilities, and no root", without_root),
        bench.trial("programs: an object that was tampered with is refused, or does no harm", tampered),
    ];
    trials.push(bench.trial("programs: they make room for their files, or say how many they need", files));
    if bench.has("uprobe_events") {
        trials.push(bench.trial("programs: tasks that take turns do not share a record", take_turns));
    }
    match std::process::Command::new("bpftool").arg("version").output() {
        Ok(_) => trials.push(bench.trial("programs: bpftool loads what is built", by_bpftool)),
        Err(error) => println!("NOTE: what is built is not loaded by bpftool: {error}"),
    }
    trials
}

/// The commands of `bpf(2)`.
const PROG_GET_NEXT_ID: libc::c_long = 11;
const MAP_GET_NEXT_ID: libc::c_long = 12;
const PROG_GET_FD_BY_ID: libc::c_long = 13;
const MAP_GET_FD_BY_ID: libc::c_long = 14;
const OBJ_GET_INFO_BY_FD: libc::c_long = 15;

fn bpf(command: libc::c_long, words: &mut [u32; 32]) -> std::io::Result<libc::c_long> {
    // SAFETY: the kernel reads and writes no more bytes than the arguments say; addresses in them are of live buffers.
    let result = unsafe { libc::syscall(libc::SYS_bpf, command, words.as_mut_ptr(), size_of_val(words)) };
    if result < 0 { Err(std::io::Error::last_os_error()) } else { Ok(result) }
}

/// Returns the ids of all that a command lists.
fn listed(command: libc::c_long) -> std::io::Result<Vec<u32>> {
    let mut ids = Vec::new();
    let mut words = [0; 32];
    loop {
        words[0] = ids.last().copied().unwrap_or(0);
        match bpf(command, &mut words) {
            Ok(_) => ids.push(words[1]),
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(ids),
            Err(error) => return Err(error),
        }
    }
}

fn ids() -> std::io::Result<Vec<u32>> {
    listed(PROG_GET_NEXT_ID)
}

/// Returns the names of all programs.
fn names() -> std::io::Result<Vec<String>> {
    // `name` of `struct bpf_prog_info` (include/uapi/linux/bpf.h).
    described::<232>((PROG_GET_NEXT_ID, PROG_GET_FD_BY_ID), 64)
}

/// Returns the names, at an offset of what the kernel says in so many bytes, of all that a command lists and another opens.
fn described<const BYTES: usize>(
    (list, open): (libc::c_long, libc::c_long),
    at: usize,
) -> std::io::Result<Vec<String>> {
    let mut names = Vec::new();
    for id in listed(list)? {
        let mut words = [0; 32];
        words[0] = id;
        // It may have gone.
        let Ok(fd) = bpf(open, &mut words) else { continue };
        let mut info = [0_u8; BYTES];
        let mut words = [0; 32];
        words[0] = fd as u32;
        words[1] = info.len() as u32;
        let address = info.as_mut_ptr() as u64;
        (words[2], words[3]) = (address as u32, (address >> 32) as u32);
        let described = bpf(OBJ_GET_INFO_BY_FD, &mut words);
        // SAFETY: the descriptor is this function's own.
        unsafe { libc::close(fd as i32) };
        if described.is_ok() {
            let name: Vec<u8> = info[at..at + 16].iter().copied().take_while(|byte| *byte != 0).collect();
            names.push(String::from_utf8_lossy(&name).into_owned());
        }
    }
    Ok(names)
}

/// Returns how many programs of the session there are.
fn own() -> Result<usize, Failed> {
    Ok(names()?.iter().filter(|name| NAMES.contains(&name.as_str())).count())
}

/// Waits until there are so many programs of the session.
fn until(count: usize) -> Result<(), Failed> {
    let begin = Instant::now();
    while own()? != count {
        if begin.elapsed() > TIMEOUT {
            return Err(format!("{} programs of the session, and not {count}", own()?).into());
        }
        sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn killed(bench: &Bench) -> Result<(), Failed> {
    until(0)?;
    let mut command = bench.tracec("run");
    command.args(["--quiet", "--target", "bpf", "-e", SESSION]).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    until(NAMES.len())?;
    child.kill()?;
    child.wait()?;
    until(0)?;
    let finished = finish(bench.tracec("recover"), TIMEOUT)?;
    finished.expect_status(0)?;
    Ok(())
}

/// Returns how many sessions are run one after the other.
fn cycles() -> usize {
    std::env::var("TRACEC_PROGRAM_CYCLES").ok().and_then(|text| text.parse().ok()).unwrap_or(CYCLES)
}

fn many(bench: &Bench) -> Result<(), Failed> {
    let cycles = cycles();
    until(0)?;
    let programs = ids()?.len();
    for _ in 0..cycles {
        let mut command = bench.tracec("run");
        command.args(["--target", "bpf", "-e", SESSION, "--", "true"]);
        let finished = finish(command, TIMEOUT)?;
        finished.expect_status(0)?;
        finished.expect_stderr("nothing lost")?;
    }
    until(0)?;
    let begin = Instant::now();
    // Maps go a grace period behind their programs.
    while own_maps()? > 0 {
        if begin.elapsed() > TIMEOUT {
            return Err(format!("{} maps of the session are left", own_maps()?).into());
        }
        sleep(Duration::from_millis(50));
    }
    println!(
        "{cycles} sessions: programs {programs} before, {} after; none and no map of theirs is left",
        ids()?.len()
    );
    Ok(())
}

/// Runs a session with a low limit of open files that tracec may raise, and with one that it may not.
fn files(bench: &Bench) -> Result<(), Failed> {
    for (option, status, expected) in
        [("-S -n", 0, "nothing lost"), ("-n", 1, "open files, and the process may have 60")]
    {
        let tracec = bench.tracec("run");
        let mut command = std::process::Command::new("sh");
        command.args(["-c", &format!("ulimit {option} 60 && exec \"$0\" \"$@\"")]).arg(tracec.get_program());
        command.args(tracec.get_args()).args(["--target", "bpf", "-e", SESSION, "--", "true"]);
        let finished = finish(command, TIMEOUT)?;
        finished.expect_status(status)?;
        finished.expect_stderr(expected)?;
    }
    until(0)
}

/// Returns how many ring buffers of sessions there are: each session has one.
fn own_maps() -> Result<usize, Failed> {
    // `name` of `struct bpf_map_info` (include/uapi/linux/bpf.h).
    let names = described::<88>((MAP_GET_NEXT_ID, MAP_GET_FD_BY_ID), 24)?;
    Ok(names.iter().filter(|name| *name == Programs::RECORDS).count())
}

/// Runs a session as a user who may load programs, and read the `format` files, and as one who may not. Nothing is written
/// into tracefs: this user could not.
fn without_root(bench: &Bench) -> Result<(), Failed> {
    let file = tempfile::Builder::new().suffix(".trc").tempfile()?;
    std::fs::write(
        file.path(),
        "event began at raw_tp sched_process_exec(task: *struct task_struct, old_pid: pid_t);\n\
         session without_root { trace began; }\n",
    )?;
    let at_tracepoint = ["--target", "bpf", "-e", "trace sched:sched_process_exec"].map(OsStr::new);
    let probe = [file.path().as_os_str()];
    let run = |capabilities: &str, session: &[&OsStr]| {
        let tracec = bench.tracec("run");
        let mut command = std::process::Command::new("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        for set in ["inh", "ambient"] {
            command.arg(format!("--{set}-caps=-all,{capabilities}"));
        }
        command.arg(tracec.get_program()).args(tracec.get_args());
        command.envs(tracec.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command.args(session).args(["--", "/bin/true"]);
        finish(command, TIMEOUT)
    };
    // The mount of tracefs belongs to root alone.
    let enough = "+bpf,+perfmon,+dac_read_search";
    let records = |session: &[&OsStr], wanted: &str| {
        let finished = run(enough, session)?;
        finished.expect_status(0)?;
        finished.expect_stderr("nothing lost")?;
        match finished.stdout.lines().any(|line| line.contains(wanted)) {
            true => Ok(()),
            false => Err(Failed::from(format!("the command is not among the records\n{finished}"))),
        }
    };
    records(&probe, " began: task=")?;
    // Where a kernel gives tracepoints to CAP_SYS_ADMIN only, that is said.
    match run(enough, &at_tracepoint)? {
        refused if refused.stderr.contains("kernel.perf_event_paranoid") => {
            refused.expect_status(1)?;
        }
        _ => records(&at_tracepoint, ": sched_process_exec: filename=/bin/true")?,
    }
    let refused = run("+bpf,+dac_read_search", &at_tracepoint)?;
    refused.expect_status(1)?;
    refused.expect_stderr("it needs CAP_BPF and CAP_PERFMON")?;
    until(0)
}

/// Two tasks call a function on one CPU, each with texts of its own: no record has a text of both.
fn take_turns(bench: &Bench) -> Result<(), Failed> {
    let file = tempfile::Builder::new().suffix(".trc").tempfile()?;
    // Only what must not be is recorded, and the calls at the end.
    std::fs::write(
        file.path(),
        "event looked at uprobe \"libc.so.6\":strverscmp(text: *user char, part: *user char);\n\
         session take_turns {\n    recorder bpf;\n    trace looked if part == \"turn-c\"\n        \
         || text ~ \"a*\" && part == \"turn-b\" || text ~ \"b*\" && part == \"turn-a\";\n}\n",
    )?;
    let mut command = bench.tracec("run");
    command.arg("--json").arg(file.path());
    let running = start(command)?;
    let begin = Instant::now();
    while !names()?.iter().any(|name| name == "e0_looked") {
        if begin.elapsed() > TIMEOUT {
            return Err("no program was loaded".into());
        }
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    let callers = ["turn-a", "turn-b"].map(|part| std::thread::spawn(|| call(part, usize::MAX)));
    for caller in callers {
        caller.join().map_err(|_| "a caller panicked")?;
    }
    std::thread::spawn(|| call("turn-c", LAST_CALLS)).join().map_err(|_| "a caller panicked")?;
    sleep(Duration::from_millis(300));
    running.signal(rustix::process::Signal::TERM)?;
    let finished = running.wait(TIMEOUT)?;
    let (mut last, mut mixed) = (0, Vec::new());
    for line in finished.stdout.lines() {
        let record: serde_json::Value = serde_json::from_str(line)?;
        match record["fields"]["part"].as_str() {
            Some("turn-c") => last += 1,
            _ => mixed.push(line),
        }
    }
    match (last, mixed.first()) {
        (LAST_CALLS, None) => Ok(()),
        (_, Some(line)) => Err(format!("{} records have texts of two tasks: {line}", mixed.len()).into()),
        (last, None) => Err(format!("{last} of {LAST_CALLS} calls are recorded\n{}", finished.stderr).into()),
    }
}

/// How many calls the session records.
const LAST_CALLS: usize = 20;

/// Calls a function of the C library at most so many times within two seconds, on one CPU, with a long text of the last
/// letter of a part.
fn call(part: &str, most: usize) {
    // SAFETY: the set is zeroed, and then filled by the macro's function.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(0, &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &raw const set);
    }
    let letter = part.as_bytes()[part.len() - 1];
    let text = std::ffi::CString::new(vec![letter; 4000]).unwrap_or_default();
    let part = std::ffi::CString::new(part).unwrap_or_default();
    let begin = Instant::now();
    for _ in 0..most {
        if begin.elapsed() > Duration::from_secs(2) {
            break;
        }
        // SAFETY: both texts have a NUL, and live through the call.
        std::hint::black_box(unsafe { strverscmp(text.as_ptr(), part.as_ptr()) });
    }
}

unsafe extern "C" {
    fn strverscmp(text: *const libc::c_char, part: *const libc::c_char) -> libc::c_int;
}

/// bpftool loads the object of a session with a record, a probe and a member, and pins its programs.
fn by_bpftool(bench: &Bench) -> Result<(), Failed> {
    let directory = tempfile::tempdir()?;
    let text = directory.path().join("built.trc");
    std::fs::write(
        &text,
        "event began at raw_tp sched_process_exec(task: *struct task_struct, old_pid: pid_t) { pid = task->pid; }\n\
         session built {\n    recorder bpf;\n    trace began if pid > 1;\n    trace sched:sched_switch if prev_prio < 100;\n}\n",
    )?;
    let out = directory.path().join("out");
    let mut build = bench.tracec("build");
    build.arg(&text).args(["--target", "bpf", "-o"]).arg(&out);
    finish(build, TIMEOUT)?.expect_status(0)?;
    let pins = directory.path().join("pins");
    std::fs::create_dir(&pins)?;
    let mounted = |command: &str, arguments: &[&OsStr]| -> Result<(), Failed> {
        let mut command = std::process::Command::new(command);
        command.args(arguments);
        finish(command, TIMEOUT)?.expect_status(0).map(drop)
    };
    mounted("mount", &["-t".as_ref(), "bpf".as_ref(), "bpf".as_ref(), pins.as_os_str()])?;
    let all = pins.join("all");
    let object = out.join("built.bpf.o");
    let loaded =
        mounted("bpftool", &["prog".as_ref(), "loadall".as_ref(), object.as_os_str(), all.as_os_str()]);
    let mut pinned: Vec<String> = std::fs::read_dir(&all)
        .map(|entries| {
            entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
        })
        .unwrap_or_default();
    pinned.sort();
    mounted("umount", &[pins.as_os_str()])?;
    loaded?;
    match pinned.as_slice() {
        [first, second] if first == "e0_began" && second == "e1_sched_switch" => Ok(()),
        other => Err(format!("bpftool has pinned {other:?}").into()),
    }
}

/// Objects of which a byte or the end is another, as a stored plan could have. The plan of each is run for a moment: it
/// fails or ends, and leaves no program.
fn tampered(bench: &Bench) -> Result<(), Failed> {
    let text = SourceText { name: "-e".to_owned(), text: SESSION.to_owned(), one_liner: true };
    let options = Options { programs: true, ..Options::new(None, InstanceName::new("tracec-tampered")?) };
    let kernel = LiveKernel(Tracefs::open(&bench.tracefs)?);
    let compilation = compile(Input::new(&text, &kernel), &options);
    let mut plan = compilation.plan.ok_or_else(|| format!("{:?}", compilation.diagnostics))?;
    plan.life.stop_after = Some(Duration::from_millis(1));
    let object = plan.programs.as_ref().map(|own| own.object.clone()).unwrap_or_default();
    let output = tempfile::NamedTempFile::new()?;
    let mut run = |object: Vec<u8>| {
        if let Some(own) = &mut plan.programs {
            own.object = object;
        }
        let output = Output::File { path: output.path().to_owned(), form: &TEXT };
        session::run(&kernel.0, &plan, RunOptions::new(output)).map(drop).map_err(|error| error.to_string())
    };
    run(object.clone())?;
    let samples = TAMPERED * cycles();
    let (mut refused, mut ran) = (0, 0);
    for sample in 0..samples {
        let at = sample * object.len() / samples;
        let mut other = object.clone();
        match sample % 4 {
            0 => other.truncate(at),
            1 => other[at] ^= 1 << (sample / 4 % 8),
            2 => other[at] = 0xff,
            _ => other[at..].iter_mut().take(8).for_each(|byte| *byte = !*byte),
        }
        match run(other) {
            Ok(()) => ran += 1,
            Err(said) if said.is_empty() => return Err(format!("byte {at}: no reason is said").into()),
            Err(_) => refused += 1,
        }
    }
    println!("{samples} objects of {} bytes: {refused} refused, {ran} ran", object.len());
    until(0)?;
    if refused == 0 { Err("none is refused".into()) } else { Ok(()) }
}

/// Compares the records of one load, which a session of tracefs and one of programs record at the same time.
fn as_tracefs(bench: &Bench) -> Result<(), Failed> {
    let session = "trace sched:sched_process_exec if filename == \"/bin/true\"; clock mono;";
    let mut by_programs = bench.tracec("run");
    by_programs.args(["--quiet", "--json", "--target", "bpf", "-e", session]).stdout(Stdio::piped());
    let mut by_programs = by_programs.spawn()?;
    let mut reader = BufReader::new(by_programs.stdout.take().ok_or("no standard output")?);
    let lines = std::thread::spawn(move || {
        let mut lines = Vec::new();
        let mut line = String::new();
        while reader.read_line(&mut line).is_ok_and(|length| length > 0) {
            lines.push(std::mem::take(&mut line));
        }
        lines
    });
    // The programs are attached before their first record can be read: a first load is thrown away.
    let begin = Instant::now();
    while !names()?.iter().any(|name| name == NAMES[0]) {
        if begin.elapsed() > TIMEOUT {
            return Err("no program was loaded".into());
        }
        sleep(Duration::from_millis(10));
    }
    sleep(Duration::from_millis(300));
    let mut by_tracefs = bench.tracec("run");
    by_tracefs.args([
        "--quiet",
        "--json",
        "-e",
        session,
        "--",
        "sh",
        "-c",
        "for i in 1 2 3 4 5; do /bin/true; done",
    ]);
    let by_tracefs = finish(by_tracefs, TIMEOUT)?;
    sleep(Duration::from_millis(300));
    rustix::process::kill_process(
        rustix::process::Pid::from_child(&by_programs),
        rustix::process::Signal::TERM,
    )?;
    by_programs.wait()?;
    let programs = lines.join().map_err(|_| "the reader panicked")?;
    let records = |lines: &mut dyn Iterator<Item = &str>| -> Result<Vec<serde_json::Value>, Failed> {
        lines.map(|line| Ok(serde_json::from_str(line)?)).collect()
    };
    let of_tracefs = records(&mut by_tracefs.stdout.lines())?;
    let of_programs = records(&mut programs.iter().map(String::as_str))?;
    let is_same = |one: &serde_json::Value, other: &serde_json::Value| {
        ["cpu", "pid", "event", "fields"].iter().all(|key| one[key] == other[key])
    };
    if of_tracefs.len() < 5 {
        return Err(format!("{} records by tracefs", of_tracefs.len()).into());
    }
    for record in &of_tracefs {
        if !of_programs.iter().any(|other| is_same(record, other)) {
            return Err(format!("no program recorded {record}\n{of_programs:#?}").into());
        }
    }
    Ok(())
}
