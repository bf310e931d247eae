//! Names of C that a trace header's macros make of the names in it, and names that these macros and the kernel's headers
//! have for themselves.
//!
//! `cargo xtask trace-names` derives the table anew from the headers of Debian's 6.1 and 6.12, by the preprocessor and by
//! what gcc says of an event with each name, and prints what differs. The macros are those of include/linux/tracepoint.h,
//! include/trace/define_trace.h and the files that it includes (trace_events.h, perf.h, bpf_probe.h, stages/).

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Of {
    /// A tracepoint.
    Event,
    /// An event class; an event that is not a member of one has a class of its own name.
    Class,
}

/// The name space of C that a name is in (C11, 6.2.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Functions, variables, types, and macros.
    Ordinary,
    /// Names behind `struct`, `union` and `enum`.
    Tag,
}

/// How a name becomes another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    /// What the name is of.
    pub of: Of,
    /// Where the other one is.
    pub space: Space,
    /// The text before the name.
    pub before: &'static str,
    /// The text after it.
    pub after: &'static str,
}

impl Pattern {
    /// Returns what is made of a name.
    pub fn made_of(&self, name: &str) -> String {
        format!("{}{name}{}", self.before, self.after)
    }
}

const fn event(before: &'static str, after: &'static str) -> Pattern {
    Pattern { of: Of::Event, space: Space::Ordinary, before, after }
}

const fn class(before: &'static str, after: &'static str) -> Pattern {
    Pattern { of: Of::Class, space: Space::Ordinary, before, after }
}

const fn class_tag(before: &'static str, after: &'static str) -> Pattern {
    Pattern { of: Of::Class, space: Space::Tag, before, after }
}

/// All names that are made of one.
pub const MADE: &[Pattern] = &[
    event("__SCK__tp_func_", ""),
    event("__SCT__tp_func_", ""),
    event("__bpf_trace_tp_map_", ""),
    event("__event_", ""),
    event("__probestub_", ""),
    event("__tpstrtab_", ""),
    event("__traceiter_", ""),
    event("__tracepoint_", ""),
    event("bpf_test_probe_", ""),
    event("btf_trace_", ""),
    event("check_trace_callback_type_", ""),
    event("event_", ""),
    event("ftrace_test_probe_", ""),
    event("perf_test_probe_", ""),
    event("register_trace_", ""),
    event("register_trace_prio_", ""),
    event("trace_", ""),
    event("trace_", "_enabled"),
    event("unregister_trace_", ""),
    class("__bpf_trace_", ""),
    class("do_trace_event_raw_event_", ""),
    class("event_class_", ""),
    class("perf_trace_", ""),
    class("print_fmt_", ""),
    class("trace_event_fields_", ""),
    class("trace_event_get_offsets_", ""),
    class("trace_event_raw_event_", ""),
    class("trace_event_type_funcs_", ""),
    class("trace_raw_output_", ""),
    class_tag("trace_event_data_offsets_", ""),
    class_tag("trace_event_raw_", ""),
];

/// What the kernel's headers declare or define of these names, wherever a trace header is read.
pub const DECLARED: &[&str] = &[
    "__tracepoint_string",
    "event_has_any_exclude_flag",
    "event_trace_printk",
    "event_triggers_call",
    "event_triggers_post_call",
    "perf_trace_add",
    "perf_trace_buf_alloc",
    "perf_trace_buf_submit",
    "perf_trace_buf_update",
    "perf_trace_del",
    "perf_trace_destroy",
    "perf_trace_init",
    "perf_trace_regs",
    "perf_trace_run_bpf_submit",
    "register_trace_event",
    "trace_add_event_call",
    "trace_array_set_clr_event",
    "trace_call_bpf",
    "trace_clear_recursion",
    "trace_clock",
    "trace_clock_counter",
    "trace_clock_global",
    "trace_clock_jiffies",
    "trace_clock_local",
    "trace_clock_x86_tsc",
    "trace_define_field",
    "trace_dump_stack",
    "trace_event_buffer_commit",
    "trace_event_buffer_lock_reserve",
    "trace_event_buffer_reserve",
    "trace_event_dyn_busy",
    "trace_event_dyn_put_ref",
    "trace_event_dyn_try_get_ref",
    "trace_event_get_offsets",
    "trace_event_ignore_this_pid",
    "trace_event_name",
    "trace_event_printf",
    "trace_event_put_ref",
    "trace_event_raw_init",
    "trace_event_reg",
    "trace_event_try_get_ref",
    "trace_func_graph_ent_t",
    "trace_func_graph_ret_t",
    "trace_get_context_bit",
    "trace_get_event_file",
    "trace_get_fields",
    "trace_handle_return",
    "trace_hardirqs_off",
    "trace_hardirqs_off_finish",
    "trace_hardirqs_on",
    "trace_hardirqs_on_prepare",
    "trace_init",
    "trace_module_has_bad_taint",
    "trace_output_call",
    "trace_preempt_off",
    "trace_preempt_on",
    "trace_print_array_seq",
    "trace_print_bitmask_seq",
    "trace_print_flags_seq",
    "trace_print_func",
    "trace_print_hex_dump_seq",
    "trace_print_hex_seq",
    "trace_print_seq",
    "trace_print_symbols_seq",
    "trace_printk",
    "trace_put_event_file",
    "trace_puts",
    "trace_raw_output_prep",
    "trace_rb_cpu_prepare",
    "trace_recursion_clear",
    "trace_recursion_depth",
    "trace_recursion_set",
    "trace_recursion_set_depth",
    "trace_recursion_test",
    "trace_remove_event_call",
    "trace_seq_acquire",
    "trace_seq_bitmask",
    "trace_seq_bprintf",
    "trace_seq_buffer_ptr",
    "trace_seq_has_overflowed",
    "trace_seq_hex_dump",
    "trace_seq_init",
    "trace_seq_path",
    "trace_seq_printf",
    "trace_seq_putc",
    "trace_seq_putmem",
    "trace_seq_putmem_hex",
    "trace_seq_puts",
    "trace_seq_to_user",
    "trace_seq_used",
    "trace_seq_vprintf",
    "trace_set_clr_event",
    "trace_test_and_set_recursion",
    "trace_trigger_soft_disabled",
    "trace_warn_on_no_rcu",
    "unregister_trace_event",
];

