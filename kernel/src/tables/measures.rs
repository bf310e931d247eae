//! What the number of a field is, where its C type or its name says so: include/linux/types.h, and the names that the
//! events of include/trace/events/ use.

/// What a number is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// The id of a task.
    Task,
    /// The number of a sector of a device, or a number of sectors.
    Sectors,
    /// The type and the permissions of a file.
    Mode,
    /// A device: its major and its minor number.
    Device,
    /// The number of a signal.
    Signal,
}

/// A type or a name of fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredField {
    /// The C type or the name of the field.
    pub name: &'static str,
    /// Whether `name` is a type.
    pub is_type: bool,
    /// What the number is.
    pub measure: Measure,
}

/// The bytes of a sector, whatever the device has: `SECTOR_SHIFT` of include/linux/blk_types.h.
pub const SECTOR_BYTES: u64 = 512;

/// The bits of a device's minor number: `MINORBITS` of include/linux/kdev_t.h.
pub const MINOR_BITS: u32 = 20;

const fn of_type(name: &'static str, measure: Measure) -> MeasuredField {
    MeasuredField { name, is_type: true, measure }
}

const fn of_name(name: &'static str, measure: Measure) -> MeasuredField {
    MeasuredField { name, is_type: false, measure }
}

/// All types and names.
pub const ALL: &[MeasuredField] = &[
    of_type("pid_t", Measure::Task),
    of_type("sector_t", Measure::Sectors),
    of_type("umode_t", Measure::Mode),
    of_type("dev_t", Measure::Device),
    of_name("nr_sector", Measure::Sectors),
    of_name("nr_sectors", Measure::Sectors),
    of_name("sig", Measure::Signal),
];

/// Returns the entry with this name.
pub fn find(name: &str) -> Option<&'static MeasuredField> {
    ALL.iter().find(|entry| entry.name == name)
}

/// Returns all names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|entry| entry.name)
}

/// Returns what the number of a field with this C type and this name is, if that is known.
pub fn measure(type_text: &str, name: &str) -> Option<Measure> {
    let is = |entry: &&MeasuredField| entry.name == if entry.is_type { type_text } else { name };
    ALL.iter().find(is).map(|entry| entry.measure)
}

impl Measure {
    /// Returns what the number is, with its article.
    pub fn describe(self) -> &'static str {
        match self {
            Measure::Task => "the id of a task",
            Measure::Sectors => "a number of sectors of 512 bytes",
            Measure::Mode => "the mode of a file",
            Measure::Device => "a device",
            Measure::Signal => "a signal",
        }
    }
}
