//! A trace header with one event on each line, and what gcc says of it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

use crate::kbuild;
use crate::vm::Kernel;

/// The name of the header.
pub(super) const HEADER: &str = "probe_trace.h";

/// The name of the unit, without an ending.
const UNIT: &str = "probe";

/// The names of an event that is known not to collide.
pub(super) const EVENT: &str = "tracec_event";
pub(super) const CLASS: &str = "tracec_class";
pub(super) const ARGUMENT: &str = "tracec_argument";
pub(super) const FIELD: &str = "tracec_field";

/// An event.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) name: String,
    pub(super) argument: String,
    pub(super) field: Field,
}

/// A field.
#[derive(Clone, Debug)]
pub(super) enum Field {
    /// An integer.
    Integer(String),
    /// A string of any length.
    Text(String),
    /// An array of a fixed length.
    Array(String),
}

/// Returns the output of the preprocessor for events and one class with a member.
pub(super) fn preprocessed(kernel: Kernel, events: &[Event]) -> Result<String> {
    complete(kernel, unit(kernel, events, "")?)
}

/// Returns the names of the macros that are defined at the end of the header.
pub(super) fn macros(kernel: Kernel) -> Result<BTreeSet<String>> {
    let text = complete(kernel, unit(kernel, &[], "-dM")?)?;
    let name = |line: &str| Some(line.strip_prefix("#define ")?.split([' ', '(']).next()?.to_owned());
    Ok(text.lines().filter_map(name).collect())
}

/// Returns the names of the macros without parameters that are replaced at the end of the header.
pub(super) fn replaced(kernel: Kernel) -> Result<BTreeSet<String>> {
    let text = complete(kernel, unit(kernel, &[], "-dM")?)?;
    let name = |line: &str| {
        let (name, replacement) = line.strip_prefix("#define ")?.split_once(' ')?;
        (!name.contains('(') && replacement.trim() != name).then(|| name.to_owned())
    };
    Ok(text.lines().filter_map(name).collect())
}

fn complete(kernel: Kernel, preprocessed: std::result::Result<String, String>) -> Result<String> {
    preprocessed.map_err(|said| anyhow!("a header without collisions is refused for {kernel}: {said}"))
}

/// Returns the indices of the events that are refused. What refuses one may hide that it refuses another.
pub(super) fn refused(kernel: Kernel, events: &[Event]) -> Result<BTreeSet<usize>> {
    let said = match unit(kernel, events, "")? {
        Ok(preprocessed) => compiled(&preprocessed)?,
        Err(said) => Some(said),
    };
    let Some(said) = said else { return Ok(BTreeSet::new()) };
    let first = head(kernel).lines().count() + 1;
    let at = |line: &str| {
        let (place, _) = line.split_once(": error: ")?;
        let (_, place) = place.split_once(&format!("{HEADER}:"))?;
        place.split(':').next()?.parse::<usize>().ok()?.checked_sub(first)
    };
    let lines: BTreeSet<usize> = said.lines().filter_map(at).collect();
    if lines.is_empty() || lines.iter().any(|line| *line >= events.len()) {
        bail!("more than events of the header is refused for {kernel}: {said}");
    }
    Ok(lines)
}

/// Returns whether gcc refuses a preprocessed unit and names this name.
pub(super) fn is_said_of(preprocessed: &str, name: &str) -> Result<bool> {
    Ok(compiled(preprocessed)?.is_some_and(|said| said.contains(&format!("'{name}'"))))
}

/// Returns what gcc says of a preprocessed unit that it refuses.
fn compiled(preprocessed: &str) -> Result<Option<String>> {
    let directory = tempfile::tempdir()?;
    let path = directory.path().join("probe.i");
    fs::write(&path, preprocessed)?;
    let output = Command::new("gcc")
        .args(["-fpreprocessed", "-fsyntax-only", "-w", "-std=gnu11", "-funsigned-char", "-fshort-wchar"])
        .args(["-fmax-errors=0", "-fno-diagnostics-show-caret"])
        .arg(&path)
        .env("LC_ALL", "C")
        .output()
        .context("cannot start gcc")?;
    Ok((!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned()))
}

