//! One of two words: include/linux/string_choices.h.

use super::{TextFunction, argument};
use crate::text::memory::{Memory, Value};

macro_rules! choices {
    ($($name:literal $yes:literal $no:literal;)*) => {
        &[$(TextFunction {
            name: $name,
            arguments: 1,
            print: |arguments: &[Value], _: &Memory<'_>, out: &mut Vec<u8>| {
                let word: &str = if argument(arguments, 0).is_true() { $yes } else { $no };
                out.extend_from_slice(word.as_bytes());
            },
        }),*]
    };
}

pub(super) const ALL: &[TextFunction] = choices! {
    "str_yes_no" "yes" "no";
    "str_no_yes" "no" "yes";
    "str_on_off" "on" "off";
    "str_off_on" "off" "on";
    "str_true_false" "true" "false";
    "str_false_true" "false" "true";
    "str_enable_disable" "enable" "disable";
    "str_disable_enable" "disable" "enable";
    "str_enabled_disabled" "enabled" "disabled";
    "str_disabled_enabled" "disabled" "enabled";
    "str_read_write" "read" "write";
    "str_write_read" "write" "read";
    "str_up_down" "up" "down";
    "str_down_up" "down" "up";
    "str_high_low" "high" "low";
    "str_low_high" "low" "high";
    "str_hi_lo" "hi" "lo";
    "str_lo_hi" "lo" "hi";
    "str_input_output" "input" "output";
    "str_output_input" "output" "input";
    "str_assert_deassert" "assert" "deassert";
    "str_deassert_assert" "deassert" "assert";
};
