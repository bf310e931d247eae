//! The differences between two kernels that a session can notice.
//!
//! Release, version, origin and the number of CPUs belong to a machine and are not compared. Neither are the ids of
//! events: they are assigned in sequence, so that one more event shifts all later ones. Neither is the sign of strings:
//! since 6.2 the kernel is built with `-funsigned-char` (Makefile), which changes every `char[16]` and has no effect on
//! sessions.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use super::bytes::Bytes;
use super::error::ProfileError;
use super::facts::Facts;
use super::reader::Profile;
use super::writer::Contents;
use crate::escaped::Escaped;
use crate::format::{EventFormat, Field, FieldKind};
use crate::tables::features::Support;

/// The compared parts of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Names, numbers and lists.
    pub facts: Facts,
    /// The layouts by `system:name`.
    pub events: BTreeMap<String, EventFormat>,
}

impl Picture {
    /// Reads the kernel of a profile, with all its layouts.
    ///
    /// # Errors
    /// [`ProfileError`] if a part is damaged or a layout cannot be understood.
    pub fn of_profile<B: Bytes>(profile: &Profile<B>) -> Result<Self, ProfileError> {
        let mut kept = None;
        let index = profile.index();
        let mut events = BTreeMap::new();
        for (system, event) in index.all() {
            let Some(id) = index.find(system, &event.name) else { continue };
            let (name, format) = parsed(system, &event.name, &profile.format(id, &mut kept)?)?;
            events.insert(name, format);
        }
        Ok(Picture { facts: profile.facts().clone(), events })
    }

    /// Returns the kernel whose contents have just been read.
    ///
    /// # Errors
    /// [`ProfileError`] if a layout cannot be understood.
    pub fn of_contents(contents: &Contents) -> Result<Self, ProfileError> {
        let events = contents.events.iter().map(|event| parsed(&event.system, &event.name, &event.format));
        Ok(Picture { facts: contents.facts.clone(), events: events.collect::<Result<_, _>>()? })
    }
}

fn parsed(system: &str, name: &str, text: &str) -> Result<(String, EventFormat), ProfileError> {
    let full = format!("{system}:{name}");
    match EventFormat::parse(system, text) {
        Ok(format) => Ok((full, format)),
        Err(error) => Err(ProfileError::damaged(format!("the layout of {full}: {error}"))),
    }
}

/// All differences.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Single values.
    pub values: Vec<ValueDifference>,
    /// Lists of names: options, clocks, tracers, files.
    pub words: Vec<Words>,
    /// Features that only one of them has. A feature that is unknown for either is not compared.
    pub features: Vec<FeatureDifference>,
    /// Events that only the second has.
    pub added: Vec<String>,
    /// Events that only the first has.
    pub removed: Vec<String>,
    /// Events that both have, with different layouts.
    pub changed: Vec<EventDifference>,
}

/// A value that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ValueDifference {
    /// The name of the value.
    pub what: String,
    /// The value in the first kernel.
    pub before: String,
    /// The value in the second.
    pub after: String,
}

/// A feature that only one of the kernels has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FeatureDifference {
    /// Its name.
    pub feature: String,
    /// Whether the first kernel has it.
    pub before: Support,
    /// Whether the second has it.
    pub after: Support,
}

/// A list of names that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Words {
    /// The kind of names.
    pub of: String,
    /// Names that only the second kernel has.
    pub added: Vec<String>,
    /// Names that only the first has.
    pub removed: Vec<String>,
}

/// An event whose layout differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EventDifference {
    /// `system:name`.
    pub event: String,
    /// Its fields, in the first kernel's order.
    pub fields: Vec<FieldDifference>,
    /// Whether its `print fmt` differs.
    pub print_fmt: bool,
}

/// A field that differs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldDifference {
    /// Its name.
    pub field: String,
    /// Its layout in the first kernel; `None` if that lacks it.
    pub before: Option<FieldLayout>,
    /// Its layout in the second kernel; `None` if that lacks it.
    pub after: Option<FieldLayout>,
}

/// Type, offset, size and sign of a field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FieldLayout {
    /// The text of its type.
    #[serde(rename = "type")]
    pub type_text: String,
    /// Its offset in the record, bytes.
    pub offset: u32,
    /// Its size, bytes.
    pub size: u32,
    /// Whether it is signed; false for strings.
    pub signed: bool,
}

/// Compares two kernels; the difference leads from the first to the second.
pub fn diff(a: &Picture, b: &Picture) -> Difference {
    let events = |p: &Picture| p.events.keys().cloned().collect::<BTreeSet<_>>();
    let (of_a, of_b) = (events(a), events(b));
    let changed = a.events.iter().filter_map(|(name, before)| event(name, before, b.events.get(name)?));
    Difference {
        values: values(&a.facts, &b.facts),
        words: words(&a.facts, &b.facts),
        features: features(&a.facts, &b.facts),
        added: of_b.difference(&of_a).cloned().collect(),
        removed: of_a.difference(&of_b).cloned().collect(),
        changed: changed.collect(),
    }
}

fn values(a: &Facts, b: &Facts) -> Vec<ValueDifference> {
    let text = |text: &Option<String>| text.as_deref().unwrap_or("absent").to_owned();
    let rows = [
        ("arch", a.arch.clone(), b.arch.clone()),
        ("ABI of system calls", a.syscall_arch.clone(), b.syscall_arch.clone()),
        ("page size", a.page_size.to_string(), b.page_size.to_string()),
        ("little-endian", a.little_endian.to_string(), b.little_endian.to_string()),
        ("events/header_page", text(&a.header_page), text(&b.header_page)),
        ("events/header_event", text(&a.header_event), text(&b.header_event)),
    ];
    let differ = rows.into_iter().filter(|(_, a, b)| a != b);
    differ.map(|(what, before, after)| ValueDifference { what: what.to_owned(), before, after }).collect()
}

