//! The texts of trace-cmd 3.1.6, by the plugins of libtraceevent 1.7.1: where a plugin prints an event, its text is
//! written here as a `print fmt`; all other events are printed by their own.
//!
//! The texts were observed (`trace-cmd report` beside `trace-cmd report -N`, which loads no plugin). The fields are those
//! of the kernel's events, and an event that lacks one of them is printed by its own `print fmt`.

use super::environment::Environment;
use super::error::TextError;
use super::style::{Dialect, Style};
use super::tracer::Tracer;
use super::{Body, Text, compile};
use crate::append::push_hex;
use crate::bytes::ByteOrder;
use crate::format::EventFormat;

/// A text that a plugin prints.
struct PluginText {
    system: &'static str,
    event: &'static str,
    print_fmt: &'static str,
}

/// A switch to another task, with the letters of the task's state; `R` where no bit is set.
macro_rules! switch {
    ($($bit:literal $letter:literal),*) => {
        concat!(
            "\"%s:%u [%d] %s ==> %s:%u [%d]\", REC->prev_comm, REC->prev_pid, REC->prev_prio, ",
            "(REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, \"|\"",
            $(", { ", $bit, ", \"", $letter, "\" }",)*
            ") : \"R\", REC->next_comm, REC->next_pid, REC->next_prio"
        )
    };
}

/// The letters of the kernel since 4.14, which trace-cmd 3.3 prints.
const SWITCH: &str = switch!("1" "S", "2" "D", "4" "T", "8" "t", "16" "X", "32" "Z", "64" "P", "128" "I");

/// The letters of older kernels, which trace-cmd 3.1 prints also for newer ones.
const OLD_SWITCH: &str = switch!("1" "S", "2" "D", "4" "T", "8" "t", "16" "Z", "32" "X", "64" "x", "128" "W");

const WAKEUP: &str = "\"%s:%u [%u] CPU:%03u\", REC->comm, REC->pid, REC->prio, REC->target_cpu";

const PLUGIN_TEXTS: &[PluginText] = &[
    PluginText { system: "sched", event: "sched_switch", print_fmt: SWITCH },
    PluginText { system: "sched", event: "sched_wakeup", print_fmt: WAKEUP },
    PluginText { system: "sched", event: "sched_wakeup_new", print_fmt: WAKEUP },
];

/// The events of system `kmem` whose text a plugin begins with the function that asked for memory or freed it.
const CALL_SITES: &[&str] =
    &["kfree", "kmalloc", "kmalloc_node", "kmem_cache_alloc", "kmem_cache_alloc_node", "kmem_cache_free"];

/// The place of the function that asked for memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallSite {
    offset: usize,
    size: usize,
    order: ByteOrder,
}

impl CallSite {
    fn find(format: &EventFormat, environment: &dyn Environment) -> Option<Self> {
        if format.system != "kmem" || !CALL_SITES.contains(&format.name.as_str()) {
            return None;
        }
        let field = format.field("call_site")?;
        let order = ByteOrder::little_if(environment.is_little_endian());
        Some(CallSite { offset: field.offset as usize, size: field.size as usize, order })
    }

    /// Appends `(name+0x10) `, or nothing where the function is not known.
    pub(super) fn push(self, record: &[u8], environment: &dyn Environment, out: &mut Vec<u8>) {
        let address = self.order.uint(record, self.offset, self.size);
        let Some(symbol) = address.and_then(|address| environment.symbol(address)) else { return };
        out.push(b'(');
        out.extend_from_slice(symbol.name.as_bytes());
        out.extend_from_slice(b"+0x");
        // The plugin has an `int` for it.
        push_hex(out, u64::from(symbol.offset as u32));
        out.extend_from_slice(b") ");
    }
}

/// Compiles the text of an event.
pub(super) fn text(
    format: &EventFormat,
    environment: &dyn Environment,
    style: Style,
) -> Result<Text, TextError> {
    let plugin = PLUGIN_TEXTS.iter().find(|text| text.system == format.system && text.event == format.name);
    if let Some(plugin) = plugin {
        let is_old = style.is_old && plugin.print_fmt == SWITCH;
        let print_fmt = if is_old { OLD_SWITCH } else { plugin.print_fmt };
        let replaced = EventFormat { print_fmt: print_fmt.into(), ..format.clone() };
        // An older kernel may lack a field.
        if let Ok(text) = by_print_fmt(&replaced, environment) {
            return Ok(text);
        }
    }
    if let Some(tracer) = Tracer::find(format, environment, style) {
        return Ok(Text::of(Body::Tracer(tracer)));
    }
    Ok(Text { prefix: CallSite::find(format, environment), ..by_print_fmt(format, environment)? })
}

