//! Texts of records of the running kernel, beside the text that the kernel prints for the same records. A test of its
//! own, so that it can run where the samples are not.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, OpenOptions};
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tracec_kernel::btf::Btf;
use tracec_kernel::format::EventFormat;
use tracec_kernel::page::{Page, PageLayout};
use tracec_kernel::record::Decoder;
use tracec_kernel::text::{Environment, Symbol, Text};

mod common;

/// An instance of tracefs that is removed at the end.
struct Instance {
    path: PathBuf,
}

impl Instance {
    fn new(tracefs: &Path) -> Self {
        let path = tracefs.join(format!("instances/tracec-text-{}", std::process::id()));
        fs::create_dir(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Instance { path }
    }

    fn write(&self, file: &str, value: &str) {
        self.try_write(file, value).unwrap_or_else(|error| panic!("{file} <- {value}: {error}"));
    }

    fn try_write(&self, file: &str, value: &str) -> std::io::Result<()> {
        fs::write(self.path.join(file), value)
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let _ = fs::write(self.path.join("events/enable"), "0");
        if let Err(error) = fs::remove_dir(&self.path) {
            println!("{} stays: {error}", self.path.display());
        }
    }
}

/// The running kernel.
#[derive(Default)]
struct Running {
    /// Sorted by address: address, name, module.
    symbols: Vec<(u64, String, Option<String>)>,
    strings: HashMap<u64, Vec<u8>>,
    enumerators: HashMap<String, i128>,
    ticks: Option<u32>,
    release: Option<(u32, u32)>,
}

impl Running {
    fn new(tracefs: &Path) -> Self {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
        let mut numbers =
            release.split(|c: char| !c.is_ascii_digit()).map_while(|number| number.parse().ok());
        let release = numbers.next().zip(numbers.next());
        let mut running = Running { release, ..Running::default() };
        for line in fs::read_to_string("/proc/kallsyms").unwrap_or_default().lines() {
            let mut words = line.split_ascii_whitespace();
            let (Some(address), Some(kind), Some(name)) = (words.next(), words.next(), words.next()) else {
                continue;
            };
            let Ok(address) = u64::from_str_radix(address, 16) else { continue };
            if address > 0 && !matches!(kind, "a" | "A") {
                let module = words.next().map(|module| module.trim_matches(['[', ']']).to_owned());
                running.symbols.push((address, name.to_owned(), module));
            }
        }
        // The order of symbols with the same address is that of the file: the kernel uses the first.
        running.symbols.sort_by_key(|(address, ..)| *address);
        for line in common::read(&tracefs.join("printk_formats")).lines() {
            let Some((address, text)) = line.split_once(" : ") else { continue };
            let Ok(address) = u64::from_str_radix(address.trim_start_matches("0x"), 16) else { continue };
            running.strings.insert(address, text.trim_matches('"').replace("\\n", "\n").into_bytes());
        }
        if let Ok(bytes) = fs::read("/sys/kernel/btf/vmlinux") {
            let btf = Btf::parse(bytes).unwrap();
            for (name, value) in btf.enumerators() {
                running.enumerators.entry(name.to_owned()).or_insert(value);
            }
        }
        if let Ok(config) = Command::new("gzip").args(["-dc", "/proc/config.gz"]).output() {
            let config = String::from_utf8_lossy(&config.stdout).into_owned();
            running.ticks = config.lines().find_map(|line| line.strip_prefix("CONFIG_HZ=")?.parse().ok());
        }
        running
    }
}

impl Environment for Running {
    fn release(&self) -> Option<(u32, u32)> {
        self.release
    }

    fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
        let behind = self.symbols.partition_point(|(start, ..)| *start <= address);
        let nearest = self.symbols.get(behind.checked_sub(1)?)?.0;
        let first = self.symbols.partition_point(|(start, ..)| *start < nearest);
        let (start, name, module) = self.symbols.get(first)?;
        let end = self.symbols.get(behind)?.0;
        Some(Symbol { name, module: module.as_deref(), offset: address - start, size: end - start })
    }

    fn string(&self, address: u64) -> Option<&[u8]> {
        self.strings.get(&address).map(Vec::as_slice)
    }

    fn enumerator(&self, name: &str) -> Option<i128> {
        self.enumerators.get(name).copied()
    }

    fn variable(&self, name: &str) -> Option<u64> {
        self.symbols.iter().find(|(_, symbol, _)| symbol == name).map(|(address, ..)| *address)
    }

    fn ticks_per_second(&self) -> Option<u32> {
        self.ticks
    }
}

