//! Faults that are planted in the model, to check that they are found.

use tracec_kernel::format::EventFormat;

use super::model::{Decide, Model, Refused};

/// A model with a fault.
pub(crate) struct Planted<'a> {
    /// The model without a fault.
    pub(crate) model: &'a dyn Model,
    /// The fault.
    pub(crate) fault: &'a Fault,
}

/// A fault, and the form that its report must have.
pub(crate) struct Fault {
    /// The name of the fault.
    pub(crate) name: &'static str,
    /// The filter that the faulty model reads in place of the given one.
    mistake: fn(&str) -> String,
    /// The refusal of the faulty model.
    refuse: fn(Refused) -> Refused,
    /// Whether a line reports the fault alone.
    pub(crate) is_small: fn(&str) -> bool,
}

/// The faults.
pub(crate) const FAULTS: &[Fault] = &[
    Fault {
        name: "`<=` is taken for `<`",
        mistake: |text| text.replace("<=", "<"),
        refuse: |refused| refused,
        is_small: |line| line.contains("<=") && !line.contains("&&") && !line.contains("||"),
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
        // A text that is not UTF-8 is passed on unchanged.
        let mistaken = std::str::from_utf8(text).map(self.fault.mistake);
        let mistaken = mistaken.as_ref().map_or(text, |text| text.as_bytes());
        self.model.parse(event, mistaken).map_err(self.fault.refuse)
    }
}
