//! Tables that mirror the kernel. Each fact is stated only here; checker, planner and book read it.
//!
//! Each file holds one table, `ALL`, with `find` and `names` over it, and says which file of the kernel it mirrors.
//! Properties that differ between kernels are not in a table; the kernel at hand is asked for them.

pub mod bpf_helpers;
pub mod c_constants;
pub mod c_macros;
pub mod c_members;
pub mod c_structs;
pub mod c_types;
pub mod c_words;
pub mod clocks;
pub mod enumerators;
pub mod errno;
pub mod event_systems;
pub mod exit_reasons;
pub mod features;
pub mod fetch_types;
pub mod field_macros;
pub mod files;
pub mod filter_errors;
pub mod generic_fields;
pub mod header_fields;
pub mod kernel_values;
pub mod limits;
pub mod measures;
pub mod options;
pub mod packed_flags;
pub mod perf_counters;
pub mod pointer_formats;
pub mod print_helpers;
pub mod printk;
pub mod probe_kinds;
pub mod pt_regs;
pub mod registers;
pub mod signals;
pub mod sleeping;
pub mod sysctls;
pub mod trace_names;
pub mod tracers;
pub mod trigger_errors;
pub mod triggers;

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn unique<'a>(table: &str, names: impl Iterator<Item = &'a str>) {
        let mut seen = HashSet::new();
        for name in names {
            assert!(seen.insert(name), "`{name}` stands twice in {table}");
        }
        assert!(!seen.is_empty(), "{table} is empty");
    }

    #[test]
    fn every_name_stands_once_and_is_found() {
        unique("bpf_helpers", bpf_helpers::names());
        unique("c_types", c_types::ALL.iter().map(|c| c.name));
        unique("c_constants", c_constants::names());
        unique("c_macros", c_macros::ALL.iter().copied());
        unique("c_structs", c_structs::ALL.iter().map(|c| c.name));
        unique("c_words", c_words::ALL.iter().map(|word| word.name));
        unique("fetch_types", fetch_types::names());
        unique("field_macros", field_macros::names());
        unique("perf_counters", perf_counters::names());
        unique("printk", printk::names());
        unique("probe_kinds", probe_kinds::names());
        unique("clocks", clocks::names());
        unique("errno", errno::names());
        unique("event_systems", event_systems::names());
        unique("features", features::names());
        unique("files", files::names());
        unique("filter_errors", filter_errors::names());
        unique("generic_fields", generic_fields::names());
        unique("header_fields", header_fields::names());
        unique("measures", measures::names());
        unique("options", options::names());
        unique("enumerators", enumerators::names());
        unique("kernel_values", kernel_values::names());
        unique("packed_flags", packed_flags::names());
        unique("pointer_formats", pointer_formats::names());
        unique("print_helpers", print_helpers::names());
        unique("sleeping", sleeping::names());
        unique("sysctls", sysctls::names());
        unique("trigger_errors", trigger_errors::names());
        unique("triggers", triggers::names());
        assert!(c_constants::names().all(|name| c_constants::find(name).is_some()));
        assert!(fetch_types::names().all(|name| fetch_types::find(name).is_some()));
        assert!(field_macros::names().all(|name| field_macros::find(name).is_some()));
        assert!(perf_counters::names().all(|name| perf_counters::find(name).is_some()));
        assert!(printk::names().all(|name| printk::find(name).is_some()));
        assert!(probe_kinds::names().all(|name| probe_kinds::find(name).is_some()));
        assert!(clocks::names().all(|name| clocks::find(name).is_some()));
        assert!(errno::names().all(|name| errno::find(name).is_some()));
        assert!(event_systems::names().all(|name| event_systems::find(name).is_some()));
        assert!(features::names().all(|name| features::find(name).is_some()));
        assert!(files::names().all(|name| files::find(name).is_some()));
        assert!(filter_errors::names().all(|name| filter_errors::find(name).is_some()));
        assert!(generic_fields::names().all(|name| generic_fields::find(name).is_some()));
        assert!(enumerators::names().all(|name| enumerators::find(name, None).is_some()));
        assert!(kernel_values::names().all(|name| kernel_values::find(name).is_some()));
        assert!(options::names().all(|name| options::find(name).is_some()));
        assert!(pointer_formats::names().all(|name| pointer_formats::find(name).is_some()));
        assert!(print_helpers::names().all(|name| print_helpers::find(name).is_some()));
        assert!(sysctls::names().all(|name| sysctls::find(name).is_some()));
        assert!(trigger_errors::names().all(|name| trigger_errors::find(name).is_some()));
        assert!(triggers::names().all(|name| triggers::find(name).is_some()));
        assert!(options::find("no-such-option").is_none());
    }

    #[test]
    fn qualifiers_and_spacing_do_not_hide_a_type() {
        assert_eq!(c_types::find(" const  unsigned  long").map(|c| c.size), Some(8));
        assert_eq!(c_types::find("const clockid_t").map(|c| (c.size, c.signed)), Some((4, true)));
        assert_eq!(c_types::find("unsigned longer"), None);
        assert_eq!(c_types::find(""), None);
    }

    #[test]
    fn triggers_that_share_a_place_say_so() {
        let slot = |name| triggers::find(name).map(|trigger| trigger.slot);
        assert_eq!(slot("traceon"), slot("traceoff"));
        assert_ne!(slot("stacktrace"), slot("traceoff"));
    }

    #[test]
    fn features_that_tables_name_exist() {
        for trigger in triggers::ALL {
            assert!(trigger.feature.is_none_or(|name| features::find(name).is_some()), "{}", trigger.name);
            assert_eq!(trigger.needs.is_some(), trigger.feature.is_some(), "{}", trigger.name);
        }
        let probes = probe_kinds::ALL.iter().map(|kind| (kind.name, kind.feature));
        let types = fetch_types::ALL.iter().map(|ty| (ty.name, ty.feature));
        for (name, feature) in probes.chain(types) {
            assert!(feature.is_none_or(|feature| features::find(feature).is_some()), "{name}");
        }
        // The names of the fields that the kernel puts first are reserved.
        assert!(header_fields::names().all(|name| probe_kinds::RESERVED_FIELDS.contains(&name)));
        // A kind that not every kernel has needs a feature to detect it.
        assert!(probe_kinds::ALL.iter().all(|kind| kind.since.is_none() || kind.feature.is_some()));
    }

    #[test]
    fn a_file_is_found_by_its_path_in_an_instance() {
        let name = |path| files::of_path(path).map(|file| file.name);
        assert_eq!(name("tracing_on"), Some("tracing_on"));
        assert_eq!(name("options/overwrite"), Some("options/NAME"));
        assert_eq!(name("events/sched/sched_switch/filter"), Some("events/SYSTEM/EVENT/filter"));
        assert_eq!(name("per_cpu/cpu12/trace_pipe_raw"), Some("per_cpu/cpuN/trace_pipe_raw"));
        assert_eq!(name(files::MARKERS), Some("options/NAME"));
        assert!(files::MARKERS.strip_prefix("options/").is_some_and(|name| options::find(name).is_some()));
        assert_eq!(name(files::MARKER_FORMAT), Some("events/SYSTEM/EVENT/format"));
        assert_eq!(name("per_cpu/cpu/trace_pipe_raw"), None);
        assert_eq!(name("events/sched/sched_switch/filter/x"), None);
        assert_eq!(name("nothing"), None);
    }

    /// The `%p` extensions that templates allow and those that print formats hold are two views of `pointer()` in
    /// lib/vsprintf.c.
    #[test]
    fn both_tables_of_pointer_formats_agree() {
        let mut compared = 0;
        for extension in printk::ALL {
            let Some(suffix) = extension.letters.strip_prefix('p').filter(|suffix| !suffix.is_empty()) else {
                continue;
            };
            // `%px` and `%pe` print the address itself, as a plain `%p` does.
            let follows = pointer_formats::of_suffix(suffix)
                .is_some_and(|format| format.operand == pointer_formats::Operand::Memory);
            assert_eq!(extension.needs != printk::Needs::Address, follows, "{}", extension.letters);
            compared += 1;
        }
        assert!(compared > 30, "{compared}");
        // An extension that follows a pointer is either one that a record can hold, or is refused with advice what to
        // record instead.
        for format in pointer_formats::ALL.iter().filter(|f| f.operand == pointer_formats::Operand::Memory) {
            let word = format!("p{}", format.letters);
            let offered = printk::find(&word).is_some();
            let refused = printk::UNSAFE.iter().any(|(letters, _)| word.starts_with(letters));
            assert!(offered != refused, "{word}: offered {offered}, refused {refused}");
        }
    }
}
