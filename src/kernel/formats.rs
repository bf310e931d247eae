//! Layouts of events as a kernel that texts are checked for: those of a recording.

use std::collections::BTreeMap;

use tracec_compiler::{KernelError, KernelSource};
use tracec_kernel::format::EventFormat;

/// The events of a kernel whose layouts are given. Nothing else is known of it.
#[derive(Clone, Debug)]
pub struct FormatsKernel<'a> {
    /// By system and name.
    formats: BTreeMap<&'a str, BTreeMap<&'a str, &'a EventFormat>>,
    name: String,
}

impl<'a> FormatsKernel<'a> {
    /// Creates a kernel with these events. `name` is what diagnostics call it. Of two events with one name the later
    /// is used.
    pub fn new(formats: impl IntoIterator<Item = &'a EventFormat>, name: impl Into<String>) -> Self {
        let mut by_system: BTreeMap<&str, BTreeMap<&str, &EventFormat>> = BTreeMap::new();
        for format in formats {
            by_system.entry(&format.system).or_default().insert(&format.name, format);
        }
        FormatsKernel { formats: by_system, name: name.into() }
    }
}

impl KernelSource for FormatsKernel<'_> {
    fn read(&self, path: &str) -> Result<Option<String>, KernelError> {
        let parts: Vec<&str> = path.split('/').collect();
        let ["events", system, event, "format"] = parts.as_slice() else { return Ok(None) };
        Ok(self.formats.get(system).and_then(|events| events.get(event)).map(|format| format.text()))
    }

    fn directories(&self, path: &str) -> Result<Vec<String>, KernelError> {
        let names = match path.split('/').collect::<Vec<_>>().as_slice() {
            ["events"] => self.formats.keys().map(|&system| system.to_owned()).collect(),
            ["events", system] => self
                .formats
                .get(system)
                .map_or(Vec::new(), |events| events.keys().map(|&event| event.to_owned()).collect()),
            _ => Vec::new(),
        };
        Ok(names)
    }

    fn describe(&self) -> String {
        self.name.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: &str = "name: b\nID: 7\nformat:\n\
        \tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n\
        \tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n\nprint fmt: \"%s\", REC->comm\n";

    #[test]
    fn layouts_are_read_as_they_were_given() {
        let format = EventFormat::parse("a", FORMAT).unwrap();
        let kernel = FormatsKernel::new([&format], "the file");
        let text = kernel.read("events/a/b/format").unwrap().unwrap();
        assert_eq!(EventFormat::parse("a", &text).unwrap(), format);
        assert_eq!(kernel.directories("events").unwrap(), ["a"]);
        assert_eq!(kernel.directories("events/a").unwrap(), ["b"]);
        assert_eq!(kernel.read("events/a/c/format").unwrap(), None);
        assert_eq!(kernel.read("available_filter_functions").unwrap(), None);
        assert_eq!(kernel.describe(), "the file");
    }
}
