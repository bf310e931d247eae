//! What a file declares besides its sessions: from syntax to [`crate::ir::definition`].

pub mod constant;
