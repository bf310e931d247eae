//! `tracec report` with a session: the records that it would have recorded.

use std::io::Read;
use std::mem::offset_of;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const RECORDING: &str = "runtime/tests/data/small-v6.dat";

fn report(more: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.args(["report", RECORDING, "--json"]).args(more).output().expect("tracec runs")
}

/// Returns the records that are shown.
fn records(more: &[&str]) -> Vec<Value> {
    let output = report(more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

#[test]
fn records_are_those_that_the_session_would_have_recorded() {
    let all = records(&[]);
    let of = |event: &str, keeps: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        all.iter().filter(|record| record["event"] == event && keeps(&record["fields"])).cloned().collect()
    };
    let pid = |fields: &Value| fields["pid"].as_i64().expect("a number");
    let even = of("sched:sched_waking", &|fields| pid(fields) % 2 == 0);
    let named = of("sched:sched_waking", &|fields| fields["comm"].as_str().expect("a text").starts_with('b'));
    assert!(!even.is_empty() && even.len() < all.len() && !named.is_empty());
    for (text, expected) in [
        ("sched:sched_waking if pid % 2 == 0", &even),
        ("sched:sched_waking if comm ~ \"b*\"", &named),
        ("sched:sched_waking", &of("sched:sched_waking", &|_| true)),
    ] {
        assert_eq!(&records(&["-e", text]), expected, "{text}");
        assert_eq!(&records(&["-e", text, "--no-jit"]), expected, "{text}");
    }
}

#[test]
fn what_is_left_out_is_counted() {
    let said = String::from_utf8(report(&["-e", "sched:sched_waking if pid < 0"]).stderr).expect("UTF-8");
    let all = records(&[]).len();
    // Records of unknown events are left out too.
    let left = said.split(" left out").next().and_then(|text| text.rsplit(' ').next()).expect("a number");
    let left: usize = left.replace(',', "").parse().expect("a number");
    assert!(said.starts_with("0 records") && left >= all, "{said}");
}

#[test]
fn what_records_do_not_hold_is_refused_where_it_stands() {
    for (text, code, place) in [
        ("sched:sched_waking if current.comm == \"x\"", "T0408", "-e:1:23"),
        ("trace sched:sched_waking; stop after 1s", "T0408", "-e:1:27"),
        ("sched:sched_waking if pidd == 0", "T0102", "-e:1:23"),
        ("sched:nothing", "T0101", "-e:1:1"),
    ] {
        let output = report(&["-e", text]);
        let said = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!((output.status.code(), output.stdout.is_empty()), (Some(1), true), "{text}");
        assert!(said.contains(code) && said.contains(place), "{text}: {said}");
    }
}

/// Returns the lines that are shown.
fn lines(more: &[&str]) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let output = command.args(["report", RECORDING]).args(more).output().expect("tracec runs");
    assert!(output.status.success(), "{more:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("UTF-8").lines().map(str::to_owned).collect()
}

/// Returns the status and the message of a report that is refused.
fn refused(more: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    let output = command.args(["report", RECORDING]).args(more).output().expect("tracec runs");
    assert!(output.stdout.is_empty(), "{more:?}");
    (output.status.code(), String::from_utf8(output.stderr).expect("UTF-8"))
}

#[test]
fn layouts_differ_in_their_lines() {
    let (kernel, old, new) =
        (lines(&[]), lines(&["--layout", "trace-cmd-3.1"]), lines(&["--layout", "trace-cmd-3.3"]));
    assert_eq!(lines(&["--layout", "kernel"]), kernel);
    assert_eq!((old[0].as_str(), new[0].as_str()), ("cpus=2", "cpus=2"));
    assert_eq!((old.len(), new.len()), (kernel.len() + 1, kernel.len() + 1));
    let flags =
        |line: &String| line.split("] ").nth(1).is_some_and(|rest| !rest.starts_with([' ', '1', '2']));
    assert!(kernel.iter().all(flags) && new[1..].iter().all(flags) && !old[1..].iter().any(flags));
}

#[test]
fn selections_keep_the_records_that_they_name() {
    let all = records(&[]);
    let keeps = |keep: &dyn Fn(&Value) -> bool| -> Vec<Value> {
        all.iter().filter(|record| keep(record)).cloned().collect()
    };
    let pid = all[0]["pid"].as_i64().expect("a number");
    let comm = all[0]["comm"].as_str().expect("a name").to_owned();
    let waking = keeps(&|record| record["event"] == "sched:sched_waking");
    assert!(!waking.is_empty() && waking.len() < all.len());
    assert_eq!(records(&["--event", "sched_wak[i]ng"]), waking);
    assert_eq!(records(&["--event", "sched:sched_waking"]), waking);
    assert_eq!(
        records(&["--event", "sched_waking", "--event", "sched:sched_wakeup"]),
        keeps(&|record| record["event"] == "sched:sched_waking" || record["event"] == "sched:sched_wakeup")
    );
    let of_cpu = keeps(&|record| record["cpu"] == 1);
    assert!(!of_cpu.is_empty() && of_cpu.len() < all.len());
    assert_eq!(records(&["--cpu", "1-7"]), of_cpu);
    assert_eq!(records(&["--cpu", "0,1"]), all);
    assert_eq!(records(&["--task", &pid.to_string()]), keeps(&|record| record["pid"] == pid));
    assert_eq!(records(&["--task", &comm]), keeps(&|record| record["comm"] == comm.as_str()));
    assert_eq!(
        records(&["--task", &pid.to_string(), "-e", "sched:sched_waking", "--cpu", "0"]),
        keeps(&|record| record["pid"] == pid
            && record["event"] == "sched:sched_waking"
            && record["cpu"] == 0)
    );
    assert_eq!(records(&["--buffer", "top"]), all);
}

#[test]
fn period_holds_the_times_that_are_printed() {
    let all = lines(&[]);
    let time = |line: &String| {
        let (head, _) = line.split_once(": ").expect("a head");
        head.rsplit(' ').next().expect("a time").to_owned()
    };
    let (from, to) = (time(&all[10]), time(&all[20]));
    let shown = lines(&["--from", &from, "--to", &to]);
    let expected: Vec<String> =
        all.iter().filter(|line| (from.clone()..=to.clone()).contains(&time(line))).cloned().collect();
    assert_eq!(shown, expected);
    assert!(shown.len() >= 11);
}

#[test]
fn options_of_the_kernel_change_its_layout() {
    let bare = lines(&["--option", "noirq-info", "--event", "sched_waking"]);
    assert!(bare.iter().all(|line| !line.contains("d..")), "{}", bare[0]);
    let texts = lines(&["--option", "nocontext-info", "--event", "sched_waking"]);
    assert!(texts.iter().all(|line| line.starts_with("sched_waking: comm=")), "{}", texts[0]);
}

#[test]
fn what_a_recording_does_not_have_is_refused() {
    for (options, said) in [
        (&["--layout", "x"][..], "there are `kernel`, `function_graph`, `trace-cmd-3.1`, `trace-cmd-3.3`"),
        (&["--event", "sched_wakin"], "did you mean `sched_waking`"),
        (&["--event", "[a"], "--event [a"),
        (&["--cpu", "2-1"], "is not a list of CPUs"),
        (&["--task", "nobody-has-this"], "has no task"),
        (&["--buffer", "tpo"], "did you mean `top`"),
        (&["--from", "2", "--to", "1"], "`--from` is after `--to`"),
        (&["--from", "soon"], "is not a time"),
        (&["--option", "raw"], "--fields"),
        (
            &["--option", "sym-addr", "--layout", "trace-cmd-3.1"],
            "in a layout of trace-cmd; there are `latency-format`",
        ),
        (&["--layout", "kernel", "--json"], "cannot be used with"),
    ] {
        let (status, text) = refused(options);
        assert_eq!(status, Some(64), "{options:?}: {text}");
        assert!(text.contains(said), "{options:?}: {text}");
    }
}

#[test]
fn text_of_a_latency_tracer_is_printed() {
    let mut bytes = std::fs::read(RECORDING).expect("readable");
    let at = bytes.windows(10).position(|window| window == b"flyrecord\0").expect("records");
    bytes.truncate(at);
    bytes.extend_from_slice(b"latency  \0# tracer: wakeup\n#  \\  /\n x\x1b[2J\n");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("x.dat");
    std::fs::write(&file, bytes).expect("written");
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
        command.args(words).arg(&file).output().expect("tracec runs")
    };
    let output = run(&["report"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(text, "# tracer: wakeup\n#  \\  /\n x\\x1b[2J\n");
    for (words, status) in [
        (&["report", "--json"][..], 64),
        (&["report", "--cpu", "0"], 64),
        (&["report", "--option", "latency-format"], 64),
        (&["summary"], 1),
    ] {
        let output = run(words);
        assert_eq!(output.status.code(), Some(status), "{words:?}");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("the text of a latency trace"), "{words:?}: {said}");
        assert!(output.stdout.is_empty());
    }
}

/// Lets the system refuse executable memory to a command, as a filter of system calls can on every kernel.
#[expect(unsafe_code, reason = "the system calls have no safe form")]
fn without_executable_memory(command: &mut Command) -> &mut Command {
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
    let restrict = move || {
        let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
        // SAFETY: the calls restrict this process, before it becomes tracec; the program is read and not kept.
        let set = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program, 0, 0)
        };
        if set == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
    };
    // SAFETY: between fork and exec it makes two system calls and nothing else.
    unsafe { command.pre_exec(restrict) }
}