/// The names of structs, unions and enums among them.
pub const DECLARED_TAGS: &[&str] = &[];

/// What an argument cannot be called: the functions that are made of an event use these names for other things.
pub const NOT_ARGUMENTS: &[&str] = &[
    "FORTIFY_FUNC_memcpy",
    "__alignof__",
    "__ap",
    "__asm__",
    "__attribute__",
    "__auto_type",
    "__bad_size_call_parameter",
    "__builtin_choose_expr",
    "__builtin_constant_p",
    "__builtin_dynamic_object_size",
    "__builtin_expect",
    "__builtin_has_attribute",
    "__builtin_memcpy",
    "__builtin_memset",
    "__builtin_object_size",
    "__builtin_offsetof",
    "__builtin_strlen",
    "__builtin_va_copy",
    "__builtin_va_end",
    "__count",
    "__cp_va",
    "__data",
    "__data_offsets",
    "__data_size",
    "__dst",
    "__entry_size",
    "__fortify_size",
    "__fortify_strlen",
    "__idx",
    "__inline",
    "__item_length",
    "__p_size",
    "__p_size_field",
    "__preempt_count_add",
    "__preempt_count_dec_and_test",
    "__q_size",
    "__q_size_field",
    "__regs",
    "__ret",
    "__seg_gs",
    "__src",
    "__string_src",
    "__task",
    "__text",
    "__typeof__",
    "__volatile__",
    "__warn_printk",
    "bool",
    "bpf_prog_array_valid",
    "bpf_trace_run2",
    "cpu_number",
    "cpu_online",
    "ct_irq_enter_irqson",
    "ct_irq_exit_irqson",
    "entry",
    "event_call",
    "false",
    "fbuffer",
    "fortify_memcpy_chk",
    "fortify_memset_chk",
    "head",
    "hlist_empty",
    "it_func",
    "it_func_ptr",
    "pcpu_hot",
    "perf_fetch_caller_regs",
    "perf_trace_buf_alloc",
    "perf_trace_run_bpf_submit",
    "preempt_count",
    "prog",
    "rctx",
    "rcu_is_watching",
    "s64",
    "size_t",
    "sized_strscpy",
    "srcu_read_lock_notrace",
    "srcu_read_unlock_notrace",
    "ssize_t",
    "static_key_false",
    "strcpy",
    "strscpy_pad",
    "this_cpu_off",
    "trace_event_buffer_commit",
    "trace_event_buffer_reserve",
    "trace_file",
    "trace_trigger_soft_disabled",
    "true",
    "u16",
    "u32",
    "u64",
    "u8",
    "uintptr_t",
    "va_list",
    "vsnprintf",
];

/// What a field cannot be called: the structs that are made of an event have members of these names.
pub const NOT_FIELDS: &[&str] = &[
    "__alignof__",
    "__asm__",
    "__attribute__",
    "__auto_type",
    "__builtin_choose_expr",
    "__builtin_has_attribute",
    "__builtin_offsetof",
    "__data",
    "__inline",
    "__seg_gs",
    "__typeof__",
    "__volatile__",
    "ent",
];

/// What follows the name of a field of no fixed size, in the name of another member of a struct.
pub const BEHIND_FIELDS: &[&str] = &["_ptr_"];

/// Returns whether the headers have this name.
pub fn is_declared(space: Space, name: &str) -> bool {
    match space {
        Space::Ordinary => DECLARED.binary_search(&name).is_ok(),
        Space::Tag => DECLARED_TAGS.binary_search(&name).is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_in_their_order() {
        assert!(MADE.is_sorted_by(|a, b| a < b));
        for names in [DECLARED, DECLARED_TAGS, NOT_ARGUMENTS, NOT_FIELDS, BEHIND_FIELDS] {
            assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
        }
    }

    #[test]
    fn names_of_the_headers_are_those_that_could_be_made() {
        let could_be = |space: Space, name: &str| {
            MADE.iter().any(|made| {
                let name = name.strip_prefix(made.before).and_then(|rest| rest.strip_suffix(made.after));
                made.space == space && name.is_some_and(|name| !name.is_empty())
            })
        };
        assert!(DECLARED.iter().all(|name| could_be(Space::Ordinary, name)));
        assert!(DECLARED_TAGS.iter().all(|name| could_be(Space::Tag, name)));
        assert!(
            is_declared(Space::Ordinary, "trace_seq_puts") && is_declared(Space::Ordinary, "trace_printk")
        );
        assert!(!is_declared(Space::Ordinary, "trace_entry"), "it is a struct");
    }
}
