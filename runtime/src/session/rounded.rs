//! What the kernel has made of the sizes that a session sets: it rounds them up.

use tracec_kernel::plan::{Action, Location, Transaction};
use tracec_kernel::tables::files::{BUFFER_SIZE, CMDLINES_SIZE, SUBBUFFER_SIZE};
use tracec_kernel::tables::limits::SUBBUFFER_PAGE_KIB;

use crate::tracefs::{Directory, Tracefs};

/// A size that the kernel has made another of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rounded {
    /// The file.
    pub file: String,
    /// What was written.
    pub written: u64,
    /// What it shows.
    pub shows: u64,
}

/// Returns the sizes of a transaction, once it is applied, that differ from what was written. A ring has whole sub-buffers:
/// less than one more is what was asked for. What cannot be read is left out.
pub(super) fn of(tracefs: &Tracefs, instance: Option<&Directory>, transaction: &Transaction) -> Vec<Rounded> {
    let subbuffer = instance.and_then(|instance| instance.read_text(SUBBUFFER_SIZE).ok());
    let subbuffer = subbuffer.and_then(|size| size.trim().parse().ok()).unwrap_or(SUBBUFFER_PAGE_KIB);
    let mut rounded = Vec::new();
    for step in transaction.steps() {
        let Action::Write { file, value } = &step.action else { continue };
        let (name, tolerance) = match file {
            Location::Instance(path) | Location::Top(path) => match path.as_str() {
                BUFFER_SIZE => (path.as_str(), subbuffer),
                name @ (SUBBUFFER_SIZE | CMDLINES_SIZE) => (name, 0),
                _ => continue,
            },
            Location::Sysctl(_) => continue,
        };
        let text = match (file, instance) {
            (Location::Instance(_), Some(instance)) => instance.read_text(name).ok(),
            (Location::Instance(_), None) => None,
            (file, _) => tracefs.read_shared(file).ok(),
        };
        let shows = text.and_then(|text| file.shown_value(&text).parse::<u64>().ok());
        if let (Ok(written), Some(shows)) = (value.parse::<u64>(), shows)
            && (shows < written || shows - written > tolerance)
        {
            rounded.push(Rounded { file: file.to_string(), written, shows });
        }
    }
    rounded
}

#[cfg(test)]
mod tests {
    use tracec_kernel::plan::{FilePath, InstanceName, Span, Step};

    use super::*;

    #[test]
    fn size_is_rounded_if_it_differs_by_more_than_a_sub_buffer() {
        let of_files = |files: &[(&str, &str)], written: &str| {
            let directory = tempfile::tempdir().unwrap();
            for (file, text) in files {
                std::fs::write(directory.path().join(file), text).unwrap();
            }
            let tracefs = Tracefs::open(directory.path()).unwrap();
            let location = Location::Instance(FilePath::new(files[0].0).unwrap());
            let steps = vec![Step::create(Span::default()), Step::write(location, written, Span::default())];
            let transaction = Transaction::new(InstanceName::new("x").unwrap(), steps).unwrap();
            let all = of(&tracefs, Some(tracefs.root()), &transaction);
            all.iter().map(|Rounded { shows, .. }| *shows).collect::<Vec<_>>()
        };
        assert!(of_files(&[(BUFFER_SIZE, "259\n")], "256").is_empty());
        assert_eq!(of_files(&[(BUFFER_SIZE, "7\n")], "1"), [7]);
        assert_eq!(of_files(&[(BUFFER_SIZE, "200\n")], "256"), [200]);
        assert!(of_files(&[(BUFFER_SIZE, "270\n"), (SUBBUFFER_SIZE, "16\n")], "256").is_empty());
        assert_eq!(of_files(&[(SUBBUFFER_SIZE, "16\n")], "12"), [16]);
        assert!(of_files(&[(SUBBUFFER_SIZE, "16\n")], "16").is_empty());
    }
}