/// Returns the output of the preprocessor, or else what it says.
fn unit(kernel: Kernel, events: &[Event], flags: &str) -> Result<std::result::Result<String, String>> {
    let directory = tempfile::tempdir()?;
    let at = |name: &str| directory.path().join(name);
    fs::write(at(HEADER), header(kernel, events))?;
    let unit = format!(
        "#include <linux/module.h>\nstruct tracec_odd {{ u64 value; }};\n#define CREATE_TRACE_POINTS\n\
         #include \"{HEADER}\"\nMODULE_LICENSE(\"GPL\");\n"
    );
    fs::write(at(&format!("{UNIT}.c")), unit)?;
    fs::write(at("Kbuild"), format!("obj-m := {UNIT}.o\nccflags-y += -I$(src)\n"))?;
    kbuild::preprocess(kernel, directory.path(), UNIT, flags)
}

fn header(kernel: Kernel, events: &[Event]) -> String {
    let mut text = head(kernel);
    for event in events {
        text.push_str(&line(event));
    }
    text.push_str(
        "#endif\n#undef TRACE_INCLUDE_PATH\n#define TRACE_INCLUDE_PATH .\n#undef TRACE_INCLUDE_FILE\n\
         #define TRACE_INCLUDE_FILE probe_trace\n#include <trace/define_trace.h>\n",
    );
    text
}

/// Returns the lines in front of the events. The class has a field of each kind.
fn head(kernel: Kernel) -> String {
    let copy = match kernel {
        Kernel::Debian6_1 => "__assign_str(dst, src)",
        _ => "__assign_str(dst)",
    };
    format!(
        "#undef TRACE_SYSTEM\n#define TRACE_SYSTEM tracec_system\n\
         #if !defined(PROBE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)\n#define PROBE_TRACE_H\n\
         #include <linux/tracepoint.h>\n#undef copy_text\n#define copy_text(dst, src) {copy}\n\
         #undef or_null\n\
         #define or_null(src) ({{ const char *__text = (src); __text ?: \"(null)\"; }})\n\
         DECLARE_EVENT_CLASS({CLASS}, TP_PROTO(u32 {ARGUMENT}), TP_ARGS({ARGUMENT}), \
         TP_STRUCT__entry(__field(u32, {FIELD}) __dynamic_array(u8, {FIELD}_dynamic, 4)), \
         TP_fast_assign(__entry->{FIELD} = {ARGUMENT};), TP_printk(\"%u\", __entry->{FIELD}));\n\
         DEFINE_EVENT({CLASS}, {EVENT}, TP_PROTO(u32 {ARGUMENT}), TP_ARGS({ARGUMENT}));\n"
    )
}

/// Returns an event with a record of its own. Its argument is of a type that nothing else has, so that any other use of
/// its name is a mistake to gcc.
fn line(event: &Event) -> String {
    let Event { name, argument, field } = event;
    let (declared, assigned) = match field {
        Field::Integer(field) => {
            (format!("__field(u32, {field})"), format!("__entry->{field} = {argument}.value;"))
        }
        Field::Text(field) => (format!("__string({field}, \"x\")"), format!("copy_text({field}, \"x\");")),
        Field::Array(field) => (
            format!("__array(u8, {field}, 4)"),
            format!("memcpy(__entry->{field}, &{argument}, sizeof(__entry->{field}));"),
        ),
    };
    // A macro with a variable of the argument's name would read that.
    let pointer = |ty: &str| format!("({ty} *)(unsigned long){argument}.value");
    let (format, from, bits) = (pointer("va_list"), pointer("const char"), pointer("unsigned long"));
    let mut text = String::new();
    let _ = writeln!(
        text,
        "TRACE_EVENT_CONDITION({name}, TP_PROTO(struct tracec_odd {argument}, u32 tracec_second), \
         TP_ARGS({argument}, tracec_second), TP_CONDITION({argument}.value > 1), \
         TP_STRUCT__entry({declared} __string(tracec_text, {from}) __bitmask(tracec_bits, {argument}.value) \
         __dynamic_array(u32, tracec_elements, clamp_t(s64, {argument}.value, 0, 5)) \
         __array(char, tracec_name, 8) __vstring(tracec_format, \"x\", {format})), \
         TP_fast_assign({assigned} copy_text(tracec_text, {from}); \
         __assign_vstr(tracec_format, \"x\", {format}); \
         __assign_bitmask(tracec_bits, {bits}, {argument}.value); \
         strscpy_pad(__entry->tracec_name, or_null({from}), sizeof(__entry->tracec_name)); \
         memset(__get_dynamic_array(tracec_elements), 0, __get_dynamic_array_len(tracec_elements));), \
         TP_printk(\"%s %s\", __get_str(tracec_text), __get_bitmask(tracec_bits)));"
    );
    text
}
