//! What the grammar found, as diagnostics.

use tracec_grammar::error::{SyntaxError, SyntaxErrorKind as Kind};

use super::{Applicability, Diagnostic, codes};

/// Gives a syntax error of a text its code.
pub fn from_syntax_error(error: &SyntaxError, text: &str) -> Diagnostic {
    let (code, label) = match &error.kind {
        Kind::TooDeep => (&codes::too_deep::CODE, "too deep"),
        Kind::StrayCharacter { .. } => (&codes::stray_character::CODE, "not part of the language"),
        Kind::WrongQuotes { .. } => (&codes::wrong_quotes::CODE, "not a string here"),
        Kind::UnterminatedString => (&codes::unterminated_string::CODE, "begins here"),
        Kind::UnterminatedComment => (&codes::unterminated_comment::CODE, "begins here"),
        Kind::InvalidEscape { .. } => (&codes::invalid_escape::CODE, "unknown escape"),
        Kind::NumberTooLarge => (&codes::number_too_large::CODE, "more than 64 bits"),
        Kind::UnknownUnit { .. } => (&codes::unknown_unit::CODE, "unknown unit"),
        Kind::NotImplemented { .. } => {
            (&codes::not_implemented::CODE, "a part of a later version of the language")
        }
        Kind::MisplacedClause { word, belongs } => {
            return codes::misplaced_clause::misplaced_clause(error, word, *belongs, text);
        }
        Kind::MissingSemicolon => (&codes::missing_semicolon::CODE, "expected `;` here"),
        Kind::UnclosedDelimiter { .. } => (&codes::unclosed_delimiter::CODE, "opened here"),
        Kind::UnmatchedDelimiter { .. } => (&codes::unmatched_delimiter::CODE, "closes nothing"),
        Kind::UnquotedPattern { .. } => (&codes::unquoted_pattern::CODE, "a pattern"),
        Kind::ReservedWord { .. } => (&codes::reserved_word::CODE, "reserved"),
        Kind::MissingBraces { .. } => (&codes::missing_braces::CODE, "needs braces"),
        Kind::MisplacedChoice => (&codes::misplaced_choice::CODE, "chooses a value"),
        Kind::BlocksTooDeep => (&codes::blocks_too_deep::CODE, "one level too many"),
        Kind::InvalidAddress { .. } => (&codes::invalid_address::CODE, "invalid"),
        Kind::InvalidCpus { .. } => (&codes::invalid_cpus::CODE, "invalid"),
        Kind::UnclosedPlaceholder => (&codes::unclosed_placeholder::CODE, "opened here"),
        Kind::LoneBrace => (&codes::lone_brace::CODE, "opened nowhere"),
        Kind::EmptyFormat => (&codes::empty_format::CODE, "nothing follows"),
        Kind::UnterminatedC => (&codes::unterminated_c::CODE, "begins here"),
        Kind::DeclaredAsInC { .. } => (&codes::declared_as_in_c::CODE, "type before name, as in C"),
        Kind::MissingConnector { .. } => (&codes::missing_connector::CODE, "a second condition"),
        Kind::AsInKernel { .. } | Kind::TriggerAsInKernel => {
            (&codes::as_in_kernel::CODE, "syntax of the kernel's `trigger` files")
        }
        Kind::EventModifier => (&codes::event_modifier::CODE, "a modifier"),
        Kind::EventAsPath { .. } => (&codes::event_as_path::CODE, "a path"),
        Kind::ShellVariable { .. } => (&codes::shell_variable::CODE, "a variable of the shell"),
        Kind::MissingComma => (&codes::missing_comma::CODE, "expected `,` here"),
        Kind::WrongSeparator => (&codes::wrong_separator::CODE, "ends a statement"),
        Kind::RepeatedPart { .. } => (&codes::repeated_part::CODE, "again"),
        Kind::MisplacedPart { .. } => (&codes::misplaced_part::CODE, "belongs to the class"),
        // These say more than a label.
        Kind::SourceTooLarge => return codes::source_too_large::source_too_large(error),
        Kind::TooManyErrors => return codes::too_many_errors::too_many_errors(error),
        Kind::InvalidNumber { .. } => return codes::invalid_number::invalid_number(error),
        Kind::LeadingZero { octal, decimal } => {
            return codes::invalid_number::leading_zero(error, octal.as_deref(), decimal);
        }
        Kind::Unexpected { .. }
        | Kind::SplitUnit { .. }
        | Kind::AssignedClause { .. }
        | Kind::UseInOneLiner
        | Kind::SessionInOneLiner { .. }
        | Kind::SwitchAsNumber { .. }
        | Kind::UnknownWord { .. } => return codes::unexpected::unexpected(error),
        Kind::UnknownClause { context, .. } => {
            return codes::unknown_clause::unknown_clause(error, *context, text);
        }
        Kind::PartAsClause { .. } => return codes::unknown_clause::part_as_clause(error),
        Kind::MissingTrace { .. } => return codes::unknown_clause::missing_trace(error),
        Kind::MisplacedDoc { .. } => return codes::misplaced_doc::misplaced_doc(error, text),
        Kind::WrongOperator { .. } | Kind::Unless { .. } => {
            return codes::wrong_operator::wrong_operator(error);
        }
        Kind::NotAsWord { negated } => return codes::wrong_operator::not(error, negated.as_ref()),
        Kind::ChainedComparison { joined } => {
            return codes::chained_comparison::chained_comparison(error, joined.as_ref());
        }
        Kind::WrongSetBrackets { set, .. } => return codes::wrong_set::wrong_set(error, set.as_ref()),
        Kind::NegatedSet { negated, .. } => return codes::negated_set::negated_set(error, negated.as_ref()),
        Kind::DanglingConnector { connector, at, .. } => {
            return codes::unexpected::dangling(error, connector, *at);
        }
        Kind::NegativeCount { whole } => return codes::count_zero::below_one(error, *whole, text),
        Kind::MissingIf { .. } => return codes::missing_if::missing_if(error, text),
        Kind::ForeignTool { event, .. } => {
            return codes::foreign_tool::foreign_tool(error, event.as_deref(), text);
        }
        Kind::ForeignCommand { one_liner, .. } => {
            return codes::foreign_tool::foreign_command(error, text, *one_liner);
        }
        Kind::NotASource { .. } => return codes::foreign_tool::not_a_source(error),
        Kind::ForeignForm { .. } => return codes::wrong_operator::foreign_form(error),
        Kind::RegularExpression { translated, wider, as_pattern, .. } => {
            let as_pattern = as_pattern.as_deref();
            return codes::wrong_operator::regular_expression(error, translated.as_ref(), *wider, as_pattern);
        }
    };
    Diagnostic::from_grammar(code, error, label)
}

/// What repairs a mistake in the place of its span, and how sure that is.
pub(super) fn replacement(error: &SyntaxError) -> Option<(String, Applicability)> {
    let text = error.fix()?;
    let applicability = match &error.kind {
        // Where the parentheses of `!(a == b)` go is not known here.
        Kind::NotAsWord { .. } => return None,
        // The last number is included in shells, and not in Rust.
        Kind::WrongOperator { found, .. } if found == ".." => Applicability::Maybe,
        // Which order was meant is not known.
        Kind::WrongOperator { found, .. } if found == "><" => Applicability::Maybe,
        Kind::ForeignForm { certain: false, .. } => Applicability::Maybe,
        Kind::ForeignForm { certain: true, .. } => Applicability::Always,
        Kind::MissingSemicolon
        | Kind::WrongOperator { .. }
        | Kind::WrongQuotes { .. }
        | Kind::MissingIf { .. }
        | Kind::MissingTrace { .. }
        | Kind::AsInKernel { .. }
        | Kind::SplitUnit { .. }
        | Kind::AssignedClause { .. }
        | Kind::SessionInOneLiner { .. }
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