fn layouts(events: &Path) -> Vec<EventFormat> {
    let mut formats = Vec::new();
    for system in
        fs::read_dir(events).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for event in fs::read_dir(&system).unwrap().map(|entry| entry.unwrap().path()) {
            let file = event.join("format");
            if file.exists() {
                let name = system.file_name().unwrap().to_str().unwrap();
                formats.push(EventFormat::parse(name, &common::read(&file)).unwrap());
            }
        }
    }
    formats
}

/// The pages of a CPU, which are consumed.
fn pages(file: &Path, size: usize) -> Vec<Vec<u8>> {
    let mut file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(file).unwrap();
    let mut pages = Vec::new();
    loop {
        let mut page = vec![0; size];
        match file.read(&mut page) {
            Ok(0) => return pages,
            Ok(length) => {
                page.truncate(length);
                pages.push(page);
            }
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return pages,
            Err(error) => panic!("{error}"),
        }
    }
}

/// The texts of a CPU's `trace` file, each with the lines that continue it.
fn texts(trace: &str, cpu: usize) -> Vec<String> {
    let mark = format!(" [{cpu:03}] ");
    let mut texts: Vec<String> = Vec::new();
    for line in trace.lines() {
        let text = line.split_once(&mark).and_then(|(_, rest)| {
            let (head, text) = rest.split_once(": ")?;
            let (flags, time) = head.trim_end().rsplit_once(' ')?;
            let is_head =
                flags.trim().len() <= 8 && time.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
            is_head.then_some(text)
        });
        match (text, texts.last_mut()) {
            (Some(text), _) => texts.push(text.to_owned()),
            _ if line.starts_with('#') || line.starts_with("CPU:") => {}
            (None, Some(last)) => {
                last.push('\n');
                last.push_str(line);
            }
            (None, None) => {}
        }
    }
    texts
}

/// What the comparison of one event gave.
#[derive(Default)]
struct Compared {
    equal: usize,
    /// Equal except for numbers that only the kernel knows.
    but_unknown: usize,
    different: usize,
    example: Option<(String, String)>,
}

const LOAD: &str = r#"
d=$(mktemp -d) && cd "$d" || exit 1
for i in 1 2 3; do
    echo hello > f$i; cat f$i > /dev/null; ln -s f$i l$i; rm f$i; mkdir d$i; rmdir d$i
    dd if=/dev/zero of=big bs=64k count=40 conv=fsync 2> /dev/null; sync -f big
    (sleep 0.02 & wait) ; (true | cat | cat) ; sh -c 'kill -USR1 $$' 2> /dev/null
    timeout 0.05 sleep 1
done
ping -c 1 -w 1 127.0.0.1 > /dev/null 2>&1
(command -v bash > /dev/null && timeout 1 bash -c 'echo x > /dev/tcp/127.0.0.1/9') 2> /dev/null
timeout 0.1 sh -c 'while :; do :; done'
head -c 30000000 /dev/zero | tail -c 1 > /dev/null
cd / && rm -rf "$d"
true
"#;

/// Events that occur so often that they would fill the rings, or nest.
const LEFT_OUT: &[&str] = &["lock", "ftrace", "preemptirq", "page_ref"];

