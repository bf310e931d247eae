//! Formatting of a file and its declarations, except sessions and events.

use pretty::DocAllocator;

use crate::span::Span;
use crate::syntax::*;

use super::gaps::{Edge, Gap};
use super::rows::Row;
use super::{Doc, Formatter};

impl<'a> Formatter<'a> {
    /// Formats the whole text.
    pub(super) fn file(&mut self) -> Doc<'a> {
        let mut doc = self.arena.nil();
        let mut declarations = self.file.declarations.iter();
        let mut edge = Edge::Start;
        loop {
            let inner_doc = self.cursor.peek().starts_with("//!");
            let declaration = if inner_doc { None } else { declarations.next() };
            if !inner_doc && declaration.is_none() {
                let edge = if edge == Edge::Start { edge } else { Edge::Last };
                return doc.append(self.row_gap(edge, self.arena.nil(), true).doc);
            }
            let plain = if edge == Edge::Start { self.arena.nil() } else { self.arena.hardline() };
            doc = doc.append(self.row_gap(edge, plain, true).doc);
            doc = doc.append(match declaration {
                Some(declaration) => self.docs().0.append(self.declaration(&declaration.kind)),
                None => self.arena.text(self.cursor.take_line()),
            });
            edge = Edge::Middle;
        }
    }

    fn declaration(&mut self, kind: &DeclarationKind) -> Doc<'a> {
        match kind {
            DeclarationKind::Use(import) => self.import(import),
            DeclarationKind::Const(constant) => self.constant(constant),
            DeclarationKind::Enum(members) => self.members("enum", members),
            DeclarationKind::Flags(members) => self.members("flags", members),
            DeclarationKind::Subsystem(name) => self.simple("subsystem", Some(name.span)),
            DeclarationKind::Header(header) => self.header(header),
            DeclarationKind::Class(class) => self.class(class),
            DeclarationKind::Event(event) => self.event(event),
            DeclarationKind::Session(session) => self.session(session),
            DeclarationKind::Lint(lint) => self.lint(lint),
        }
    }

    fn import(&mut self, import: &Use) -> Doc<'a> {
        let mut doc = self.token(Gap::Tight, "use").append(match &import.imported {
            Imported::Module(names) => self.path(Gap::Space, names),
            Imported::File(file) => self.copy(Gap::Space, file.span),
        });
        if let Some(alias) = &import.alias {
            doc = doc.append(self.token(Gap::Space, "as")).append(self.copy(Gap::Space, alias.span));
        }
        doc.append(self.semicolon())
    }

    fn constant(&mut self, constant: &Const) -> Doc<'a> {
        let doc = self.token(Gap::Tight, "const").append(self.copy(Gap::Space, constant.name.span));
        let doc = doc.append(self.type_of(&constant.ty)).append(self.assigned(constant.value));
        doc.append(self.semicolon())
    }

    fn header(&mut self, header: &Header) -> Doc<'a> {
        let word = self.token(Gap::Tight, "include");
        // The span may be that of the path alone or include its brackets.
        let rest = self.cursor.peek();
        let close = if header.angled { '>' } else { '"' };
        let length = rest.char_indices().skip(1).find(|(_, c)| *c == close).map_or(0, |(at, _)| at + 1);
        let end = (self.cursor.at() + length) as u32;
        word.append(self.copy(Gap::Space, header.path.span.to(Span { start: end, end, ..header.path.span })))
            .append(self.semicolon())
    }

    fn members(&mut self, word: &str, members: &Enum) -> Doc<'a> {
        let head = self.token(Gap::Tight, word).append(self.copy(Gap::Space, members.name.span));
        let head = head.append(self.type_of(&members.ty));
        let one_line =
            members.members.last().is_some_and(|last| self.cursor.is_one_line(last.span.range().end));
        let last = members.members.len();
        head.append(self.block(one_line, &members.members, |this, index, member| {
            this.enum_member(member, index + 1 == last)
        }))
    }

    /// Formats `NAME = VALUE "text",`.
    fn enum_member(&mut self, member: &EnumMember, last: bool) -> Row<'a> {
        let name = self.copy(Gap::Tight, member.name.span);
        let text = |this: &mut Self| match &member.text {
            Some(text) => this.copy(Gap::Space, text.span),
            None => this.arena.nil(),
        };
        let Some(value) = member.value else {
            return Row::plain(name.append(text(self)).append(self.comma(last, true)));
        };
        let cell = self.assigned(value).append(text(self)).append(self.comma(last, true));
        Row::plain(name).aligned(member.name.value.len(), cell)
    }
}
