//! `TRACE_EVENT(..)` of a kernel's header, translated to an event of the language.

use std::ops::Range;

use crate::error::TranslatedEvent;
use crate::lexer::{Kind, Token};
use crate::span::Source;

/// The longest translation, in bytes. A longer one would not be read in a message.
const LONGEST: usize = 4_000;

/// Returns the event of a text of one `TRACE_EVENT`. `None` if the text has anything else, or a part without an
/// equivalent.
///
/// An expression of `TP_fast_assign` becomes the value of its field. Where one has no equivalent, its statements stay
/// C, in `assign`. A `TP_printk` without an equivalent is left out: the fields are printed one after another then.
pub(crate) fn translated(source: Source<'_>, tokens: &[Token], one_liner: bool) -> Option<TranslatedEvent> {
    let event = Event::read(&Header { source, tokens })?;
    let texts = [event.with_values(), event.with_statements()].into_iter().flatten();
    let texts: Vec<String> = texts.filter(|text| text.len() <= LONGEST).collect();
    let types =
        event.params.into_iter().map(|(_, ty)| ty).chain(event.fields.into_iter().map(|field| field.ty));
    let word = |ty: String| {
        let word = ty.trim_start_matches('*').trim_start_matches("user ");
        word.split('[').next().unwrap_or_default().to_owned()
    };
    let types = types.map(word).collect();
    (!texts.is_empty()).then_some(TranslatedEvent { texts, types, in_file: !one_liner })
}

/// The tokens of a header.
struct Header<'t> {
    source: Source<'t>,
    tokens: &'t [Token],
}

impl<'t> Header<'t> {
    fn kind(&self, index: usize) -> Kind {
        self.tokens.get(index).map_or(Kind::End, |token| token.kind)
    }

