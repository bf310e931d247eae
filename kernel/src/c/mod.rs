//! A reader of C as kernels write it in their headers: tokens, expressions, statements, integer constants.
//!
//! - [`lexer`] splits a header or preprocessed text into tokens. It never fails.
//! - [`Tree`] holds expressions and the statements in them. Its nodes are nested at most [`PRINT_FMT_DEPTH`] deep, so
//!   that code that walks it may recurse. [`Tree::constant`] evaluates a constant expression, and [`Tree::display`]
//!   prints an expression.
//!
//! The helpers of TP_printk (`__print_flags`, `__get_str`) are nodes of their own, because their arguments include
//! types and bare names of fields.
//!
//! [`format::print`](crate::format::print) reads the `print fmt` of an event with it, `cargo xtask constants` the
//! constants of the kernel's headers.
//!
//! [`PRINT_FMT_DEPTH`]: crate::tables::limits::PRINT_FMT_DEPTH

mod constant;
mod display;
mod error;
mod expression;
pub mod lexer;
pub(crate) mod literal;
pub(crate) mod parser;
mod statement;
mod tree;
mod type_name;

pub use constant::Constant;
pub use error::{CError, CErrorKind};
pub use tree::{
    BinaryOperator, ByteRange, Expr, ExprId, Statement, StatementId, Table, TableEntry, Tree, TypeName,
    UnaryOperator,
};
