//! BPF: programs with virtual registers, their instructions, and the objects that hold them. Nothing here knows what a
//! program is for.

pub(crate) mod allocate;
pub(crate) mod assemble;
pub(crate) mod btf;
pub(crate) mod code;
mod flow;
pub(crate) mod instruction;
mod live;
pub(crate) mod object;
pub(crate) mod text;