#[test]
fn pipe_is_refused_and_not_waited_for_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().expect("mkfifo of coreutils").success());
    let mut writer = Command::new("cp").arg(RECORDING).arg(&pipe).stderr(Stdio::null()).spawn().expect("cp");
    let refused =
        Command::new("timeout").arg("20").arg(env!("CARGO_BIN_EXE_tracec")).arg("report").arg(&pipe).output();
    let refused = refused.expect("timeout of coreutils");
    _ = writer.kill();
    _ = writer.wait();
    assert_eq!(refused.status.code(), Some(1), "{}", String::from_utf8_lossy(&refused.stderr));
}

#[test]
fn refused_executable_memory_is_said_as_the_book_says() {
    // More than a pipe holds: the recording with its first page many times. It waits for its reader before it ends.
    let recorded = std::fs::read(RECORDING).expect("a recording");
    let (pages, page, times) = (2 * 4096, 4096, 200);
    let name = b"flyrecord\0";
    let table = recorded.windows(name.len()).position(|bytes| bytes == name).expect("a table") + name.len();
    let mut long = recorded[..pages].to_vec();
    long[table + 8..table + 16].copy_from_slice(&(page as u64 * times as u64).to_le_bytes());
    // The second CPU has nothing.
    long[table + 24..table + 32].fill(0);
    long.extend(recorded[pages..pages + page].repeat(times));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("long.dat");
    std::fs::write(&path, long).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_tracec"));
    command.arg("report").arg(&path).args(["-e", "sched:sched_waking if pid % 7 >= 0"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut tracec = without_executable_memory(&mut command).spawn().expect("tracec runs");
    // Its first record comes when the thread that makes code was started; one thread is left when that has ended.
    let mut shown = vec![0];
    tracec.stdout.as_mut().expect("a pipe").read_exact(&mut shown).expect("a record");
    let threads = || std::fs::read_dir(format!("/proc/{}/task", tracec.id())).expect("its threads").count();
    while threads() > 1 {
        std::thread::yield_now();
    }
    let said = tracec.wait_with_output().expect("it ends");
    assert!(said.stdout.len() > 2 << 16, "{} bytes are shown", said.stdout.len());
    let said = String::from_utf8(said.stderr).expect("UTF-8");
    let book = std::fs::read_to_string("book/src/places.md").expect("the page of the book");
    let line = book.lines().find(|line| line.starts_with("tracec: conditions are evaluated"));
    assert_eq!(said.lines().nth(1), Some(line.expect("the line in the book")), "{said}");
}