    fn text(&self, index: usize) -> &'t str {
        self.tokens.get(index).map_or("", |token| self.source.slice(token.span))
    }

    /// Returns the text of some tokens, as it is written.
    fn verbatim(&self, range: &Range<usize>) -> &'t str {
        match self.tokens.get(range.clone()) {
            Some([first, .., last]) => self.source.slice(first.span.to(last.span)),
            Some([token]) => self.source.slice(token.span),
            _ => "",
        }
    }

    /// Returns the text of some tokens on one line.
    fn line(&self, range: &Range<usize>) -> String {
        self.verbatim(range).split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the parts of some tokens between separators outside of brackets. A last empty part is left out.
    fn split(&self, range: Range<usize>, separator: Kind) -> Vec<Range<usize>> {
        let (mut parts, mut start, mut depth) = (Vec::new(), range.start, 0usize);
        for index in range.clone() {
            match self.kind(index) {
                Kind::LParen | Kind::LBracket | Kind::LBrace => depth += 1,
                Kind::RParen | Kind::RBracket | Kind::RBrace => depth = depth.saturating_sub(1),
                kind if kind == separator && depth == 0 => {
                    parts.push(start..index);
                    start = index + 1;
                }
                _ => {}
            }
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }

    /// Returns the inside of the parentheses that open at `open`.
    fn inside(&self, open: usize) -> Option<Range<usize>> {
        let mut depth = 0usize;
        for index in open..self.tokens.len() {
            match self.kind(index) {
                Kind::LParen => depth += 1,
                Kind::RParen if depth == 1 => return Some(open + 1..index),
                Kind::RParen => depth = depth.checked_sub(1)?,
                _ if depth == 0 => return None,
                _ => {}
            }
        }
        None
    }

    /// Returns the inside of `name(..)`, if that is all.
    fn call(&self, range: &Range<usize>, name: &str) -> Option<Range<usize>> {
        let inside = self.inside(range.start + 1).filter(|_| self.text(range.start) == name)?;
        (inside.end + 1 == range.end).then_some(inside)
    }

    /// Returns a type of C in the order of the language: `*const char` for `const char *`.
    fn ty(&self, range: Range<usize>) -> Option<String> {
        let (mut stars, mut user, mut constant, mut words) = (String::new(), "", "", Vec::new());
        for index in range {
            match (self.kind(index), self.text(index)) {
                (Kind::Star, _) => stars.push('*'),
                (_, "__user") => user = "user ",
                (Kind::Const, _) => constant = "const ",
                (Kind::Struct | Kind::Union, word) if stars.is_empty() => words.push(word),
                (kind, word) if kind.is_name() && stars.is_empty() => words.push(word),
                _ => return None,
            }
        }
        // The value of an argument or field is constant anyway.
        let constant = if stars.is_empty() { "" } else { constant };
        (!words.is_empty()).then(|| format!("{stars}{user}{constant}{}", words.join(" ")))
    }

    /// Returns the text of strings next to each other, without their quotes.
    fn string(&self, range: &Range<usize>) -> Option<String> {
        let parts: Option<Vec<&str>> =
            range.clone().map(|index| self.text(index).strip_prefix('"')?.strip_suffix('"')).collect();
        Some(parts?.concat())
    }
}

/// A field of `TP_STRUCT__entry`.
struct Field {
    name: String,
    ty: String,
    kind: FieldKind,
    value: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum FieldKind {
    Integer,
    Array,
    /// Its value is a part of its declaration.
    Text,
}

/// An event that has been read.
struct Event {
    name: String,
    /// The arguments, `name` and type.
    params: Vec<(String, String)>,
    fields: Vec<Field>,
    /// The statements of `TP_fast_assign`, apart from those that copy texts.
    statements: Vec<String>,
    /// Whether each of the statements is the value of a field.
    only_values: bool,
    print: Option<String>,
}

impl Event {
    fn read(header: &Header<'_>) -> Option<Event> {
        let inside = header.inside(1).filter(|_| header.text(0) == "TRACE_EVENT")?;
        let behind = inside.end + 1..header.tokens.len();
        if !behind.into_iter().all(|index| header.kind(index) == Kind::Semicolon) {
            return None;
        }
        let parts = header.split(inside, Kind::Comma);
        let [name, proto, _, entry, assign, print] = parts.as_slice() else { return None };
        let mut event = Event {
            name: header.verbatim(name).to_owned(),
            params: params(header, header.call(proto, "TP_PROTO")?)?,
            fields: fields(header, header.call(entry, "TP_STRUCT__entry")?)?,
            statements: Vec::new(),
            only_values: true,
            print: None,
        };
        event.assign(header, header.call(assign, "TP_fast_assign")?);
        event.print = event.template(header, header.call(print, "TP_printk")?);
        Some(event)
    }

    fn assign(&mut self, header: &Header<'_>, body: Range<usize>) {
        for statement in header.split(body, Kind::Semicolon) {
            // A text is copied where it is declared.
            if matches!(header.text(statement.start), "__assign_str" | "__assign_str_len" | "__assign_vstr") {
                continue;
            }
            self.statements.push(format!("{};", header.verbatim(&statement)));
            match self.value(header, &statement) {
                Some((index, value)) if self.fields[index].value.is_none() => {
                    self.fields[index].value = Some(value);
                }
                _ => self.only_values = false,
            }
        }
    }

    /// Returns the field that a statement assigns, and the value.
    fn value(&self, header: &Header<'_>, statement: &Range<usize>) -> Option<(usize, String)> {
        let copied = header.call(statement, "memcpy").map(|inside| header.split(inside, Kind::Comma));
        let (kind, target, value) = match copied.as_deref() {
            Some([target, value, _]) => (FieldKind::Array, target.clone(), value.clone()),
            Some(_) => return None,
            None => {
                let target = statement.start..statement.start + 3;
                let is_assigned = header.kind(target.end) == Kind::Assign;
                let value = is_assigned.then_some(target.end + 1..statement.end)?;
                (FieldKind::Integer, target, value)
            }
        };
        let name = entry_field(header, &target)?;
        let index = self.fields.iter().position(|field| field.name == name && field.kind == kind)?;
        Some((index, self.expression(header, &value)?))
    }

    /// Returns an expression of the arguments, which the language has too.
    fn expression(&self, header: &Header<'_>, range: &Range<usize>) -> Option<String> {
        for index in range.clone() {
            let kind = header.kind(index);
            let name = header.text(index);
            let is_member = index > range.start && matches!(header.kind(index - 1), Kind::Arrow | Kind::Dot);
            let is_called = header.kind(index + 1) == Kind::LParen && name != "sizeof";
            let is_known = name == "current" || self.params.iter().any(|(param, _)| param == name);
            match kind {
                Kind::Broken | Kind::Str | Kind::LBrace | Kind::Assign | Kind::Question => return None,
                kind if kind.is_name() && !(is_member || is_called || is_known) => return None,
                _ => {}
            }
        }
        (range.start < range.end).then(|| header.line(range))
    }

    /// Returns the template that prints what `TP_printk` prints.
    fn template(&self, header: &Header<'_>, inside: Range<usize>) -> Option<String> {
        let parts = header.split(inside, Kind::Comma);
        let (format, arguments) = parts.split_first()?;
        let format = header.string(format)?;
        let mut arguments = arguments.iter();
        let (mut template, mut rest) = (String::new(), format.as_str());
        while let Some(at) = rest.find(['%', '{', '}']) {
            template.push_str(&rest[..at]);
            let sign = &rest[at..=at];
            rest = &rest[at + 1..];
            if sign != "%" {
                template.push_str(&sign.repeat(2));
            } else if let Some(behind) = rest.strip_prefix('%') {
                template.push('%');
                rest = behind;
            } else {
                let length = rest.find(|c: char| c.is_ascii_alphabetic())?;
                let (flags, letters) = rest.split_at(length);
                let letters = letters.trim_start_matches(['l', 'L', 'h', 'z']);
                let base = match letters.chars().next()? {
                    'd' | 'i' | 'u' | 's' if flags.is_empty() => "",
                    'x' if flags.is_empty() => ":x",
                    'x' if flags == "#" => ":#x",
                    _ => return None,
                };
                rest = &letters[1..];
                let field = self.printed(header, arguments.next()?)?;
                template.push_str(&format!("{{{field}{base}}}"));
            }
        }
        template.push_str(rest);
        arguments.next().is_none().then_some(template)
    }

    /// Returns the field that an argument of `TP_printk` names: `__entry->f`, `(unsigned int)__entry->f`,
    /// `__get_str(f)`.
    fn printed(&self, header: &Header<'_>, argument: &Range<usize>) -> Option<String> {
        let mut argument = argument.clone();
        if header.kind(argument.start) == Kind::LParen {
            let cast = header.inside(argument.start)?;
            argument.start = cast.end + 1;
            header.ty(cast)?;
        }
        let name = match header.call(&argument, "__get_str") {
            Some(inside) => header.verbatim(&inside),
            None => entry_field(header, &argument)?,
        };
        self.fields.iter().any(|field| field.name == name).then(|| name.to_owned())
    }

    /// Returns the event whose fields have values.
    fn with_values(&self) -> Option<String> {
        let value = |field: &Field| match &field.value {
            Some(value) if *value == field.name => Some(String::new()),
            Some(value) => Some(format!(" = {value}")),
            // An argument of its name is its value.
            None => self.params.iter().any(|(name, _)| *name == field.name).then(String::new),
        };
        let values: Option<Vec<String>> = self.fields.iter().map(value).collect();
        self.only_values.then(|| self.written(&values?, ""))?
    }

    /// Returns the event whose fields are assigned in C.
    fn with_statements(&self) -> Option<String> {
        let value = |field: &Field| match (&field.value, field.kind) {
            (Some(value), FieldKind::Text) => format!(" = {value}"),
            _ => String::new(),
        };
        let values: Vec<String> = self.fields.iter().map(value).collect();
        let statements = self.statements.join(" ");
        let has_value = |Field { name, kind, .. }: &Field| {
            *kind == FieldKind::Text
                || statements.contains(&format!("__entry->{name}"))
                || self.params.iter().any(|(param, _)| param == name)
        };
        if !self.fields.iter().all(has_value) {
            return None;
        }
        (!statements.contains('`')).then(|| self.written(&values, &format!(" assign `{statements}`")))?
    }

    /// Returns the file with the event, on one line.
    fn written(&self, values: &[String], assign: &str) -> Option<String> {
        let params: Vec<String> = self.params.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
        let fields = self.fields.iter().zip(values);
        let fields: Vec<String> =
            fields.map(|(Field { name, ty, .. }, value)| format!("{name}: {ty}{value};")).collect();
        let print = self.print.as_ref().map_or_else(String::new, |print| format!(" print \"{print}\""));
        let (params, fields) = (params.join(", "), fields.join(" "));
        // The system is the one that the header defines elsewhere.
        let Event { name, .. } = self;
        Some(format!(
            "subsystem my_system; event {name} {{ proto ({params}) entry {{ {fields} }}{assign}{print} }}"
        ))
    }
}

/// Returns the field of `__entry->f`.
fn entry_field<'t>(header: &Header<'t>, range: &Range<usize>) -> Option<&'t str> {
    let is_member = header.text(range.start) == "__entry"
        && header.kind(range.start + 1) == Kind::Arrow
        && range.len() == 3;
    is_member.then(|| header.text(range.start + 2))
}

