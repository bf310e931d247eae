//! The layouts with which the running kernel writes records.

use rustc_hash::FxHashMap;
use tracec_kernel::condition::rebind::rebind;
use tracec_kernel::format::EventFormat;
use tracec_kernel::plan::Reading;

use crate::failure::Failure;
use crate::tracefs::Tracefs;

/// The layouts with which the records of a session are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Layouts {
    /// Those of the running kernel, which are read anew: the plan was stored or made for another kernel, or a module
    /// may have been loaded since.
    #[default]
    OfKernel,
    /// Those of the plan: it was made just now from the formats of the running kernel.
    OfPlan,
}

/// Returns how records of the running kernel are read by a plan, which may have been made for another kernel, or before
/// a module was loaded anew.
///
/// An event that this kernel lacks keeps the plan's layout, whose id may be that of another event here: no record is
/// read with it, since the step that enables it is refused at its clause.
pub(crate) fn of_running(reading: &Reading, tracefs: &Tracefs) -> Result<Reading, Failure> {
    let mut reading = reading.clone();
    for format in &mut reading.formats {
        let path = format!("events/{}/{}/format", format.system, format.name);
        match tracefs.read_to_string(&path) {
            Ok(text) => {
                *format = EventFormat::parse(&format.system, &text)
                    .map_err(|source| Failure::Layout { path, source })?;
            }
            Err(error) if error.is_not_found() => {}
            Err(error) => return Err(error.into()),
        }
    }
    let by_name: FxHashMap<String, &EventFormat> =
        reading.formats.iter().map(|format| (format.qualified_name(), format)).collect();
    for host in &mut reading.host {
        if let Some(format) = by_name.get(&host.event) {
            rebind(&mut host.condition, format).map_err(|source| Failure::OtherLayout {
                event: host.event.clone(),
                origin: host.origin,
                source,
            })?;
        }
    }
    for event in &reading.shown {
        let lacking = by_name.get(&event.event).and_then(|format| event.lacking(format));
        if let Some(field) = lacking {
            return Err(Failure::HiddenField { event: event.event.clone(), field: field.to_owned() });
        }
    }
    Ok(reading)
}

#[cfg(test)]
mod tests {
    use tracec_kernel::condition::ir::{Atom, Condition, Number};
    use tracec_kernel::condition::ranges::Ranges;
    use tracec_kernel::plan::{DEFAULT_QUEUE, HostCondition, Span};
    use tracec_kernel::shown::ShownEvent;

    use super::*;

    const PLANNED: &str = "name: b\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

    /// Returns data with the condition `x in {1}` on `a:b`.
    fn planned() -> Reading {
        let format = EventFormat::parse("a", PLANNED).unwrap();
        let of = Number::Field(format.field("x").unwrap().clone());
        let condition = Condition::Atom(Atom::In { of, ranges: Ranges::new([(1, 1)]) });
        let host = HostCondition { event: "a:b".to_owned(), condition, origin: Span::new(2, 5) };
        Reading::new("mono".to_owned(), DEFAULT_QUEUE, vec![host], vec![format]).unwrap()
    }

    /// Returns the data for a kernel with this format of the event.
    fn on(format: Option<&str>) -> Result<Reading, Failure> {
        let directory = tempfile::tempdir().unwrap();
        if let Some(format) = format {
            std::fs::create_dir_all(directory.path().join("events/a/b")).unwrap();
            std::fs::write(directory.path().join("events/a/b/format"), format).unwrap();
        }
        of_running(&planned(), &Tracefs::open(directory.path()).unwrap())
    }

    #[test]
    fn layouts_and_conditions_are_those_of_the_kernel() {
        assert_eq!(on(Some(PLANNED)).unwrap(), planned());
        let moved = on(Some(&PLANNED.replace("ID: 7", "ID: 9").replace("offset:8;", "offset:12;"))).unwrap();
        let Condition::Atom(Atom::In { of: Number::Field(field), .. }) = &moved.host[0].condition else {
            panic!()
        };
        assert_eq!((moved.formats[0].id, field.offset), (9, 12));
    }

    #[test]
    fn layout_with_another_meaning_is_refused_at_the_condition() {
        let wider = PLANNED.replace("u32 x;\toffset:8;\tsize:4;", "u64 x;\toffset:8;\tsize:8;");
        let refused = on(Some(&wider)).unwrap_err();
        assert!(
            matches!(&refused, Failure::OtherLayout { origin, .. } if *origin == Span::new(2, 5)),
            "{refused}"
        );
        assert!(
            matches!(on(Some("name: b\n")), Err(Failure::Layout { path, .. }) if path == "events/a/b/format")
        );
    }

    #[test]
    fn field_that_is_to_be_hidden_has_to_be_there() {
        let directory = tempfile::tempdir().unwrap();
        let write = |text: &str| {
            std::fs::create_dir_all(directory.path().join("events/a/b")).unwrap();
            std::fs::write(directory.path().join("events/a/b/format"), text).unwrap();
        };
        let hidden =
            ShownEvent { event: "a:b".to_owned(), blanked: vec!["x".to_owned()], ..ShownEvent::default() };
        let mut reading = planned().showing(vec![hidden]).unwrap();
        reading.host.clear();
        let found = |text: &str| {
            write(text);
            of_running(&reading, &Tracefs::open(directory.path()).unwrap())
        };
        assert_eq!(found(PLANNED).unwrap(), reading);
        let refused = found(&PLANNED.replace("u32 x;", "u32 y;")).unwrap_err();
        assert!(matches!(&refused, Failure::HiddenField { field, .. } if field == "x"), "{refused}");
    }

    #[test]
    fn layout_of_an_event_that_the_kernel_lacks_is_kept() {
        assert_eq!(on(None).unwrap(), planned());
    }
}
