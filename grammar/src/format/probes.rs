//! Formatting of events at places of the kernel and of programs.

use pretty::DocAllocator;

use crate::span::Spanned;
use crate::syntax::*;

use super::gaps::Gap;
use super::rows::{PARENTHESES, Row};
use super::{Doc, Formatter, LEVEL};

/// A row of a probe's block.
enum ProbeRow<'s> {
    Field(&'s ProbeField),
    Print(&'s Template),
}

impl<'a> Formatter<'a> {
    /// Formats ` at KIND TARGET ..`.
    pub(super) fn probe(&mut self, probe: &Probe) -> Doc<'a> {
        let head = self.token(Gap::Space, "at").append(self.copy(Gap::Space, probe.kind.span));
        let mut head = head.append(self.attach_point(Gap::Space, &probe.attach_point));
        if let Some(params) = &probe.params {
            head =
                head.append(self.list(Gap::Tight, PARENTHESES, &params.value, |this, param| {
                    this.param(Gap::Open, param)
                }));
        }
        let mut result = self.arena.nil();
        if let Some(param) = &probe.result {
            result = self.token(Gap::Soft, "->").append(self.token(Gap::Space, "("));
            result = result.append(self.param(Gap::Open, param)).append(self.token(Gap::Close, ")"));
        }
        if !self.cursor.peek().starts_with('{') {
            // Before the next declaration the semicolon may have been left out.
            let semicolon = match self.cursor.peek().starts_with(';') {
                true => self.semicolon(),
                false => self.arena.text(";"),
            };
            return head.append(result.append(semicolon).nest(LEVEL));
        }
        head.append(result.nest(2 * LEVEL)).append(self.probe_block(probe))
    }

    fn probe_block(&mut self, probe: &Probe) -> Doc<'a> {
        let fields = probe.fields.as_ref().map_or(&[][..], |fields| &fields.value);
        let mut rows: Vec<ProbeRow> = fields.iter().map(ProbeRow::Field).collect();
        rows.extend(probe.print.as_ref().map(ProbeRow::Print));
        let one_line = match rows.last() {
            Some(ProbeRow::Field(field)) => self.cursor.is_one_line(field.span.range().end),
            Some(ProbeRow::Print(print)) => self.cursor.is_one_line(print.span.range().end),
            None => false,
        };
        let count = rows.len();
        self.block(one_line, &rows, |this, index, row| {
            Row::plain(match row {
                ProbeRow::Field(field) => this.probe_field(field, index + 1 == count),
                ProbeRow::Print(print) => this.print(print),
            })
        })
    }

    /// Formats `name = FETCH: type;`.
    fn probe_field(&mut self, field: &ProbeField, last: bool) -> Doc<'a> {
        let mut doc = match &field.name {
            Some(name) => self.copy(Gap::Tight, name.span),
            None => self.arena.nil(),
        };
        if let Some(fetch) = &field.fetch {
            if self.cursor.peek().starts_with('=') {
                doc = doc.append(self.token(Gap::Space, "=")).append(self.copy(Gap::Space, fetch.span));
            } else {
                doc = doc.append(self.copy(Gap::Tight, fetch.span));
            }
        }
        doc = doc.append(self.type_of(&field.ty));
        if !last {
            return doc.append(self.semicolon());
        }
        self.cursor.eat(";");
        doc.append(self.arena.text(";").flat_alt(self.arena.nil()))
    }

    fn attach_point(&mut self, gap: Gap, attach_point: &AttachPoint) -> Doc<'a> {
        match attach_point {
            AttachPoint::Symbol { module, symbol, offset } => {
                let mut doc = self.arena.nil();
                let mut gap = gap;
                if let Some(module) = module {
                    doc = self.copy(gap, module.span).append(self.token(Gap::Tight, ":"));
                    gap = Gap::Tight;
                }
                doc.append(self.copy(gap, symbol.span)).append(self.offset("+", offset))
            }
            AttachPoint::Binary { path, provider, symbol, offset } => {
                let mut doc = self.copy(gap, path.span);
                for name in [provider, symbol].into_iter().flatten() {
                    doc = doc.append(self.token(Gap::Tight, ":")).append(self.copy(Gap::Tight, name.span));
                }
                doc.append(self.offset(if symbol.is_some() { "+" } else { ":" }, offset))
            }
            AttachPoint::Event(event) => self.event_path(gap, event),
        }
    }

    fn offset(&mut self, sign: &str, offset: &Option<Spanned<u64>>) -> Doc<'a> {
        match offset {
            None => self.arena.nil(),
            Some(offset) => self.token(Gap::Tight, sign).append(self.copy(Gap::Tight, offset.span)),
        }
    }
}
