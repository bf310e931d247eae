//! tracec as a library: checks a text for a kernel and makes the plan of a session.
//!
//! - [`analyse`] checks the text, and [`compile`] makes the [`Plan`] of one session. Both return diagnostics
//!   ([`Diagnostic`]), which are at places of the [`SourceMap`].
//! - [`kernel`] has the kernels that a text is checked for: [`LiveKernel`] reads a [`Tracefs`], [`KernelDirectory`] a
//!   copy of one, [`ProfileKernel`] a saved kernel. Only [`kernel::save`] and [`kernel::TriedKernel`] change the
//!   running kernel: they try features in an instance of their own.
//! - [`Predicate`] is a condition on one event, and [`PredicateSet`] selects the records of ring-buffer pages for which
//!   some of them hold, as machine code where that can be made.
//!
//! - [`Recording`] is a trace.dat file: its events one after the other, with typed fields.
//!
//! A plan is not applied here, and recordings are not written: that is the crate `tracec_runtime`.
//!
//! ```no_run
//! use tracec::{Input, InstanceName, LiveKernel, Options, SourceText, Tracefs, compile};
//!
//! let tracefs = Tracefs::find()?;
//! let text = SourceText {
//!     name: "example".into(),
//!     text: "sched:sched_switch if prev_prio < 100".into(),
//!     one_liner: true,
//! };
//! let options = Options::new(None, InstanceName::new("example")?);
//! let compilation = compile(Input::new(&text, &LiveKernel(tracefs)), &options);
//! if let Some(plan) = compilation.plan {
//!     print!("{plan}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod kernel;
pub mod machine_code;
mod predicate;

pub use kernel::{FormatsKernel, KernelDirectory, LiveKernel, ProfileKernel};
pub use predicate::{Predicate, PredicateError, PredicateSet};
pub use tracec_compiler::{
    Analysis, Choice, Compilation, Diagnostic, Input, KernelSource, Options, SourceMap, SourceText, analyse,
    compile,
};
pub use tracec_kernel::plan::{InstanceName, Plan};
pub use tracec_runtime::record::Recording;
pub use tracec_runtime::tracefs::Tracefs;
