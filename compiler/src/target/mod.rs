//! From the placed session to artifacts, one folder per target. No target knows another.

pub mod tracefs;
