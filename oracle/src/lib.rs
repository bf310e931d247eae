//! A second model of the kernel, written from the kernel's sources: the oracle that tests compare tracec with.
//!
//! - [`filter`] parses the text of an event's filter as a kernel does, and evaluates it on a record as a kernel does.
//!   The law that lowering keeps, `Filter::parse(lower(c)).matches(record) == eval(c, record)`, is tested in
//!   `oracle/tests/lowering`; `tests/agreement` compares this model with real kernels.
//! - [`traps`] are the tables of what the kernel accepts and means differently, with what tracec does about each.
//!   `compiler/tests/traps.rs` tests every row.
//!
//! Only tests and fuzz targets depend on this crate. It reads the data of [`tracec_kernel`] (tables, formats, the
//! [`Model`](tracec_kernel::filter::Model) of a filter), and shares no code with what it is compared with.

pub mod filter;
pub mod traps;
