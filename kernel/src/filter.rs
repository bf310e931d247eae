//! The features of a kernel's event filter that differ between kernels.
//!
//! The filter's language itself, as a parser and an evaluator, is in the crate `tracec-oracle`, which only tests use.

use thiserror::Error;

use crate::tables::features::Support;

/// The features of a kernel's event filter: one field per difference between kernels.
///
/// Everything else is the same in 6.1.192, 6.12.117 and 6.18.44: the sources of the first two were compared line by
/// line, and the third was tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Model {
    /// `FIELD.ustring` follows a `char *` to user memory. Else `.` behind the name is an "Invalid operator".
    ///
    /// Since 5.17: `str_has_prefix(str + i, ".ustring")` in `parse_pred`. The feature `filter-ustring` shows it.
    pub user_text: bool,
    /// `FIELD.function == NAME` compares with the addresses of a function. Else `.` is an "Invalid operator".
    ///
    /// Since 6.4: `str_has_prefix(str + i, ".function")` in `parse_pred`. The feature `filter-function` shows it.
    pub functions: bool,
    /// `CPUS{0-3}` is a value, and `__data_loc cpumask_t` a kind of field. Else `CPUS` is an "Invalid value".
    ///
    /// Since 6.6: `strncmp(str + i, "CPUS", 4)` in `parse_pred`. The feature `filter-cpus` shows it.
    pub cpu_lists: bool,
    /// The generic fields `stacktrace` and `STACKTRACE` can be named; no comparison of them is true.
    ///
    /// Since 6.4: `__generic_field(char *, stacktrace, FILTER_STACKTRACE)` in `trace_define_generic_fields`
    /// (kernel/trace/trace_events.c). The feature `filter-stacktrace` shows it.
    pub stacktrace: bool,
    /// A filter may end in `&&` or `||`, which is ignored. Else it is a "Meaningless filter expression".
    ///
    /// Until some stable kernels, 6.1.192 and 6.12.117 among them: after the loop of `predicate_parse` these refuse any
    /// text with a comparison (`FILT_ERR_INVALID_FILTER`). The feature `filter-dangling-connector` shows it.
    pub dangling_connector: bool,
    /// The length of the field limits a glob, and an exact operand that is longer than the field differs from it.
    ///
    /// Else a glob reads up to a NUL (`glob_match` in `regex_match_glob`), and an operand equals a field that is a
    /// prefix of it (`regex_match_full` without `len < r->len`). That shows only where a field does not end in a NUL,
    /// as `unsigned char addr[6]`, or has the length 0.
    ///
    /// Since some stable kernels, 6.1.192, 6.12.117 and 6.18.44 among them, but not in 6.18.35. The function
    /// `glob_match_len` (lib/glob.c), by which the feature `filter-bounded-text` is detected, came with the first of
    /// these changes.
    pub bounded_text: bool,
    /// An inverted class of a glob matches the NUL that ends the string: `~ "ab[!x]"` matches `ab`, and the rest of the
    /// pattern is matched with the bytes after the NUL. Else such a class has to match a byte of the string.
    ///
    /// Up to some kernel before 6.12: `case '['` of `glob_match` (lib/glob.c) without `c == '\0'`. The feature
    /// `filter-class-takes-nul` shows it.
    pub class_takes_nul: bool,
    /// The number of possible CPUs, `nr_cpu_ids`: a list that names a greater number is an "Invalid cpulist". `None`
    /// where it is not known; then no list of CPUs is taken to be valid.
    ///
    /// It is a property of the machine, and not a feature.
    pub cpus: Option<u32>,
}

/// The field of a [`Model`] that holds a difference.
type Difference = fn(&mut Model) -> &mut bool;

/// The feature that shows each difference.
const FEATURES: [(&str, Difference); 7] = [
    ("filter-ustring", |model| &mut model.user_text),
    ("filter-function", |model| &mut model.functions),
    ("filter-cpus", |model| &mut model.cpu_lists),
    ("filter-stacktrace", |model| &mut model.stacktrace),
    ("filter-dangling-connector", |model| &mut model.dangling_connector),
    ("filter-bounded-text", |model| &mut model.bounded_text),
    ("filter-class-takes-nul", |model| &mut model.class_takes_nul),
];

/// A feature of a kernel that is not known, so that its filter cannot be modelled.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("whether the kernel has the feature `{feature}` is not known: {reason}")]
pub struct UnknownFeature {
    /// The feature, of [`features`](crate::tables::features).
    pub feature: &'static str,
    /// Why it is not known.
    pub reason: String,
}

impl Model {
    /// The filter of 6.1.192 of Debian 12.
    pub const LINUX_6_1: Model = Model {
        user_text: true,
        functions: false,
        cpu_lists: false,
        stacktrace: false,
        dangling_connector: false,
        bounded_text: true,
        class_takes_nul: true,
        cpus: None,
    };

    /// The filter of 6.12.117 of Debian 12's backports.
    pub const LINUX_6_12: Model = Model {
        functions: true,
        cpu_lists: true,
        stacktrace: true,
        class_takes_nul: false,
        ..Model::LINUX_6_1
    };

    /// The filter of 6.18.44.
    pub const LINUX_6_18: Model = Model { dangling_connector: true, ..Model::LINUX_6_12 };