fn by_print_fmt(format: &EventFormat, environment: &dyn Environment) -> Result<Text, TextError> {
    let print = format.print()?;
    Ok(Text::of(Body::Program(compile::program(format, &print, environment, Dialect::TraceCmd)?)))
}

#[cfg(test)]
mod tests {
    use super::super::{Environment, Style, Symbol, Text};
    use crate::format::EventFormat;

    struct Known;

    impl Environment for Known {
        fn is_little_endian(&self) -> bool {
            true
        }

        fn symbol(&self, address: u64) -> Option<Symbol<'_>> {
            (address < 0x200).then_some(Symbol {
                name: "work",
                module: Some("m"),
                offset: address & 0xff,
                size: 0x80,
            })
        }
    }

    fn shown(system: &str, name: &str, print_fmt: &str, value: u64, style: Style) -> String {
        let field = "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n";
        let common = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n";
        let text = format!("name: {name}\nID: 1\nformat:\n{common}{field}\nprint fmt: {print_fmt}\n");
        let format = EventFormat::parse(system, &text).unwrap();
        let record = [[0; 8], value.to_le_bytes()].concat();
        let mut out = Vec::new();
        Text::compile_as(&format, &Known, style).unwrap().render(&record, &Known, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn printf_is_that_of_c() {
        let print_fmt = "\"%p %#x %pS %ps\", REC->call_site, REC->call_site, REC->call_site, REC->call_site";
        let of = |value, style| shown("a", "b", print_fmt, value, style);
        assert_eq!(of(0x110, Style::TRACE_CMD_3_1), "0x110 0x110 work+0x10 work");
        assert_eq!(of(0x110, Style::default()), "0000000000000110 0x110 work+0x10/0x80 [m] work [m]");
        assert_eq!(of(0, Style::TRACE_CMD_3_3), "(nil) 0 work+0x0 work");
        assert_eq!(of(0, Style::default()), "0000000000000000 0x0 work+0x0/0x80 [m] work [m]");
        assert_eq!(of(0x9000, Style::TRACE_CMD_3_1), "0x9000 0x9000 0x9000 0x9000");
    }

    #[test]
    fn names_without_a_value_are_no_names() {
        let flags = "\"%s\", __print_flags(REC->call_site, \"|\", { NEW_A, \"A\" }, { 2, \"B\" })";
        let of = |value| shown("a", "b", flags, value, Style::TRACE_CMD_3_1);
        assert_eq!((of(0), of(2), of(5)), ("A".to_owned(), "B".to_owned(), "0x5".to_owned()));
        let symbolic = "\"%s\", __print_symbolic(REC->call_site, { NEW_A, \"A\" }, { 2, \"B\" })";
        let of = |value| shown("a", "b", symbolic, value, Style::TRACE_CMD_3_1);
        assert_eq!((of(0), of(2)), ("0x0".to_owned(), "B".to_owned()));
    }

    #[test]
    fn function_that_asked_for_memory_comes_first() {
        let of =
            |system, value| shown(system, "kfree", "\"at=%lx\", REC->call_site", value, Style::TRACE_CMD_3_1);
        assert_eq!(of("kmem", 0x110), "(work+0x10) at=110");
        assert_eq!(of("kmem", 0x9000), "at=9000");
        assert_eq!(of("other", 0x110), "at=110");
    }

    #[test]
    fn event_that_lacks_a_field_of_its_plugin_is_printed_by_its_own_print_fmt() {
        let of = |style| shown("sched", "sched_switch", "\"at=%lx\", REC->call_site", 16, style);
        assert_eq!(
            (of(Style::TRACE_CMD_3_1), of(Style::TRACE_CMD_3_3)),
            ("at=10".to_owned(), "at=10".to_owned())
        );
    }
}
