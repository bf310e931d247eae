//! What the grammar found, as diagnostics.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind as Kind};

use super::{Applicability, Diagnostic, codes};

/// Gives a syntax error of a text its code.
pub fn from_syntax_error(error: &SyntaxError, text: &str) -> Diagnostic {
    match &error.kind {
        Kind::SourceTooLarge => codes::source_too_large::source_too_large(error),
        Kind::TooManyErrors => codes::too_many_errors::too_many_errors(error),
        Kind::TooDeep => codes::too_deep::too_deep(error),
        Kind::StrayCharacter { .. } => codes::stray_character::stray_character(error),
        Kind::WrongQuotes { .. } => codes::wrong_quotes::wrong_quotes(error),
        Kind::UnterminatedString => codes::unterminated_string::unterminated_string(error),
        Kind::UnterminatedComment => codes::unterminated_comment::unterminated_comment(error),
        Kind::InvalidEscape { .. } => codes::invalid_escape::invalid_escape(error),
        Kind::InvalidNumber { .. } => codes::invalid_number::invalid_number(error),
        Kind::LeadingZero { octal, decimal } => {
            codes::invalid_number::leading_zero(error, octal.as_deref(), decimal)
        }
        Kind::NumberTooLarge => codes::number_too_large::number_too_large(error),
        Kind::UnknownUnit { .. } => codes::unknown_unit::unknown_unit(error),
        Kind::Unexpected { .. }
        | Kind::SplitUnit { .. }
        | Kind::AssignedClause
        | Kind::UseInOneLiner
        | Kind::SwitchAsNumber { .. }
        | Kind::UnknownWord { .. } => codes::unexpected::unexpected(error),
        Kind::UnknownClause { .. } => codes::unknown_clause::unknown_clause(error),
        Kind::MissingTrace { .. } => codes::unknown_clause::missing_trace(error),
        Kind::NotImplemented { .. } => codes::not_implemented::not_implemented(error),
        Kind::MisplacedClause { .. } => codes::misplaced_clause::misplaced_clause(error),
        Kind::MissingSemicolon => codes::missing_semicolon::missing_semicolon(error),
        Kind::UnclosedDelimiter { .. } => codes::unclosed_delimiter::unclosed_delimiter(error),
        Kind::UnmatchedDelimiter { .. } => codes::unmatched_delimiter::unmatched_delimiter(error),
        Kind::MisplacedDoc { .. } => codes::misplaced_doc::misplaced_doc(error, text),
        Kind::WrongOperator { .. } | Kind::Unless { .. } => codes::wrong_operator::wrong_operator(error),
        Kind::NotAsWord { negated } => codes::wrong_operator::not(error, negated.as_ref()),
        Kind::ChainedComparison => codes::chained_comparison::chained_comparison(error),
        Kind::UnquotedPattern { .. } => codes::unquoted_pattern::unquoted_pattern(error),
        Kind::ReservedWord { .. } => codes::reserved_word::reserved_word(error),
        Kind::MissingBraces { .. } => codes::missing_braces::missing_braces(error),
        Kind::WrongSetBrackets { .. } => codes::wrong_set::wrong_set(error),
        Kind::NegatedSet { .. } => codes::negated_set::negated_set(error),
        Kind::MisplacedChoice => codes::misplaced_choice::misplaced_choice(error),
        Kind::BlocksTooDeep => codes::blocks_too_deep::blocks_too_deep(error),
        Kind::InvalidAddress { .. } => codes::invalid_address::invalid_address(error),
        Kind::InvalidCpus { .. } => codes::invalid_cpus::invalid_cpus(error),
        Kind::UnclosedPlaceholder => codes::unclosed_placeholder::unclosed_placeholder(error),
        Kind::LoneBrace => codes::lone_brace::lone_brace(error),
        Kind::EmptyFormat => codes::empty_format::empty_format(error),
        Kind::UnterminatedC => codes::unterminated_c::unterminated_c(error),
        Kind::DeclaredAsInC { .. } => codes::declared_as_in_c::declared_as_in_c(error),
        Kind::DanglingConnector { connector, at, .. } => codes::unexpected::dangling(error, connector, *at),
        Kind::NegativeCount => codes::count_zero::below_one(error),
        Kind::MissingIf { .. } => codes::missing_if::missing_if(error, text),
        Kind::MissingConnector { .. } => codes::missing_connector::missing_connector(error),
        Kind::AsInKernel { .. } | Kind::TriggerAsInKernel => codes::as_in_kernel::as_in_kernel(error),
        Kind::EventModifier => codes::event_modifier::event_modifier(error),
        Kind::ForeignTool { event, .. } => codes::foreign_tool::foreign_tool(error, event.as_deref()),
        Kind::NotASource { .. } => codes::foreign_tool::not_a_source(error),
        Kind::ForeignForm { .. } => codes::wrong_operator::foreign_form(error),
        Kind::EventAsPath { .. } => codes::event_as_path::event_as_path(error),
        Kind::ShellVariable { .. } => codes::shell_variable::shell_variable(error),
        Kind::MissingComma => codes::missing_comma::missing_comma(error),
        Kind::WrongSeparator => codes::wrong_separator::wrong_separator(error),
        Kind::RepeatedPart { .. } => codes::repeated_part::repeated_part(error),
        Kind::MisplacedPart { .. } => codes::misplaced_part::misplaced_part(error),
    }
}

/// What repairs a mistake in the place of its span, and how sure that is.
pub(super) fn replacement(error: &SyntaxError) -> Option<(String, Applicability)> {
    let text = error.fix()?;
    let applicability = match &error.kind {
        // Where the parentheses of `!(a == b)` go is not known here.
        Kind::NotAsWord { .. } => return None,
        // The last number is included in shells, and not in Rust.
        Kind::WrongOperator { found, .. } if found == ".." => Applicability::Maybe,
        Kind::ForeignForm { certain: false, .. } => Applicability::Maybe,
        Kind::ForeignForm { certain: true, .. } => Applicability::Always,
        Kind::MissingSemicolon
        | Kind::WrongOperator { .. }
        | Kind::WrongQuotes { .. }
        | Kind::MissingIf { .. }
        | Kind::MissingTrace { .. }
        | Kind::AsInKernel { .. }
        | Kind::SplitUnit { .. }
        | Kind::AssignedClause
        | Kind::UseInOneLiner
        | Kind::SwitchAsNumber { .. }
        | Kind::Unless { .. }
        | Kind::EventAsPath { .. }
        | Kind::DeclaredAsInC { .. }
        | Kind::UnquotedPattern { .. } => Applicability::Always,
        // An action alone, whose word `trigger` was forgotten.
        Kind::UnknownClause { .. } if text.starts_with("trigger ") => Applicability::Always,
        _ => Applicability::Maybe,
    };
    Some((text, applicability))
}
