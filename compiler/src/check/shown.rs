//! `print`, `drop` and `redact` in the block of a `trace` clause: what is shown of an event's records.
//!
//! Fields that several clauses leave out or blank add up, so that no clause shows what another one hides. The text is that
//! of the clause that names the event most exactly, as with filters.

use tracec_grammar::span::{Span, Spanned};
use tracec_grammar::syntax::{ItemKind, Name, Template};
use tracec_kernel::format::EventFormat;
use tracec_kernel::nearest::nearest;

use crate::diagnostic::{Diagnostics, codes};
use crate::ir;
use crate::ir::definition::ConstantTable;
use crate::resolve::names::Names;
use crate::resolve::{Precision, WrittenClause};
use crate::source::KernelSource;

use super::definition::shown::print_fmt;

/// Returns the word of an item about what is shown.
pub(super) fn word(item: &ItemKind) -> &'static str {
    match item {
        ItemKind::Print(_) => "print",
        ItemKind::Drop(_) => "drop",
        _ => "redact",
    }
}

/// What the clauses of a session say of how the records of an event are shown.
#[derive(Default)]
pub(super) struct ShownClauses<'a> {
    /// The text of the clauses that name the event most exactly.
    print: Option<(Precision, &'a Template, &'a Names<'a>)>,
    left_out: Vec<Name>,
    blanked: Vec<Name>,
}

impl<'a> ShownClauses<'a> {
    /// Returns what one clause says of an event, and whether it is right: mistakes have been reported.
    pub(super) fn of(
        clause: WrittenClause<'a, 'a>,
        format: &EventFormat,
        diagnostics: &mut Diagnostics,
    ) -> (Self, bool) {
        let mut shown = ShownClauses::default();
        let mut complete = true;
        for item in &clause.content.items {
            let fields = match &item.kind {
                ItemKind::Print(template) => {
                    match shown.print {
                        Some((_, first, _)) => {
                            let said = codes::duplicate_clause::duplicate_clause;
                            diagnostics.push(said(item.span, first.span, "`print`"));
                            complete = false;
                        }
                        None => shown.print = Some((Precision::Exact, template, clause.names)),
                    }
                    continue;
                }
                ItemKind::Drop(fields) | ItemKind::Redact(fields) => fields,
                _ => continue,
            };
            for field in fields {
                if !can_be_hidden(field, word(&item.kind), format, diagnostics) {
                    complete = false;
                } else if let Some(first) = shown.hides(&field.value) {
                    diagnostics.push(codes::duplicate_clause::of_field(field.span, first, &field.value));
                    complete = false;
                } else if matches!(item.kind, ItemKind::Drop(_)) {
                    shown.left_out.push(field.clone());
                } else {
                    shown.blanked.push(field.clone());
                }
            }
        }
        (shown, complete)
    }

    /// Returns the span where a field is hidden.
    fn hides(&self, field: &str) -> Option<Span> {
        let mut hidden = self.left_out.iter().chain(&self.blanked);
        hidden.find(|hidden| hidden.value == field).map(|hidden| hidden.span)
    }

    /// Adds what another clause says, which names the event this exactly. Returns whether they agree; if not, that has been
    /// reported.
    pub(super) fn add(
        &mut self,
        precision: Precision,
        other: ShownClauses<'a>,
        diagnostics: &mut Diagnostics,
    ) -> bool {
        let mut agree = true;
        if let Some((_, template, names)) = other.print {
            match self.print {
                Some((first, ..)) if first > precision => {}
                Some((first, written, _)) if first == precision => {
                    let said = codes::duplicate_clause::duplicate_clause;
                    diagnostics.push(said(template.span, written.span, "`print`"));
                    agree = false;
                }
                _ => self.print = Some((precision, template, names)),
            }
        }
        // A field that is left out somewhere is not there to be blanked.
        for field in other.left_out {
            self.blanked.retain(|blanked| blanked.value != field.value);
            if self.hides(&field.value).is_none() {
                self.left_out.push(field);
            }
        }
        for field in other.blanked {
            if self.hides(&field.value).is_none() {
                self.blanked.push(field);
            }
        }
        agree
    }

    /// Types the text. `None` if a mistake was reported.
    pub(super) fn typed(
        self,
        format: &EventFormat,
        constants: &ConstantTable,
        kernel: &dyn KernelSource,
        diagnostics: &mut Diagnostics,
    ) -> Option<ir::Shown> {
        let ShownClauses { print, left_out, blanked } = self;
        let print_fmt = match print {
            None => None,
            Some((_, template, names)) => {
                let of = (format, left_out.as_slice());
                let typed = print_fmt(template, of, (names, constants), kernel, diagnostics)?;
                Some(Spanned::new(typed, template.span))
            }
        };
        Some(ir::Shown { print_fmt, left_out, blanked })
    }
}

/// Returns whether a field is one of the event's own; if not, that has been reported.
fn can_be_hidden(field: &Name, word: &str, format: &EventFormat, diagnostics: &mut Diagnostics) -> bool {
    let own = || format.own_fields().iter().map(|field| field.name.as_str());
    if own().any(|name| name == field.value) {
        return true;
    }
    let name = &field.value;
    let is_common = format.common_fields().iter().any(|common| common.name == *name);
    diagnostics.push(match is_common {
        true => codes::hidden_header::hidden_header(field.span, name, word),
        false => {
            let near: Vec<String> = nearest(name, own(), 1).into_iter().map(str::to_owned).collect();
            let known = own().map(str::to_owned).collect();
            let event = format.qualified_name();
            codes::unknown_field::unknown_field(field.span, name, &event, &near, known)
        }
    });
    false
}
