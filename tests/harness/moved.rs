//! Programs that were compiled for a kernel whose types are laid out otherwise: libbpf finds the members by their names.
//!
//! The other kernel is this one with every member of every struct 8 bytes further, bit fields one bit more, and `int` twice
//! as large. Members of unions stay where they are.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use serde_json::Value;
use tracec::{Input, InstanceName, KernelSource, LiveKernel, Options, Plan, SourceText, Tracefs, compile};
use tracec_compiler::source::{Functions, KernelError};
use tracec_kernel::tables::features::Support;
use tracec_runtime::session::{self, RunOptions};
use tracec_runtime::sink::{JSON_LINES, Output};

use super::bench::Bench;

const BTF: &str = "/sys/kernel/btf/vmlinux";

/// The kinds of types that are changed (include/uapi/linux/btf.h).
const INT: u32 = 1;
const STRUCT: u32 = 4;

/// Bytes of the header, of a type, and of a member.
const HEADER: usize = 24;
const TYPE: usize = 12;
const MEMBER: usize = 12;

const TEXT: &str = "
event began at tp_btf sched_process_exec(
    task: *struct task_struct,
    old_pid: pid_t,
    bprm: *struct linux_binprm,
) {
    pid = task->pid;
    parent = task->real_parent->tgid;
    name = task->comm;
    file = bprm->file->f_path.dentry->d_name.name;
    bit = task->in_execve;
    cpus = task->cpus_mask.bits[0];
    badness = task->signal->oom_score_adj;
    files = task->signal->rlim[7].rlim_cur;
    sleep = task->restart_block.nanosleep.type;
    uid = task->cred->uid.val;
    table = task->mm->pgd->pgd;
}
event value at raw_tp sched_process_exec(task: *union sigval, old_pid: pid_t, bprm: *struct linux_binprm) {
    flags = task->sival_int;
    pointer = task->sival_ptr;
}
session moved {
    trace began if pid == current.pid && name == \"true\" && bit == 1;
    trace value if current.comm == \"true\";
}
";

pub(crate) fn trials(bench: &Bench) -> Vec<Trial> {
    if !Path::new(BTF).exists() {
        println!("SKIPPED programs: members are found where the kernel has them: this kernel has no btf");
        return Vec::new();
    }
    vec![bench.trial("programs: members are found where the kernel has them", members)]
}

/// The running kernel, with other types.
struct Other {
    live: LiveKernel,
    types: Vec<u8>,
}

