//! Faults that are put into the model to see that they are found.

use tracec_kernel::format::EventFormat;

use super::model::{Decide, Model, Refused};

/// A model with a fault.
pub(crate) struct Planted<'a> {
    /// The model that has none.
    pub(crate) model: &'a dyn Model,
    /// The fault.
    pub(crate) fault: &'a Fault,
}

/// A fault, and how small what is told of it must be.
pub(crate) struct Fault {
    /// What is wrong.
    pub(crate) name: &'static str,
    /// The filter that the faulty model takes the given one for.
    mistake: fn(&str) -> String,
    /// How the faulty model refuses.
    refuse: fn(Refused) -> Refused,
    /// Whether a line tells of the fault alone.
    pub(crate) is_small: fn(&str) -> bool,
}

/// The faults.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "`<=` is taken for `<`",
        mistake: |text| text.replace("<=", "<"),
        refuse: |refused| refused,
        is_small: |line| line.contains(" <= ") && !line.contains("&&") && !line.contains("||"),
    },
    Fault {
        name: "`!` is passed over",
        mistake: |text| text.replace("!(", "("),
        refuse: |refused| refused,
        is_small: |line| line.contains("!(") || line.contains("! ("),
    },
    Fault {
        name: "a caret is one column off",
        mistake: str::to_owned,
        refuse: |refused| Refused { caret: refused.caret.map(|column| column + 1), ..refused },
        is_small: |line| line.contains("caret"),
    },
];

impl Model for Planted<'_> {
    fn parse(&self, event: &EventFormat, text: &[u8]) -> Result<Decide, Refused> {
        // What is no UTF-8 has no fault.
        let mistaken = std::str::from_utf8(text).map(self.fault.mistake);
        let mistaken = mistaken.as_ref().map_or(text, |text| text.as_bytes());
        self.model.parse(event, mistaken).map_err(self.fault.refuse)
    }
}
