//! Conditions by chance, over the fields of any event, and the values that decide them. Shared by path: the tests of
//! lowering ask the models of kernels with them, `tests/agreement` of the workspace's root asks the kernels.

pub(crate) mod conditions;
pub(crate) mod hints;
pub(crate) mod planted;
pub(crate) mod random;
pub(crate) mod smaller;
