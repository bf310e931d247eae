//! The generator of forms: what it takes of any type, and the implementations for the types that forms are made of.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use smol_str::SmolStr;
use tracec_grammar::span::{FileId, Span, Spanned};
use tracec_kernel::plan::InstanceName;

use super::random::Random;

/// A type of which values can be generated and changed.
pub(super) trait Form: Sized {
    /// Returns a value.
    fn any(random: &mut Random) -> Self;

    /// Changes one part of the value; now and then to the same.
    fn vary(&mut self, random: &mut Random) {
        *self = Form::any(random);
    }
}

/// A change of a part.
pub(super) type Change<'a> = Box<dyn FnMut(&mut Random) + 'a>;

/// Makes one of some changes; `None` if there are none.
pub(super) fn one_of(mut changes: Vec<Change<'_>>, random: &mut Random) -> Option<()> {
    let chosen = if changes.is_empty() { None } else { Some(random.below(changes.len())) };
    changes[chosen?](random);
    Some(())
}

/// Implements [`Form`] for structs, each with all of its fields.
macro_rules! structs {
    ($($name:ident { $($field:ident),* $(,)? })*) => {$(
        impl Form for $name {
            fn any(random: &mut Random) -> Self {
                $name { $($field: Form::any(random)),* }
            }

            fn vary(&mut self, random: &mut Random) {
                let $name { $($field),* } = self;
                let changes: Vec<Change<'_>> = vec![$(Box::new(|random| Form::vary($field, random))),*];
                one_of(changes, random);
            }
        }
    )*};
}

/// Implements [`Form`] for enumerations, each with all of its variants and their parts.
macro_rules! enums {
    ($($name:ident { $($variant:ident $(($($part:ident),*))? $({ $($field:ident),* })?),* $(,)? })*) => {$(
        impl Form for $name {
            fn any(random: &mut Random) -> Self {
                let count = [$(stringify!($variant)),*].len();
                let chosen = random.below(count);
                let mut index = 0..;
                $(
                    if index.next() == Some(chosen) {
                        return $name::$variant
                            $(($({ let $part = Form::any(random); $part }),*))?
                            $({ $($field: Form::any(random)),* })?;
                    }
                )*
                unreachable!("one of the variants is chosen")
            }

            fn vary(&mut self, random: &mut Random) {
                let changed = match self {
                    _ if random.once_in(4) => None,
                    $(
                        $name::$variant $(($($part),*))? $({ $($field),* })? => {
                            let changes: Vec<Change<'_>> = vec![
                                $($(Box::new(|random: &mut Random| Form::vary($part, random)),)*)?
                                $($(Box::new(|random: &mut Random| Form::vary($field, random)),)*)?
                            ];
                            one_of(changes, random)
                        }
                    )*
                };
                if changed.is_none() {
                    *self = Form::any(random);
                }
            }
        }
    )*};
}

/// Implements [`Form`] for types of which some values are listed.
macro_rules! listed {
    ($($type:ty: $values:expr;)*) => {$(
        impl Form for $type {
            fn any(random: &mut Random) -> Self {
                let values = $values;
                random.pick(&values[..])
            }
        }
    )*};
}

pub(super) use {enums, listed, structs};

