//! tracec as a library: compiles a session for a kernel, applies it, and reads its records.
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
//! let options = Options { session: None, instance: InstanceName::new("example")? };
//! let compilation = compile(Input::new(&text, &LiveKernel(tracefs)), &options);
//! if let Some(plan) = compilation.plan {
//!     print!("{plan}");
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod kernel;

pub use kernel::{KernelDirectory, LiveKernel, ProfileKernel};
pub use tracec_compiler::{
    Analysis, Choice, Compilation, Diagnostic, Input, KernelSource, Options, SourceMap, SourceText, analyse,
    compile,
};
pub use tracec_kernel::plan::{InstanceName, Plan};
pub use tracec_runtime::tracefs::Tracefs;
