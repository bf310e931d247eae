//! `dump on EVENT to "FILE-{n}.dat" max 5;`

use tracec_grammar::span::Spanned;
use tracec_grammar::syntax::Dump;
use tracec_kernel::plan::DUMP_NUMBER;

use crate::diagnostic::codes;
use crate::ir;

use super::Settings;

impl Settings<'_, '_> {
    /// Returns the files of a dump, without its events, which are checked with those of the session. `None` if a mistake was
    /// reported.
    pub(super) fn dump(&mut self, dump: &Dump) -> Option<ir::Dump> {
        let path = self.text(dump.file)?;
        let max = dump.max.as_ref();
        if let Some(max) = max.filter(|max| max.value == 0) {
            return self.say(codes::count_zero::of_dump(max.span, path.span));
        }
        let is_one = max.is_some_and(|max| max.value == 1);
        self.numbered(&path, is_one)?;
        let count = dump.count.as_ref().map_or(1, |count| count.value);
        let output = self.output(&path)?;
        Some(ir::Dump { events: Vec::new(), count, output, max: max.map(|max| max.value) })
    }

    /// Checks that the files of a dump have different names. `None` if a mistake was reported.
    fn numbered(&mut self, path: &Spanned<String>, is_one: bool) -> Option<()> {
        let name = path.value.rsplit('/').next().unwrap_or_default();
        if let Some(place) = other_place(&path.value) {
            return self.say(codes::dump_name::unknown_place(path.span, place));
        }
        if !name.contains(DUMP_NUMBER) && path.value.contains(DUMP_NUMBER) {
            return self.say(codes::dump_name::in_directory(path.span));
        }
        if !is_one && !name.contains(DUMP_NUMBER) {
            return self.say(codes::dump_name::without_number(path.span, &path.value));
        }
        Some(())
    }
}

/// Returns the first part of a name in braces that is not the number.
fn other_place(path: &str) -> Option<&str> {
    let mut rest = path;
    while let Some((_, behind)) = rest.split_once('{') {
        let end = behind.find('}')?;
        let place = &rest[rest.len() - behind.len() - 1..][..end + 2];
        if place != DUMP_NUMBER {
            return Some(place);
        }
        rest = &behind[end + 1..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::other_place;

    #[test]
    fn braces_hold_nothing_but_the_number() {
        assert_eq!(["a-{n}.dat", "a.dat", "a{", "a}{n}{n}"].map(other_place), [None; 4]);
        assert_eq!(other_place("{n}-{time}.dat"), Some("{time}"));
        assert_eq!(other_place("a{}.dat"), Some("{}"));
    }
}
