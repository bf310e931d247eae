//! Conditions by chance, over the fields of any event, and the values that decide them. For all tests that ask
//! with conditions, which include them by path.

pub(crate) mod conditions;
pub(crate) mod hints;
pub(crate) mod planted;
pub(crate) mod random;
pub(crate) mod smaller;