#[test]
fn texts_are_those_of_the_kernel() {
    let Some(tracefs) = common::tracefs("texts_are_those_of_the_kernel") else { return };
    let running = Running::new(&tracefs);
    if running.release.is_some_and(|release| release < (6, 12)) {
        // There the lines of `trace` and the records of the rings could not be matched one by one.
        return println!("SKIPPED: texts_are_those_of_the_kernel: not compared with kernels before 6.12 yet");
    }
    let instance = Instance::new(&tracefs);
    let layout = PageLayout::parse(&common::read(&tracefs.join("events/header_page"))).unwrap();
    let formats = layouts(&tracefs.join("events"));
    let compiled: HashMap<u16, Result<Text, String>> = formats
        .iter()
        .map(|format| (format.id, Text::compile(format, &running).map_err(|error| error.to_string())))
        .collect();
    let decoder = Decoder::new(formats.clone());

    instance.write("tracing_on", "0");
    instance.write("buffer_size_kb", "16384");
    instance.write("options/overwrite", "0");
    instance.write("options/hash-ptr", "0");
    let mut results: BTreeMap<String, Compared> = BTreeMap::new();
    let systems: BTreeSet<&str> = formats.iter().map(|format| format.system.as_str()).collect();
    let rounds: [Vec<&str>; 2] = [
        systems
            .iter()
            .copied()
            .filter(|system| *system != "syscalls" && !LEFT_OUT.contains(system))
            .collect(),
        vec!["syscalls"],
    ];
    for round in rounds {
        instance.write("trace", "");
        for system in &round {
            // Some events refuse: those of perf, and of probes that others own.
            if let Err(error) = instance.try_write(&format!("events/{system}/enable"), "1") {
                println!("{system}: {error}");
            }
        }
        instance.write("tracing_on", "1");
        let status = Command::new("sh").args(["-c", LOAD]).status().unwrap();
        instance.write("tracing_on", "0");
        instance.write("events/enable", "0");
        assert!(status.success(), "{status}");
        compare(&instance, &layout, &decoder, &compiled, &running, &mut results);
    }

    let (mut equal, mut but_unknown, mut different) = (0, 0, 0);
    let (mut events, mut calls, mut events_but_unknown) = (0, 0, Vec::new());
    for (event, compared) in &results {
        equal += compared.equal;
        but_unknown += compared.but_unknown;
        different += compared.different;
        if let Some((ours, kernels)) = &compared.example {
            println!("{event}: {} differ\n  ours:   {ours}\n  kernel: {kernels}", compared.different);
        } else if compared.but_unknown > 0 {
            events_but_unknown.push(event.as_str());
        } else if event.starts_with("syscalls:") {
            calls += 1;
        } else {
            events += 1;
        }
    }
    println!("{events} events and {calls} events of system calls: all records equal");
    println!("with a number that only the kernel knows: {}", events_but_unknown.join(" "));
    println!("{equal} records equal, {but_unknown} except for such a number, {different} differ");
    assert_eq!(different, 0);
    // A machine with busybox alone has some 100 and 106.
    assert!(events > 70 && calls > 50, "{events} {calls}");
}

/// Returns whether the kernel's text is ours with a number for each `?`.
fn is_like(ours: &str, mut kernel: &str) -> bool {
    let mut parts = ours.split('?');
    let Some(rest) = parts.next().and_then(|first| kernel.strip_prefix(first)) else { return false };
    kernel = rest;
    for part in parts {
        let digits = kernel.bytes().take_while(u8::is_ascii_hexdigit).count();
        let Some(rest) = kernel[digits..].strip_prefix(part).filter(|_| digits > 0) else { return false };
        kernel = rest;
    }
    kernel.is_empty()
}

fn compare(
    instance: &Instance,
    layout: &PageLayout,
    decoder: &Decoder,
    compiled: &HashMap<u16, Result<Text, String>>,
    running: &Running,
    results: &mut BTreeMap<String, Compared>,
) {
    for cpu in 0.. {
        let directory = instance.path.join(format!("per_cpu/cpu{cpu}"));
        if !directory.exists() {
            return;
        }
        let kernels = String::from_utf8_lossy(&fs::read(directory.join("trace")).unwrap()).into_owned();
        let mut kernels = texts(&kernels, cpu).into_iter();
        let pages = pages(&directory.join("trace_pipe_raw"), layout.size as usize);
        for page in &pages {
            let page = Page::new(layout, page).unwrap();
            for entry in page.entries() {
                let entry = entry.unwrap();
                let record = decoder.record(entry.data).unwrap();
                let name = record.format.qualified_name();
                let kernel = kernels
                    .next()
                    .unwrap_or_else(|| panic!("cpu {cpu}: the kernel printed fewer records, {name} is next"));
                let mut out = Vec::new();
                if record.format.system != "syscalls" {
                    out.extend(record.format.name.bytes());
                    out.extend(b": ");
                }
                match compiled.get(&record.format.id) {
                    Some(Ok(text)) => text.render(entry.data, running, &mut out),
                    Some(Err(error)) => out.extend(error.bytes()),
                    None => out.extend(b"no text"),
                }
                let ours = String::from_utf8_lossy(&out).trim_end_matches('\n').to_owned();
                let compared = results.entry(name).or_default();
                let kernel = kernel.trim_end_matches('\n').to_owned();
                let unknown = compiled
                    .get(&record.format.id)
                    .is_some_and(|text| text.as_ref().is_ok_and(|text| !text.unknown().is_empty()));
                if ours == kernel {
                    compared.equal += 1;
                } else if unknown && is_like(&ours, &kernel) {
                    compared.but_unknown += 1;
                } else {
                    compared.different += 1;
                    compared.example.get_or_insert((ours, kernel));
                }
            }
        }
        assert_eq!(kernels.count(), 0, "cpu {cpu}: the kernel printed more records");
    }
}