/// Texts that a dump could mistake for its own, or for each other.
const TEXTS: [&str; 26] = [
    "",
    "a",
    "b",
    "ab",
    "a b",
    "a:b",
    "a\n",
    "a\\n",
    "\n",
    "\u{1b}[2J",
    "\"\\u{1b}[2J\"",
    "a\r",
    "\u{9b}a\n",
    "\"",
    "\\\"",
    ", ",
    "(",
    "[",
    "{",
    "}",
    "),",
    "| a",
    "None",
    "  clock: \"a\"",
    "a at Span(0:0..0)",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

listed! {
    bool: [false, true];
    u8: [0, 1, 32, 128];
    u16: [0, 1, 300];
    u32: [0, 1, 2, 4, 8, 10, 12, u32::MAX];
    u64: [0, 1, 10, 12, u64::MAX];
    usize: [0, 1, 2, 10, 12];
    i64: [0, 1, -1, i64::MIN];
    i128: [0, 1, -1, 10, 12, i64::MIN.into(), u64::MAX.into()];
    &'static str: TEXTS;
    Duration: [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(1500), Duration::from_secs(2)];
    FileId: [FileId(0), FileId(1)];
    InstanceName: ["a", "b", "tracec.a"].map(|name| InstanceName::new(name).expect("a name"));
}

impl Form for String {
    fn any(random: &mut Random) -> Self {
        random.pick(&TEXTS).to_owned()
    }
}

impl Form for SmolStr {
    fn any(random: &mut Random) -> Self {
        random.pick(&TEXTS).into()
    }
}

structs! {
    Span { file, start, end }
}

/// Implements [`Form`] for slices that are shared.
macro_rules! shared {
    ($($pointer:ident),*) => {$(
        impl<T: Form + Clone> Form for $pointer<[T]> {
            fn any(random: &mut Random) -> Self {
                Vec::any(random).into()
            }

            fn vary(&mut self, random: &mut Random) {
                let mut items = self.to_vec();
                items.vary(random);
                *self = items.into();
            }
        }
    )*};
}

shared! { Rc, Arc }

impl<T: Form> Form for Spanned<T> {
    fn any(random: &mut Random) -> Self {
        Spanned { value: Form::any(random), span: Form::any(random) }
    }

    fn vary(&mut self, random: &mut Random) {
        let Spanned { value, span } = self;
        if random.once_in(2) { value.vary(random) } else { span.vary(random) }
    }
}

impl<T: Form> Form for Range<T> {
    fn any(random: &mut Random) -> Self {
        T::any(random)..T::any(random)
    }

    fn vary(&mut self, random: &mut Random) {
        let Range { start, end } = self;
        if random.once_in(2) { start.vary(random) } else { end.vary(random) }
    }
}

impl<T: Form> Form for Option<T> {
    fn any(random: &mut Random) -> Self {
        if random.once_in(2) { Some(T::any(random)) } else { None }
    }

    fn vary(&mut self, random: &mut Random) {
        match self {
            Some(value) if !random.once_in(4) => value.vary(random),
            Some(_) => *self = None,
            None => *self = Some(T::any(random)),
        }
    }
}

impl<T: Form> Form for Vec<T> {
    fn any(random: &mut Random) -> Self {
        (0..random.below(3)).map(|_| T::any(random)).collect()
    }

    fn vary(&mut self, random: &mut Random) {
        match random.below(6) {
            0 => self.push(T::any(random)),
            1 => drop(self.pop()),
            _ if self.is_empty() => self.push(T::any(random)),
            _ => {
                let index = random.below(self.len());
                self[index].vary(random);
            }
        }
    }
}

impl<T: Form> Form for Box<T> {
    fn any(random: &mut Random) -> Self {
        Box::new(T::any(random))
    }

    fn vary(&mut self, random: &mut Random) {
        (**self).vary(random);
    }
}

impl<A: Form, B: Form> Form for (A, B) {
    fn any(random: &mut Random) -> Self {
        (A::any(random), B::any(random))
    }

    fn vary(&mut self, random: &mut Random) {
        if random.once_in(2) { self.0.vary(random) } else { self.1.vary(random) }
    }
}

impl<K: Form + Ord, V: Form> Form for BTreeMap<K, V> {
    fn any(random: &mut Random) -> Self {
        (0..random.below(2)).map(|_| Form::any(random)).collect()
    }

    fn vary(&mut self, random: &mut Random) {
        match self.values_mut().next() {
            Some(value) if !random.once_in(3) => value.vary(random),
            _ => drop(self.insert(K::any(random), V::any(random))),
        }
    }
}

impl<T: Form + Ord> Form for BTreeSet<T> {
    fn any(random: &mut Random) -> Self {
        (0..random.below(3)).map(|_| Form::any(random)).collect()
    }

    fn vary(&mut self, random: &mut Random) {
        self.insert(T::any(random));
    }
}