fn params(header: &Header<'_>, inside: Range<usize>) -> Option<Vec<(String, String)>> {
    if header.verbatim(&inside) == "void" {
        return Some(Vec::new());
    }
    let param = |range: Range<usize>| {
        let name = range.end.checked_sub(1).filter(|name| header.kind(*name).is_name())?;
        Some((header.text(name).to_owned(), header.ty(range.start..name)?))
    };
    header.split(inside, Kind::Comma).into_iter().map(param).collect()
}

fn fields(header: &Header<'_>, inside: Range<usize>) -> Option<Vec<Field>> {
    let (mut fields, mut at) = (Vec::new(), inside.start);
    while at < inside.end {
        let arguments = header.inside(at + 1)?;
        let parts = header.split(arguments.clone(), Kind::Comma);
        let text = |range: &Range<usize>| header.verbatim(range).to_owned();
        fields.push(match (header.text(at), parts.as_slice()) {
            ("__field" | "__field_struct", [ty, name]) | ("__field_ext", [ty, name, _]) => {
                Field { name: text(name), ty: header.ty(ty.clone())?, kind: FieldKind::Integer, value: None }
            }
            ("__array", [ty, name, length]) => {
                let ty = format!("{}[{}]", header.ty(ty.clone())?, header.line(length));
                Field { name: text(name), ty, kind: FieldKind::Array, value: None }
            }
            ("__string", [name, value]) => Field {
                name: text(name),
                ty: "string".to_owned(),
                kind: FieldKind::Text,
                value: Some(header.line(value)),
            },
            ("__string_len", [name, value, length]) => Field {
                name: text(name),
                ty: "string".to_owned(),
                kind: FieldKind::Text,
                value: Some(format!("({}, {})", header.line(value), header.line(length))),
            },
            ("__vstring", [name, format, arguments]) => Field {
                name: text(name),
                ty: "string".to_owned(),
                kind: FieldKind::Text,
                value: Some(va_format(header, format, arguments)?),
            },
            _ => return None,
        });
        at = arguments.end + 1;
    }
    Some(fields)
}

/// Returns `vaf` of `vaf->fmt` and `vaf->va`.
fn va_format(header: &Header<'_>, format: &Range<usize>, arguments: &Range<usize>) -> Option<String> {
    let of_member = |range: &Range<usize>, member: &str| {
        let is_member = range.len() == 3
            && header.kind(range.start + 1) == Kind::Arrow
            && header.text(range.start + 2) == member;
        is_member.then(|| header.text(range.start))
    };
    let vaf = of_member(format, "fmt")?;
    (of_member(arguments, "va")? == vaf).then(|| vaf.to_owned())
}
