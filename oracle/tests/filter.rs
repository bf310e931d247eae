//! The model of the kernel's filter: the texts that it accepts, the words with which it refuses, and the records that
//! pass.
//!
//! The answers of real kernels are in `data/filter-answers-*.txt`; the rest follows the sources that `filter` names.

mod filter_checks;
