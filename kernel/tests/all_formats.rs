//! Every format file and print fmt in `tests/data/*.gz`; `tests/data/README.md` says what they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use format_checks::Counts;
use tracec_kernel::format::print::{NameTable, PrintFmt, Quoting, SkipReason, TableKind};
use tracec_kernel::format::{EventFormat, Field, FieldKind};
use tracec_kernel::tables::header_fields::{self, HeaderField};
use tracec_kernel::tables::{c_types, limits};

mod format_checks;

fn data(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file)
}

/// The texts of a compressed file of `tests/data`, each with the words of the line before it.
fn compressed(file: &str) -> Vec<(String, String)> {
    let path = data(file);
    let output = Command::new("gzip").arg("-dc").arg(&path).output();
    let output = output.expect("gzip, which every Debian has, does not start");
    assert!(output.status.success(), "{path:?}: {}", String::from_utf8_lossy(&output.stderr));
    texts(&String::from_utf8(output.stdout).unwrap())
}

fn texts(all: &str) -> Vec<(String, String)> {
    let rest = all.strip_prefix("@@ ").expect("the file does not begin with @@");
    let mut found = Vec::new();
    for part in rest.split("\n@@ ") {
        let (head, text) = part.split_once('\n').unwrap();
        found.push((head.to_owned(), text.to_owned()));
    }
    found
}

/// Kernel, system and text.
fn formats() -> Vec<(String, String, String)> {
    compressed("formats.gz").into_iter().map(of_system).collect()
}

fn of_system((head, text): (String, String)) -> (String, String, String) {
    let (kernel, system) = head.split_once(' ').unwrap();
    (kernel.to_owned(), system.to_owned(), text)
}

fn format(kernel: &str, system: &str, event: &str) -> EventFormat {
    let head = format!("name: {event}\n");
    let found =
        formats().into_iter().find(|(k, s, text)| k == kernel && s == system && text.starts_with(&head));
    let (_, system, text) = found.unwrap_or_else(|| panic!("there is no {system}:{event} of {kernel}"));
    EventFormat::parse(&system, &text).unwrap()
}

fn names(kernel: &str, system: &str, event: &str, field: &str) -> Vec<NameTable> {
    let format = format(kernel, system, event);
    format.print().unwrap().names(format.field(field).unwrap())
}

#[test]
fn every_format_file_reads_as_tracepoint_decode_reads_it_and_prints_as_it_was() {
    let mut kernels: BTreeMap<String, Counts> = BTreeMap::new();
    for (kernel, system, text) in formats() {
        *kernels.entry(kernel).or_default() += format_checks::event(&system, &text);
    }
    for (kernel, counts) in &kernels {
        println!("{kernel}: {counts}");
        assert_eq!(counts.prints, counts.events, "{kernel}");
        assert_eq!(counts.opaque, 0, "{kernel}");
    }
    let events: Vec<_> = kernels.iter().map(|(kernel, counts)| (kernel.as_str(), counts.events)).collect();
    assert_eq!(events, [("6.1", 282), ("6.12", 267), ("6.12-full", 21), ("6.18", 2323)]);
    let newest = &kernels["6.18"];
    assert!(newest.names > 6_000 && newest.named > 800, "{newest}");
}

#[test]
fn every_format_is_read_again_from_its_text() {
    for (kernel, system, text) in formats() {
        let format = EventFormat::parse(&system, &text).unwrap();
        let again = EventFormat::parse(&system, &format.text()).unwrap();
        assert_eq!(again, format, "{kernel}");
    }
}

/// Fields of the table and their offsets, as they follow each other from one on.
fn packed(from: u32, fields: &[HeaderField]) -> Vec<(HeaderField, u32)> {
    let offsets = fields.iter().scan(from, |end, field| Some(std::mem::replace(end, *end + field.size)));
    fields.iter().copied().zip(offsets).collect()
}

/// Whether fields of an event are these.
fn are(fields: &[&Field], known: &[(HeaderField, u32)]) -> bool {
    fields.len() == known.len()
        && fields.iter().zip(known).all(|(field, (known, offset))| {
            field.type_text == known.type_text
                && field.name == known.name
                && (field.offset, field.size, field.signed) == (*offset, known.size, known.signed)
        })
}

#[test]
fn records_begin_with_the_fields_of_the_table() {
    let common = packed(0, header_fields::COMMON);
    for (kernel, system, text) in formats() {
        let event = EventFormat::parse(&system, &text).unwrap();
        let found: Vec<&Field> = event.common_fields().iter().collect();
        assert!(are(&found, &common), "{kernel}: {}: {found:?}", event.qualified_name());
    }
    let heads = [&[], header_fields::AT_INSTRUCTION, header_fields::AT_RETURN]
        .map(|head| packed(limits::COMMON_HEADER_BYTES, head));
    let mut seen = [0; 3];
    let all = fs::read_to_string(data("dynamic-events.txt")).unwrap();
    for (_, system, text) in texts(&all).into_iter().map(of_system) {
        let event = EventFormat::parse(&system, &text).unwrap();
        let head = |field: &&Field| field.name.starts_with("__probe_");
        let head: Vec<&Field> = event.own_fields().iter().filter(head).collect();
        let known = heads.iter().position(|known| are(&head, known));
        seen[known.unwrap_or_else(|| panic!("{system}: {head:?}"))] += 1;
    }
    assert!(seen.iter().all(|&count| count > 1), "{seen:?}");
}

