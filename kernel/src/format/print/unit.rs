//! The unit in which a field counts time, where its event prints one.

use super::PrintFmt;
use super::directive::{Conversion, Count, Directive};
use crate::format::{Field, IntegerType};

/// The units of time as events print them behind a value (include/trace/events/sched.h: `delay=%Lu [ns]`).
const UNITS: &[&str] = &["ns", "us", "ms", "s"];

impl PrintFmt {
    /// Returns the unit of time that the event prints behind a field's value: `ns` for `runtime=%Lu [ns]`. `None` where
    /// it prints none, which says nothing about the field.
    pub fn time_unit(&self, field: &Field) -> Option<&'static str> {
        let own = IntegerType { bytes: field.size, signed: field.signed };
        let (value, pieces) = (self.format.value(), self.format.pieces());
        let mut arguments = self.arguments.iter();
        for (index, piece) in pieces.iter().enumerate() {
            let Some(directive) = &piece.directive else { continue };
            let taken = taken(directive);
            let Some(argument) = taken.checked_sub(1).and_then(|skipped| arguments.nth(skipped)) else {
                continue;
            };
            if !self.is_exactly(*argument, &field.name, own) {
                continue;
            }
            let behind = pieces.get(index + 1).filter(|next| next.directive.is_none());
            let behind = behind.and_then(|next| value.get(next.range.clone())).unwrap_or_default();
            if let Some(unit) = unit_at(behind) {
                return Some(unit);
            }
        }
        None
    }
}

/// Returns how many arguments a directive takes.
fn taken(directive: &Directive) -> usize {
    let counts = [directive.width, directive.precision];
    let from_arguments = counts.into_iter().filter(|count| *count == Some(Count::Argument)).count();
    from_arguments + usize::from(directive.conversion != Conversion::Percent)
}

/// Returns the unit in brackets at the start of a text: ` [ns]`, `(us)`.
fn unit_at(text: &[u8]) -> Option<&'static str> {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    let closing = match text.first()? {
        b'[' => b']',
        b'(' => b')',
        _ => return None,
    };
    let end = text.iter().position(|&byte| byte == closing)?;
    UNITS.iter().copied().find(|unit| unit.as_bytes() == &text[1..end])
}

#[cfg(test)]
mod tests {
    use crate::format::EventFormat;

    #[test]
    fn unit_is_the_one_behind_the_value() {
        let event = |print: &str| {
            let head = "name: e\nID: 1\nformat:\n\
                \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
                \tfield:u64 a;\toffset:8;\tsize:8;\tsigned:0;\n\
                \tfield:u64 b;\toffset:16;\tsize:8;\tsigned:0;\n\nprint fmt: ";
            EventFormat::parse("s", &format!("{head}{print}\n")).unwrap()
        };
        for (print, of_a, of_b) in [
            ("\"a=%Lu [ns] b=%Lu\", (unsigned long long)REC->a, REC->b", Some("ns"), None),
            ("\"a=%llu b=%llu (us)\", REC->a, REC->b", None, Some("us")),
            ("\"%% %*u [ms]\", 5, REC->b", None, Some("ms")),
            ("\"a=%llu [pages]\", REC->a", None, None),
            ("\"a=%llu [ns]\", REC->a / 1000", None, None),
            ("\"a=%llu [n\", REC->a", None, None),
            ("\"[ns] a=%llu\", REC->a", None, None),
        ] {
            let event = event(print);
            let unit = |name| event.print().unwrap().time_unit(event.field(name).unwrap());
            assert_eq!((unit("a"), unit("b")), (of_a, of_b), "{print}");
        }
    }
}
