//! Every code, one file each with its page beside it. The functions of the file return the diagnostics of the code.

use super::{Code, Kind};

/// Declares the modules and the list of all codes from one line each.
macro_rules! codes {
    ($($module:ident)*) => {
        $(
            pub mod $module;
        )*

        /// All codes, by id.
        pub static ALL: &[&Code] = &[$(&$module::CODE),*];
    };
}

codes! {
    source_too_large
    too_many_errors
    too_deep
    stray_character
    wrong_quotes
    unterminated_string
    unterminated_comment
    invalid_escape
    invalid_number
    number_too_large
    unknown_unit
    unexpected
    unknown_clause
    misplaced_clause
    missing_semicolon
    unclosed_delimiter
    unmatched_delimiter
    misplaced_doc
    wrong_operator
    chained_comparison
    unquoted_pattern
    reserved_word
    missing_braces
    wrong_set
    negated_set
    misplaced_choice
    blocks_too_deep
    invalid_address
    invalid_cpus
    unclosed_placeholder
    lone_brace
    empty_format
    unterminated_c
    declared_as_in_c
    missing_comma
    wrong_separator
    repeated_part
    misplaced_part
    text_direction
    not_implemented
    unknown_event
    unknown_field
    ambiguous_event
    no_match
    unknown_option
    unknown_clock
    unknown_trigger
    not_traceable
    invalid_event_name
    unknown_session
    missing_in_group
    unknown_module
    no_variant
    import_failed
    import_cycle
    duplicate_import
    import_without_name
    unknown_import
    unknown_include
    include_cycle
    include_too_deep
    unknown_parameter
    missing_parameter
    duplicate_parameter
    unknown_feature
    useless_having
    not_one_event
    unknown_signal
    unknown_value
    missing_if
    missing_connector
    as_in_kernel
    event_modifier
    foreign_tool
    event_as_path
    shell_variable
    too_many_included
    unknown_recorder
    type_mismatch
    out_of_range
    text_too_long
    not_filterable
    bad_operator
    not_a_condition
    not_on_integer
    no_comparand
    missing_quotes
    constant_condition
    hidden_pseudo_field
    unknown_constant
    unknown_member
    user_memory
    positive_errno
    ordered_names
    backward_range
    empty_members
    repeated_value
    c_in_condition
    cpu_list_operator
    not_an_address
    regex_in_pattern
    args_member
    std_constant
    contradiction
    redundant_condition
    star_in_text
    wrapping_difference
    mixed_signs
    wrong_modifier
    unknown_function
    bad_pattern
    nul_in_text
    no_such_cpu
    bad_cast
    hidden_constant
    plain_pattern
    range_as_difference
    bitwise_alternatives
    wrong_unit
    path_as_name
    doubtful_number
    partial_flags
    duplicate_clause
    conflicting_filters
    trigger_slot_taken
    option_not_for_sessions
    bad_size
    bad_duration
    unknown_output
    no_session
    which_session
    empty_session
    filter_in_on
    duplicate_session
    count_zero
    no_trigger
    empty_set
    useless_except
    bad_scope
    bad_instance
    bad_marker
    bad_signal
    not_global
    useless_discarding
    needs_discarding
    trigger_target
    useless_option
    stack_after_traceoff
    hidden_header
    useless_keep
    dump_without_ring
    dump_name
    bad_cmdlines
    no_subbuffer
    rounded_size
    second_snapshot
    not_in_kernel
    filter_too_long
    not_applied
    no_place
    demanded_in_kernel
    other_layout
    invalid_condition
    not_by_target
    no_tracefs
    no_permission
    read_only
    locked_down
    refused
    instance_taken
    invalid_instance_name
    no_journal
    output_failed
    command_failed
    residue
    kernel_unreadable
    not_utf8
    unreadable_source
    damaged_record
    not_tracefs
    system_call
    unknown_code
    nothing_listed
    json_and_output
    no_command
    module_not_built
    module_refused
    module_unusable
    program_refused
    no_such_task
    value_taken
    started_session
    no_output_file
    not_a_profile
    later_profile
    damaged_profile
    unknown_kernel
    duplicate_definition
    constant_cycle
    not_constant
    constant_overflow
    division_by_zero
    shift_too_far
    does_not_fit
    constant_mismatch
    duplicate_member
    duplicate_value
    not_bits
    ambiguous_constant
    bad_carrier
    empty_enum
    unknown_type
    type_not_here
    bad_length
    unknown_size
    struct_by_value
    reserved_name
    name_too_long
    duplicate_name
    no_subsystem
    second_subsystem
    event_exists
    no_arguments
    many_arguments
    record_too_large
    no_source
    wrong_source
    elements
    unknown_argument
    not_in_c
    bad_operand
    unknown_class
    unused_class
    unknown_placeholder
    bad_format
    format_mismatch
    unsafe_format
    not_printable
    unknown_probe_kind
    wrong_probe_target
    relative_path
    probe_values
    unknown_counter
    bad_fetch
    fetch_not_here
    fetch_type
    fetch_too_long
    too_many_fields
    text_memory
    unknown_register
    probe_too_large
    lacking_feature
    unchecked_function
    open_statements
    sleeps
    no_value
    unknown_lint
    not_a_lint
    unused_allow
    unknown_level
}

impl Code {
    /// Returns the code with this id or name. Case does not matter, nor whether `-` or `_` joins the words of a name.
    pub fn find(wanted: &str) -> Option<&'static Code> {
        let wanted = wanted.replace('_', "-");
        let mut all = ALL.iter().copied();
        all.find(|code| code.id.eq_ignore_ascii_case(&wanted) || code.name.eq_ignore_ascii_case(&wanted))
    }

    /// Returns all lints.
    pub fn lints() -> impl Iterator<Item = &'static Code> {
        ALL.iter().copied().filter(|code| matches!(code.kind, Kind::Lint(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_found_by_id_and_by_name() {
        for wanted in ["T0210", "t0210", "constant-condition", "constant_condition", "CONSTANT-condition"] {
            assert_eq!(Code::find(wanted).map(|code| code.id), Some("T0210"), "{wanted}");
        }
        for wanted in ["", "T02100", "constant", "constant-condition "] {
            assert_eq!(Code::find(wanted), None, "{wanted}");
        }
    }
}