fn members(bench: &Bench) -> Result<(), Failed> {
    let text = SourceText { name: "moved.trc".to_owned(), text: TEXT.to_owned(), one_liner: false };
    let kernel = Other { live: LiveKernel(Tracefs::open(&bench.tracefs)?), types: moved(fs::read(BTF)?)? };
    let options = Options { programs: true, ..Options::new(None, InstanceName::new("tracec-moved")?) };
    let compilation = compile(Input::new(&text, &kernel), &options);
    let mut plan = compilation.plan.ok_or_else(|| format!("{:?}", compilation.diagnostics))?;
    let run = |plan: &Plan| -> Result<Vec<Value>, Failed> {
        let output = tempfile::NamedTempFile::new()?;
        let to = Output::File { path: output.path().to_owned(), form: &JSON_LINES };
        let command = Some(vec![OsString::from("/bin/true")]);
        session::run(&kernel.live.0, plan, RunOptions { command, ..RunOptions::new(to) })
            .map_err(|error| error.to_string())?;
        let lines = fs::read_to_string(output.path())?;
        Ok(lines.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
    };
    let records = run(&plan)?;
    let of = |event: &str| records.iter().find(|record| record["event"] == event);
    let (Some(record), Some(value), 2) = (of("tp_btf:began"), of("raw_tp:value"), records.len()) else {
        return Err(format!("not one record of each event: {records:?}").into());
    };
    let fields = &record["fields"];
    let cpus = rustix::thread::sched_getaffinity(None)?;
    let mask: u64 = (0..64).filter(|cpu| cpus.is_set(*cpu)).map(|cpu| 1 << cpu).sum();
    // It may be a symbolic link to a program of many names.
    let file = fs::canonicalize("/bin/true")?;
    let file = file.file_name().and_then(|name| name.to_str()).ok_or("no name")?;
    let expected = [
        ("pid", record["pid"].clone()),
        ("parent", std::process::id().into()),
        ("name", "true".into()),
        ("file", file.into()),
        ("bit", 1.into()),
        ("cpus", mask.into()),
        ("badness", fs::read_to_string("/proc/self/oom_score_adj")?.trim().parse::<i16>()?.into()),
        ("files", rustix::process::getrlimit(rustix::process::Resource::Nofile).current.into()),
        ("uid", rustix::process::getuid().as_raw().into()),
    ];
    for (name, value) in expected {
        if fields[name] != value {
            return Err(format!("{name} is {} and not {value}: {record}", fields[name]).into());
        }
    }
    // What is in the table of pages is not known; a typedef that is not found is an error of the load.
    if !fields["table"].is_u64() {
        return Err(format!("no entry of the table of pages: {record}").into());
    }
    // `enum timespec_type`; the last sleep is that of the task's parent.
    if fields["sleep"].as_u64().is_none_or(|kind| kind > 2) {
        return Err(format!("no type of a sleep: {record}").into());
    }
    // A union has its members where it begins: the first bytes of a task.
    let of_union = |name: &str| value["fields"][name].as_u64().unwrap_or_default();
    if of_union("flags") != of_union("pointer") & 0xffff_ffff {
        return Err(format!("the members of a union differ: {value}").into());
    }
    // The layout is that of the types that it was compiled for.
    let layout = plan.reading.formats.iter().find(|format| format.name == "began").ok_or("no layout")?;
    let size = layout.field("pid").map(|field| field.size);
    if size != Some(8) {
        return Err(format!("`pid` has {size:?} bytes in the record, and not 8").into());
    }
    // Without its relocations the same object reads elsewhere.
    let own = plan.programs.as_mut().ok_or("no programs")?;
    forget_relocations(&mut own.object)?;
    let records = run(&plan)?;
    match records.iter().find(|record| record["event"] == "tp_btf:began") {
        None => Ok(()),
        Some(record) => Err(format!("members are found without relocations: {record}").into()),
    }
}

/// Says in the header of `.BTF.ext` that there are no relocations.
fn forget_relocations(object: &mut [u8]) -> Result<(), Failed> {
    // The magic, the version, no flags, and the length of the header, whose last word is that of the relocations.
    let header = [0x9f, 0xeb, 1, 0, 32, 0, 0, 0];
    let at = object.windows(header.len()).position(|bytes| bytes == header).ok_or("no .BTF.ext")?;
    let length = object.get_mut(at + 28..at + 32).ok_or("the object ends")?;
    if length == [0; 4] {
        return Err("there are no relocations".into());
    }
    length.fill(0);
    Ok(())
}

/// Returns the types with every member elsewhere.
fn moved(mut types: Vec<u8>) -> Result<Vec<u8>, Failed> {
    let word = |types: &[u8], at: usize| -> Result<u32, Failed> {
        let word = types.get(at..at + 4).ok_or("the types end")?;
        Ok(u32::from_ne_bytes(word.try_into()?))
    };
    let start = word(&types, 4)? as usize;
    let mut at = start + word(&types, 8)? as usize;
    let end = at + word(&types, 12)? as usize;
    let strings = start + word(&types, 16)? as usize;
    assert_eq!(start, HEADER, "the header has another length");
    while at < end {
        let (name, info) = (word(&types, at)?, word(&types, at + 4)?);
        let (kind, count) = (info >> 24 & 0x1f, (info & 0xffff) as usize);
        let set = |types: &mut Vec<u8>, at: usize, value: u32| {
            types[at..at + 4].copy_from_slice(&value.to_ne_bytes());
        };
        if kind == INT && types[strings + name as usize..].starts_with(b"int\0") {
            set(&mut types, at + 8, 8);
            let encoding = word(&types, at + TYPE)?;
            set(&mut types, at + TYPE, encoding & !0xff | 64);
        }
        if kind == STRUCT {
            for member in 0..count {
                let place = at + TYPE + MEMBER * member + 8;
                let old = word(&types, place)?;
                let is_bits = info >> 31 != 0 && old >> 24 != 0;
                set(&mut types, place, old + 64 + u32::from(is_bits));
            }
        }
        at += TYPE
            + match kind {
                1 | 14 | 17 => 4,
                3 => 12,
                4 | 5 | 15 | 19 => MEMBER * count,
                6 | 13 => 8 * count,
                _ => 0,
            };
    }
    Ok(types)
}

impl KernelSource for Other {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        self.live.read(path)
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        self.live.directories(path)
    }

    fn feature(&self, name: &str) -> Support {
        self.live.feature(name)
    }

    fn functions(&self) -> Option<Arc<Functions>> {
        self.live.functions()
    }

    fn btf(&self) -> Result<Option<Vec<u8>>, KernelError> {
        Ok(Some(self.types.clone()))
    }

    fn describe(&self) -> String {
        self.live.describe()
    }

    fn is_running(&self) -> bool {
        true
    }

    fn arch(&self) -> String {
        self.live.arch()
    }

    fn release(&self) -> String {
        self.live.release()
    }
}