fn words(a: &Facts, b: &Facts) -> Vec<Words> {
    let lists = [
        ("tracers", Some(&a.tracers), Some(&b.tracers)),
        ("tracers of an instance", a.instance_tracers.as_ref(), b.instance_tracers.as_ref()),
        ("clocks", Some(&a.clocks), Some(&b.clocks)),
        ("options", Some(&a.options), Some(&b.options)),
        ("options of an instance", a.instance_options.as_ref(), b.instance_options.as_ref()),
        ("triggers", Some(&a.triggers), Some(&b.triggers)),
        ("files", Some(&a.files), Some(&b.files)),
        ("files of an instance", a.instance_files.as_ref(), b.instance_files.as_ref()),
        ("files of a CPU", Some(&a.cpu_files), Some(&b.cpu_files)),
    ];
    let differ = lists.into_iter().filter_map(|(of, a, b)| {
        let (a, b): (BTreeSet<_>, BTreeSet<_>) = (a?.iter().collect(), b?.iter().collect());
        let only =
            |x: &BTreeSet<&String>, y: &BTreeSet<&String>| x.difference(y).map(|&w| w.clone()).collect();
        (a != b).then(|| Words { of: of.to_owned(), added: only(&b, &a), removed: only(&a, &b) })
    });
    differ.collect()
}

fn features(a: &Facts, b: &Facts) -> Vec<FeatureDifference> {
    let names: BTreeSet<&String> = a.features.keys().chain(b.features.keys()).collect();
    let pairs = names.into_iter().map(|name| FeatureDifference {
        feature: name.clone(),
        before: a.feature(name),
        after: b.feature(name),
    });
    let known = |support: &Support| !matches!(support, Support::Unknown(_));
    pairs.filter(|pair| known(&pair.before) && known(&pair.after) && pair.before != pair.after).collect()
}

fn event(name: &str, before: &EventFormat, after: &EventFormat) -> Option<EventDifference> {
    let fields = fields(before, after);
    let print_fmt = before.print_fmt != after.print_fmt;
    let event = name.to_owned();
    (print_fmt || !fields.is_empty()).then_some(EventDifference { event, fields, print_fmt })
}

fn fields(before: &EventFormat, after: &EventFormat) -> Vec<FieldDifference> {
    let find = |format: &EventFormat, name: &str| format.fields.iter().find(|f| f.name == name).map(layout);
    let gone_or_changed = before.fields.iter().map(|f| (&f.name, Some(layout(f)), find(after, &f.name)));
    let new = after.fields.iter().filter(|f| find(before, &f.name).is_none());
    let all = gone_or_changed.chain(new.map(|f| (&f.name, None, Some(layout(f)))));
    all.filter(|(_, before, after)| before != after)
        .map(|(field, before, after)| FieldDifference { field: field.to_string(), before, after })
        .collect()
}

fn layout(field: &Field) -> FieldLayout {
    FieldLayout {
        type_text: field.type_text.to_string(),
        offset: field.offset,
        size: field.size,
        signed: field.signed && !is_text(&field.kind),
    }
}

fn is_text(kind: &FieldKind) -> bool {
    matches!(kind, FieldKind::CharArray | FieldKind::DynString | FieldKind::RelString | FieldKind::CharPtr)
}

impl Difference {
    /// Returns whether there is no difference.
    pub fn is_empty(&self) -> bool {
        *self == Difference::default()
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for ValueDifference { what, before, after } in &self.values {
            match before.contains('\n') || after.contains('\n') {
                true => writeln!(f, "~ {what} differs")?,
                false => {
                    let [before, after] = [before, after].map(|value| Escaped::text(value));
                    writeln!(f, "~ {what}: {before} -> {after}")?;
                }
            }
        }
        for words in &self.words {
            let removed = words.removed.iter().map(|word| format!(" -{}", Escaped::text(word)));
            let added = words.added.iter().map(|word| format!(" +{}", Escaped::text(word)));
            writeln!(f, "~ {}:{}", words.of, removed.chain(added).collect::<String>())?;
        }
        for FeatureDifference { feature, before, after } in &self.features {
            let [before, after] = [before, after].map(ToString::to_string);
            let [feature, before, after] = [feature, &before, &after].map(|text| Escaped::text(text));
            writeln!(f, "~ feature {feature}: {before} -> {after}")?;
        }
        for name in &self.removed {
            writeln!(f, "- {}", Escaped::text(name))?;
        }
        for name in &self.added {
            writeln!(f, "+ {}", Escaped::text(name))?;
        }
        for event in &self.changed {
            write!(f, "{event}")?;
        }
        Ok(())
    }
}

impl fmt::Display for EventDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let print = if self.print_fmt { "  (print fmt differs)" } else { "" };
        writeln!(f, "~ {}{print}", Escaped::text(&self.event))?;
        for FieldDifference { field, before, after } in &self.fields {
            match (before, after) {
                (Some(before), Some(after)) => writeln!(f, "    ~ {field}: {before} -> {after}")?,
                (Some(before), None) => writeln!(f, "    - {field}: {before}")?,
                (None, Some(after)) => writeln!(f, "    + {field}: {after}")?,
                (None, None) => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for FieldLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.signed { ", signed" } else { "" };
        write!(f, "{} at {}, {} bytes{sign}", Escaped::text(&self.type_text), self.offset, self.size)
    }
}
