//! The module of definitions.
