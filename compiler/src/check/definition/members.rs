//! Members behind an argument of a probe: `task->real_parent->pid`, as the kernel's own types have them.
//!
//! The kernel writes these in the same way (`parse_btf_arg` in kernel/trace/trace_probe.c). Here a path becomes the
//! dereferences that lead to the value, with the offsets of the kernel that the session is for.

use tracec_grammar::span::Span;
use tracec_kernel::btf::{Access, Btf, Leaf, Shape, Step, TypeId};
use tracec_kernel::format::IntegerType;
use tracec_kernel::nearest::nearest;
use tracec_kernel::tables::fetch_types::{self, BitField};
use tracec_kernel::tables::limits;

use super::context::Context;
use crate::diagnostic::{Diagnostic, codes};
use crate::ir::definition::{
    CType, Dereference, FetchArgument, FetchedElement, FetchedType, FirstValue, TypeKind,
};

/// What a path leads to.
pub(super) struct Found {
    /// How the value is reached.
    pub(super) fetch: FetchArgument,
    /// Where it is text behind a pointer: how the pointer is reached.
    pub(super) pointer: Option<FetchArgument>,
    /// Its type in the language.
    pub(super) ty: CType,
    /// Its type in the record.
    pub(super) fetched: FetchedType,
}

/// A part of a path: `->name`, `.name` or `[3]`.
enum Part<'t> {
    Arrow(&'t str),
    Dot(&'t str),
    Index(u32),
}

/// Returns whether a fetch argument is a path, and none of the kernel's older forms.
pub(super) fn is_path(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
}

/// Returns the name that a path begins with.
pub(super) fn root(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

/// Follows a path from a value that is a pointer of the type `c`.
///
/// # Errors
/// The diagnostic at the part that is not there, or leads nowhere.
pub(super) fn follow(
    text: &str,
    span: Span,
    (first, c): (FirstValue, &str),
    context: &mut Context<'_, '_>,
) -> Result<Found, Box<Diagnostic>> {
    let wrong =
        |at: std::ops::Range<usize>, what: &str| Box::new(codes::bad_fetch::bad_fetch(span.part(at), what));
    let name = root(text);
    let pointee = aggregate(c).ok_or_else(|| {
        wrong(
            0..name.len(),
            &format!("`{c}` is not a pointer to one struct: members are behind `*struct NAME`"),
        )
    })?;
    let parts = parts(text, name.len())
        .map_err(|at| wrong(at..text.len(), "expected `->MEMBER`, `.MEMBER` or `[NUMBER]`"))?;
    let kernel = context.kernel.describe();
    let types = context.types().map_err(|why| wrong(0..text.len(), &why))?;
    let start = types.aggregate(pointee).ok_or_else(|| {
        wrong(0..name.len(), &format!("{kernel} has no type `struct {pointee}` with members"))
    })?;
    let mut path = Path {
        root: start,
        ty: start,
        offset: 0,
        steps: Vec::new(),
        bits: None,
        is_address: true,
        dereferences: Vec::new(),
    };
    for (at, part) in parts {
        path.step(types, &part).map_err(|(what, near)| {
            let said = *wrong(at, &what);
            Box::new(match near {
                Some(near) => said.help(format!("a member with a similar name exists: `{near}`")),
                None => said,
            })
        })?;
    }
    path.end(types, first, span).map_err(|what| wrong(0..text.len(), &what))
}

/// A path as far as it was followed.
struct Path {
    /// The type that the last address points to.
    root: TypeId,
    ty: TypeId,
    /// The offset in bytes from that address.
    offset: u64,
    /// The steps from there.
    steps: Vec<Step>,
    /// The first bit and the width of a bit field, from `offset`.
    bits: Option<(u32, u32)>,
    /// Whether `ty` is what the pointer that was reached points to, and not what is there.
    is_address: bool,
    /// The reads that lead to the address, the first first.
    dereferences: Vec<Dereference>,
}

impl Path {
    /// Follows one part. Else returns why not, and a name that is similar.
    fn step(&mut self, types: &Btf, part: &Part<'_>) -> Result<(), (String, Option<String>)> {
        if self.bits.is_some() {
            return Err(("a bit field has no parts".to_owned(), None));
        }
        let is_start = std::mem::take(&mut self.is_address);
        match *part {
            Part::Index(index) => match types.shape(self.ty) {
                Shape::Array { element, count } if index < count && !is_start => {
                    let bytes = types.size(element).unwrap_or(0);
                    self.offset += u64::from(bytes) * u64::from(index);
                    self.steps.push(Step::Element { index, bytes });
                    self.ty = element;
                    Ok(())
                }
                Shape::Array { count, .. } if !is_start => {
                    Err((format!("the array has {count} elements"), None))
                }
                _ => Err(("this is not an array".to_owned(), None)),
            },
            Part::Arrow(name) => {
                if !is_start {
                    let to = match types.shape(self.ty) {
                        Shape::Pointer(to) => to,
                        Shape::Aggregate { .. } => {
                            let why = "this is not a pointer: its members are behind `.`";
                            return Err((why.to_owned(), None));
                        }
                        _ => return Err(("this has no members".to_owned(), None)),
                    };
                    self.dereference(types, Leaf::Pointer)?;
                    (self.root, self.ty) = (to, to);
                }
                self.member(types, name)
            }
            Part::Dot(_) if is_start || matches!(types.shape(self.ty), Shape::Pointer(_)) => {
                Err(("this is a pointer: its members are behind `->`".to_owned(), None))
            }
            Part::Dot(name) => self.member(types, name),
        }
    }

    fn member(&mut self, types: &Btf, name: &str) -> Result<(), (String, Option<String>)> {
        let Shape::Aggregate { id, name: of, .. } = types.shape(self.ty) else {
            return Err(("this has no members".to_owned(), None));
        };
        let Some(member) = types.member(id, name) else {
            let members = types.members(id);
            let near = nearest(name, members.iter().copied(), 1).first().map(|near| (*near).to_owned());
            let of = if of.is_empty() { "this struct".to_owned() } else { format!("`{of}`") };
            return Err((format!("{of} has no member `{name}`"), near));
        };
        self.ty = member.ty;
        self.steps.push(Step::Member {
            name: name.to_owned(),
            bit_offset: member.bit_offset,
            bit_width: member.bit_width,
        });
        match member.bit_width {
            None => self.offset += u64::from(member.bit_offset / 8),
            Some(width) => {
                // The unit of storage that holds it, as C would read it.
                let unit = types.size(member.ty).unwrap_or(4) * 8;
                self.offset += u64::from(member.bit_offset / unit * unit / 8);
                self.bits = Some((member.bit_offset % unit, width));
            }
        }
        Ok(())
    }

    /// Adds the read of what is reached.
    fn dereference(&mut self, types: &Btf, leaf: Leaf) -> Result<(), (String, Option<String>)> {
        let (root, name) = types.root(self.root).ok_or_else(|| {
            ("this is behind a struct without a name, which no other kernel could find".to_owned(), None)
        })?;
        let offset = i64::try_from(std::mem::take(&mut self.offset)).unwrap_or(i64::MAX);
        let steps = std::mem::take(&mut self.steps);
        let access = Some(Access { root, name: name.to_owned(), steps, leaf });
        self.dereferences.push(Dereference { offset, user: false, access });
        Ok(())
    }

    /// Returns the value at the end.
    fn end(mut self, types: &Btf, first: FirstValue, span: Span) -> Result<Found, String> {
        let listed = |name: &str| fetch_types::find(name).map(FetchedType::from);
        let integer = |bytes, signed| {
            let listed = fetch_types::of_integer(bytes, signed);
            listed.map(|ty| (TypeKind::Int(IntegerType { bytes, signed }), ty.shown.to_owned(), ty.into()))
        };
        let text = || Some((TypeKind::Text { user: false }, "char".to_owned(), listed("string")?));
        let is_char = |ty| matches!(types.shape(ty), Shape::Int { is_char: true, .. });
        let mut is_text_behind = false;
        let leaf = match types.shape(self.ty) {
            // A bit field is recorded as unsigned, as by the kernel's own probes.
            Shape::Int { bytes, signed, is_bool, .. } => {
                Leaf::Int { bytes, signed: signed && !is_bool && self.bits.is_none() }
            }
            Shape::Enum { bytes, signed } => Leaf::Enum { bytes, signed },
            Shape::Array { count, .. } => Leaf::Text(count),
            _ => Leaf::Pointer,
        };
        let found = match (types.shape(self.ty), self.bits) {
            (Shape::Int { bytes, .. } | Shape::Enum { bytes, .. }, Some((offset, width))) => {
                let field = BitField { width, offset, container: 8 * bytes };
                let fetched = FetchedType { element: FetchedElement::Bits(field), count: None };
                let c = field.recorded().map(|ty| ty.shown.to_owned());
                c.map(|c| (TypeKind::Int(IntegerType { bytes, signed: false }), c, fetched))
            }
            (Shape::Int { bytes, signed, is_bool, .. }, None) => integer(bytes, signed && !is_bool),
            (Shape::Enum { bytes, signed }, None) => integer(bytes, signed),
            (Shape::Pointer(to), None) if is_char(to) => {
                is_text_behind = true;
                text()
            }
            (Shape::Pointer(_), None) => listed("x64").map(|fetched| {
                (TypeKind::Pointer { user: false, text: false, to: None }, "void *".to_owned(), fetched)
            }),
            (Shape::Array { element, .. }, None) if is_char(element) => text(),
            (Shape::Array { .. }, None) => {
                return Err("an array is recorded by its elements: `[0]`".to_owned());
            }
            (Shape::Aggregate { .. }, None) => {
                return Err("a struct is recorded by its members: `.MEMBER`".to_owned());
            }
            _ => None,
        };
        let (kind, c, fetched) =
            found.ok_or("a probe fetches integers, addresses and text; this is something else")?;
        self.dereference(types, leaf).map_err(|(why, _)| why)?;
        let pointer = is_text_behind.then(|| self.dereferences.iter().rev().cloned().collect());
        let pointer = pointer.map(|dereferences| FetchArgument { first: first.clone(), dereferences });
        if is_text_behind {
            // What the pointer leads to has no members.
            self.dereferences.push(Dereference { offset: 0, user: false, access: None });
        }
        if self.dereferences.len() > limits::FETCH_DEREFERENCES {
            return Err("more dereferences than the kernel follows".to_owned());
        }
        // Outermost first.
        let dereferences = self.dereferences.into_iter().rev().collect();
        Ok(Found {
            fetch: FetchArgument { first, dereferences },
            pointer,
            ty: CType { kind, c, span },
            fetched,
        })
    }
}

/// Returns the name of the struct or union that `struct NAME *` points to.
fn aggregate(c: &str) -> Option<&str> {
    let base = c.strip_suffix('*')?.trim();
    let base = base.strip_prefix("const ").unwrap_or(base);
    let name = base.strip_prefix("struct ").or(base.strip_prefix("union "))?.trim();
    name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_').then_some(name)
}

/// A part of a path and where it is in the text.
type Placed<'t> = (std::ops::Range<usize>, Part<'t>);

/// Returns the parts of a path from a byte on; an error is the byte at which none begins.
fn parts(text: &str, mut at: usize) -> Result<Vec<Placed<'_>>, usize> {
    let mut parts = Vec::new();
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let start = at;
        let part = if let Some(index) = rest.strip_prefix('[') {
            let end = index.find(']').ok_or(at)?;
            at += end + 2;
            Part::Index(index.get(..end).and_then(|digits| digits.parse().ok()).ok_or(start)?)
        } else {
            let (sign, is_arrow) = if rest.starts_with("->") { (2, true) } else { (1, false) };
            if !is_arrow && !rest.starts_with('.') {
                return Err(at);
            }
            let name = root(rest.get(sign..).unwrap_or_default());
            if name.is_empty() {
                return Err(at);
            }
            at += sign + name.len();
            if is_arrow { Part::Arrow(name) } else { Part::Dot(name) }
        };
        parts.push((start..at, part));
    }
    if parts.is_empty() { Err(at) } else { Ok(parts) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(text: &str) -> Result<Vec<String>, usize> {
        let parts = parts(text, root(text).len())?;
        let shown = |(at, part): Placed<'_>| match part {
            Part::Arrow(name) => format!("{at:?} -> {name}"),
            Part::Dot(name) => format!("{at:?} . {name}"),
            Part::Index(index) => format!("{at:?} [] {index}"),
        };
        Ok(parts.into_iter().map(shown).collect())
    }

    #[test]
    fn path_is_read_part_by_part() {
        assert_eq!(
            spelled("task->mask.bits[3]"),
            Ok(vec!["4..10 -> mask".into(), "10..15 . bits".into(), "15..18 [] 3".into()])
        );
        for (text, at) in
            [("t->", 1), ("t", 1), ("t->a[", 4), ("t->a[x]", 4), ("t->a+b", 4), ("t-a", 1), ("t..a", 1)]
        {
            assert_eq!(spelled(text), Err(at), "{text}");
        }
    }

    #[test]
    fn only_a_pointer_to_one_struct_has_members() {
        for (c, name) in [
            ("struct task_struct *", Some("task_struct")),
            ("const struct path *", Some("path")),
            ("union sigval *", Some("sigval")),
            ("struct task_struct **", None),
            ("struct task_struct", None),
            ("char *", None),
            ("void *", None),
            ("pid_t", None),
        ] {
            assert_eq!(aggregate(c), name, "{c}");
        }
    }
}
