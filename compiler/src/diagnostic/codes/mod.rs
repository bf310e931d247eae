//! Every code, one file each with its page beside it. A code is raised by the function that has its file's name.

use super::Code;

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
    not_yet
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
    not_in_kernel
    filter_too_long
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
    unknown_lint
    not_a_lint
    unused_allow
    unknown_level
}