    /// The features that all kernels have, and for each other difference the side that asks for more care: a text that
    /// is valid for this model is valid for every kernel. No real kernel is like this.
    pub const LEAST: Model = Model {
        user_text: false,
        functions: false,
        cpu_lists: false,
        stacktrace: false,
        dangling_connector: false,
        bounded_text: false,
        class_takes_nul: true,
        cpus: None,
    };

    /// Returns the model that texts are written for where `has` does not know all features: unknown features are as in
    /// [`LEAST`](Self::LEAST).
    pub fn careful(has: impl Fn(&str) -> Support) -> Model {
        let mut model = Model::LEAST;
        for (feature, difference) in FEATURES {
            match has(feature) {
                Support::Yes => *difference(&mut model) = true,
                Support::No => *difference(&mut model) = false,
                Support::Unknown(_) => {}
            }
        }
        model
    }

    /// Returns the model of a kernel from its features; `has` knows them by their names in
    /// [`features`](crate::tables::features).
    ///
    /// # Errors
    /// [`UnknownFeature`] if one is not known: a guess would give the model of another kernel.
    pub fn of(has: impl Fn(&str) -> Support) -> Result<Model, UnknownFeature> {
        let mut model = Model::LEAST;
        for (feature, difference) in FEATURES {
            *difference(&mut model) = match has(feature) {
                Support::Yes => true,
                Support::No => false,
                Support::Unknown(reason) => return Err(UnknownFeature { feature, reason }),
            };
        }
        Ok(model)
    }

    /// Returns whether the kernel has a feature of [`features`](crate::tables::features); `None` if its filter does not
    /// depend on it.
    pub fn has(mut self, feature: &str) -> Option<bool> {
        let (_, difference) = FEATURES.iter().find(|(name, _)| *name == feature)?;
        Some(*difference(&mut self))
    }
}

#[cfg(test)]
mod tests {
    use super::{Model, UnknownFeature};
    use crate::tables::features::{self, Support};

    /// A field of the model.
    type Has = fn(&Model) -> bool;

    /// Each feature and its field, written out again: the table in the code could have two of them exchanged.
    const FIELDS: [(&str, Has); 7] = [
        ("filter-ustring", |model| model.user_text),
        ("filter-function", |model| model.functions),
        ("filter-cpus", |model| model.cpu_lists),
        ("filter-stacktrace", |model| model.stacktrace),
        ("filter-dangling-connector", |model| model.dangling_connector),
        ("filter-bounded-text", |model| model.bounded_text),
        ("filter-class-takes-nul", |model| model.class_takes_nul),
    ];

    fn support(name: &str, present: &[&str]) -> Support {
        assert!(features::find(name).is_some(), "{name}");
        Support::from(present.contains(&name))
    }

    fn unknown(_: &str) -> Support {
        Support::Unknown("no permission".to_owned())
    }

    #[test]
    fn features_make_the_model() {
        let of = |present: &[&str]| Model::of(|name| support(name, present));
        let old = ["filter-ustring", "filter-bounded-text", "filter-class-takes-nul"];
        assert_eq!(of(&old), Ok(Model::LINUX_6_1));
        let new =
            ["filter-ustring", "filter-bounded-text", "filter-function", "filter-cpus", "filter-stacktrace"];
        assert_eq!(of(&new), Ok(Model::LINUX_6_12));
        assert_eq!(of(&[&new[..], &["filter-dangling-connector"]].concat()), Ok(Model::LINUX_6_18));
        let careful = |present: &[&str], of_none: &str| {
            Model::careful(|name| if name == of_none { unknown(name) } else { support(name, present) })
        };
        assert_eq!(careful(&old, ""), Model::LINUX_6_1);
        assert_eq!(
            careful(&new, "filter-class-takes-nul"),
            Model { class_takes_nul: true, ..Model::LINUX_6_12 }
        );
        assert_eq!(Model::careful(unknown), Model::LEAST);
    }

    #[test]
    fn each_feature_has_its_field() {
        for (feature, _) in FIELDS {
            let alone = |name: &str| support(name, &[feature]);
            let rest = |name: &str| Support::from(name != feature);
            for (model, present) in [
                (Model::of(alone).unwrap(), true),
                (Model::careful(alone), true),
                (Model::of(rest).unwrap(), false),
                (Model::careful(rest), false),
            ] {
                for (name, field) in FIELDS {
                    let expected = (name == feature) == present;
                    assert_eq!(field(&model), expected, "{name}, with {feature}: {present}");
                    assert_eq!(model.has(name), Some(expected), "{name}, with {feature}: {present}");
                }
            }
        }
        assert_eq!(Model::LINUX_6_18.has("hist"), None);
    }

    #[test]
    fn what_is_not_known_of_one_feature_is_of_its_field_alone() {
        for (feature, _) in FIELDS {
            let has = |name: &str| if name == feature { unknown(name) } else { Support::Yes };
            let reason = "no permission".to_owned();
            assert_eq!(Model::of(has), Err(UnknownFeature { feature, reason }));
            let model = Model::careful(has);
            for (name, field) in FIELDS {
                let expected = if name == feature { field(&Model::LEAST) } else { true };
                assert_eq!(field(&model), expected, "{name}, where {feature} is not known");
            }
        }
    }
}