#[test]
fn no_event_but_a_system_call_has_arguments() {
    let (mut arguments, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    for (_, system, text) in formats() {
        let event = EventFormat::parse(&system, &text).unwrap();
        for field in event.own_fields() {
            let of_call = system == "syscalls" && event.name.starts_with("sys_enter_");
            assert!(of_call || !field.is_argument(), "{}: {field:?}", event.qualified_name());
            if field.is_argument() {
                arguments.insert(field.type_text.to_string());
            } else if of_call && !field.is_pointer() && c_types::find(&field.type_text).is_none() {
                unknown.insert(field.type_text.to_string());
            }
        }
    }
    for known in ["int", "unsigned int", "u32", "umode_t", "uid_t", "long", "const clockid_t"] {
        assert!(arguments.contains(known), "{known}: {arguments:?}");
    }
    // Pointers under another name; all else has its size and sign in the table of types.
    let pointers = ["cap_user_data_t", "cap_user_header_t", "const cap_user_data_t"];
    assert_eq!(unknown, pointers.map(str::to_owned).into());
}

#[test]
fn dynamic_events_read_and_print_as_they_were() {
    let all = fs::read_to_string(data("dynamic-events.txt")).unwrap();
    let mut counts = Counts::default();
    let mut systems = BTreeSet::new();
    for (_, system, text) in texts(&all).into_iter().map(of_system) {
        counts += format_checks::event(&system, &text);
        if system == "synthetic" {
            let lat = EventFormat::parse(&system, &text).unwrap();
            assert_eq!(lat.field("dyn").unwrap().kind, FieldKind::DynString);
            assert_eq!(lat.field("st").unwrap().kind, FieldKind::DynArray { element: 8 });
        }
        systems.insert(system);
    }
    println!("dynamic: {counts}");
    let systems: Vec<&str> = systems.iter().map(String::as_str).collect();
    assert_eq!(systems, ["ep", "fp", "kp", "synthetic", "up", "user_events"]);
    assert_eq!((counts.prints, counts.opaque), (counts.events, 0));
}

#[test]
fn every_print_fmt_of_a_module_prints_as_it_was() {
    let mut all = Counts::default();
    for (module, text) in compressed("print-fmts.gz") {
        let text = text.trim_end_matches('\n');
        let print = PrintFmt::parse(text, Quoting::Verbatim);
        let print = print.unwrap_or_else(|error| panic!("{module}: {error}\n{text}"));
        all += format_checks::print(&module, text, &print, Quoting::Verbatim);
    }
    println!("modules: {all}");
    assert!(all.prints > 1_000, "{all}");
}

#[test]
fn softirqs_have_their_names() {
    let tables = names("6.18", "irq", "softirq_entry", "vec");
    assert_eq!(tables.len(), 1);
    assert_eq!((tables[0].kind, tables[0].delimiter.as_deref()), (TableKind::Symbolic, None));
    let entries: Vec<_> = tables[0].entries.iter().map(|entry| (entry.value, entry.name.as_str())).collect();
    assert_eq!(
        entries,
        [
            (0, "HI"),
            (1, "TIMER"),
            (2, "NET_TX"),
            (3, "NET_RX"),
            (4, "BLOCK"),
            (5, "IRQ_POLL"),
            (6, "TASKLET"),
            (7, "SCHED"),
            (8, "HRTIMER"),
            (9, "RCU")
        ]
    );
    assert!(tables[0].skipped.is_empty());
}

#[test]
fn flags_have_their_names_and_delimiter() {
    let tables = names("6.18", "dma", "dma_map_sg", "attrs");
    assert_eq!((tables[0].kind, tables[0].delimiter.as_deref()), (TableKind::Flags, Some("|")));
    let weak = tables[0].entries.iter().find(|entry| entry.name == "WEAK_ORDERING").unwrap();
    assert_eq!(weak.value, 2);
}

#[test]
fn a_part_of_a_field_has_no_names() {
    // include/trace/events/sched.h prints the names of prev_state's low bits, not of prev_state.
    assert_eq!(names("6.18", "sched", "sched_switch", "prev_state"), []);
}

#[test]
fn names_whose_values_the_kernel_does_not_give_are_left_out() {
    // These enumerators are declared for the system `sock`, and eval maps are per system.
    for (system, event, has_values) in
        [("sock", "inet_sock_set_state", true), ("tcp", "tcp_retransmit_skb", false)]
    {
        let field = if has_values { "newstate" } else { "state" };
        let tables = names("6.18", system, event, field);
        let table = &tables[0];
        assert_eq!(table.entries.is_empty(), !has_values, "{system}:{event}");
        assert_eq!(table.skipped.is_empty(), has_values, "{system}:{event}");
        assert!(table.skipped.iter().all(|entry| entry.reason == SkipReason::NotConstant));
    }
}
