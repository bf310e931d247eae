//! The model of the kernel's filter: what it takes, in which words it refuses, and which records pass.
//!
//! What kernels said is in `data/filter-answers-*.txt`; the rest follows the sources that `filter` names.

mod filter_checks;
