//! Expressions as text.

use std::fmt::{self, Display, Formatter, Write};

use super::tree::{ByteRange, Expr, ExprId, Statement, StatementId, Table, Tree, UnaryOperator};

impl Tree {
    /// Returns an expression as the text it was parsed from, with white space outside of literals as follows: one blank
    /// after a comma or semicolon, around a binary operator and inside braces, and elsewhere only between two words.
    pub fn display(&self, id: ExprId) -> impl Display + '_ {
        Displayed { tree: self, id }
    }

    /// Writes literals unchanged.
    pub(crate) fn parts(&self, f: &mut Formatter<'_>, parts: &[ByteRange]) -> fmt::Result {
        for (index, part) in parts.iter().enumerate() {
            let blank = if index == 0 { "" } else { " " };
            write!(f, "{blank}{}", part.of(&self.text))?;
        }
        Ok(())
    }

    /// Writes an expression. The depth of the tree is limited, and so is this recursion.
    fn expr(&self, f: &mut Formatter<'_>, id: ExprId) -> fmt::Result {
        match self.expression(id) {
            Expr::Integer { .. } | Expr::Char(_) => f.write_str(self.range(id).of(&self.text)),
            Expr::Str { parts, .. } => self.parts(f, parts),
            Expr::Record => f.write_str("REC"),
            Expr::Name(name) => f.write_str(name),
            Expr::Paren(inner) => self.surrounded(f, "(", *inner, ")"),
            Expr::Unary { operator, operand } => {
                let blank = if self.needs_blank(*operator, *operand) { " " } else { "" };
                write!(f, "{}{blank}", operator.text())?;
                self.expr(f, *operand)
            }
            Expr::Binary { operator, left, right } => {
                self.between(f, *left, format_args!(" {} ", operator.text()), *right)
            }
            Expr::Conditional { condition, then, otherwise } => {
                self.expr(f, *condition)?;
                match then {
                    Some(then) => self.surrounded(f, " ? ", *then, " : ")?,
                    None => f.write_str(" ?: ")?,
                }
                self.expr(f, *otherwise)
            }
            Expr::Assign { operator, target, value } => {
                let operator = operator.map_or("", |operator| operator.text());
                self.between(f, *target, format_args!(" {operator}= "), *value)
            }
            Expr::Cast { ty, operand } => {
                write!(f, "({})", ty.text())?;
                self.expr(f, *operand)
            }
            Expr::SizeOfType(ty) => write!(f, "sizeof({})", ty.text()),
            Expr::SizeOf(operand) => {
                let is_paren = matches!(self.expression(*operand), Expr::Paren(_));
                f.write_str(if is_paren { "sizeof" } else { "sizeof " })?;
                self.expr(f, *operand)
            }
            Expr::Type(ty) => f.write_str(ty.text()),
            Expr::Compound { ty, list } => {
                write!(f, "({})", ty.text())?;
                self.expr(f, *list)
            }
            Expr::List { items, trailing_comma } => self.braced(f, items, *trailing_comma),
            Expr::Member { base, name, arrow } => {
                self.expr(f, *base)?;
                write!(f, "{}{name}", if *arrow { "->" } else { "." })
            }
            Expr::Index { base, index } => {
                self.expr(f, *base)?;
                self.surrounded(f, "[", *index, "]")
            }
            Expr::Call { function, arguments } => {
                self.expr(f, *function)?;
                self.call(f, arguments)
            }
            Expr::Helper { helper, arguments } => {
                f.write_str(helper.name)?;
                self.call(f, arguments)
            }
            Expr::Dynamic { helper, field, index, arguments } => {
                write!(f, "{}({field}", helper.name)?;
                if let Some(index) = index {
                    self.surrounded(f, "[", *index, "]")?;
                }
                for &argument in arguments {
                    f.write_str(", ")?;
                    self.expr(f, argument)?;
                }
                f.write_char(')')
            }
            Expr::Table(table) => self.table(f, table),
            Expr::Block(statements) => {
                f.write_char('(')?;
                self.block(f, statements)?;
                f.write_char(')')
            }
        }
    }

    /// Returns whether a blank is needed: `- -a` must not become `--a`, and `& &&a` must stay as it is.
    fn needs_blank(&self, operator: UnaryOperator, operand: ExprId) -> bool {
        matches!(self.expression(operand), Expr::Unary { operator: inner, .. } if *inner == operator)
            && matches!(operator, UnaryOperator::Minus | UnaryOperator::Plus | UnaryOperator::Address)
    }

    fn surrounded(&self, f: &mut Formatter<'_>, open: &str, id: ExprId, close: &str) -> fmt::Result {
        f.write_str(open)?;
        self.expr(f, id)?;
        f.write_str(close)
    }

    fn between(
        &self,
        f: &mut Formatter<'_>,
        left: ExprId,
        operator: fmt::Arguments<'_>,
        right: ExprId,
    ) -> fmt::Result {
        self.expr(f, left)?;
        f.write_fmt(operator)?;
        self.expr(f, right)
    }

    fn list(&self, f: &mut Formatter<'_>, items: &[ExprId]) -> fmt::Result {
        for (index, &item) in items.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            self.expr(f, item)?;
        }
        Ok(())
    }

    fn braced(&self, f: &mut Formatter<'_>, items: &[ExprId], trailing_comma: bool) -> fmt::Result {
        f.write_str(if items.is_empty() { "{" } else { "{ " })?;
        self.list(f, items)?;
        f.write_str(if trailing_comma { ", }" } else { " }" })
    }

    fn call(&self, f: &mut Formatter<'_>, arguments: &[ExprId]) -> fmt::Result {
        f.write_char('(')?;
        self.list(f, arguments)?;
        f.write_char(')')
    }

    fn table(&self, f: &mut Formatter<'_>, table: &Table) -> fmt::Result {
        write!(f, "{}(", table.helper.name)?;
        self.expr(f, table.value)?;
        if let Some(delimiter) = table.delimiter {
            f.write_str(", ")?;
            self.expr(f, delimiter)?;
        }
        for entry in &table.entries {
            f.write_str(", ")?;
            let items: Vec<ExprId> = entry.value.into_iter().chain(entry.name).collect();
            self.braced(f, &items, entry.trailing_comma)?;
        }
        f.write_char(')')
    }

    fn block(&self, f: &mut Formatter<'_>, statements: &[StatementId]) -> fmt::Result {
        f.write_str("{ ")?;
        for &id in statements {
            self.write_statement(f, self.statement(id))?;
            f.write_char(' ')?;
        }
        f.write_char('}')
    }

    fn write_statement(&self, f: &mut Formatter<'_>, statement: &Statement) -> fmt::Result {
        match statement {
            Statement::Declaration { is_static, ty, name, dimensions, initializer } => {
                let storage = if *is_static { "static " } else { "" };
                let blank = if ty.text().ends_with('*') { "" } else { " " };
                write!(f, "{storage}{}{blank}{name}", ty.text())?;
                for dimension in dimensions {
                    match dimension {
                        Some(size) => self.surrounded(f, "[", *size, "]")?,
                        None => f.write_str("[]")?,
                    }
                }
                if let Some(initializer) = initializer {
                    f.write_str(" = ")?;
                    self.expr(f, *initializer)?;
                }
                f.write_char(';')
            }
            Statement::Expression(id) => self.surrounded(f, "", *id, ";"),
            Statement::Switch { value, body } => {
                self.surrounded(f, "switch (", *value, ") ")?;
                self.block(f, body)
            }
            Statement::Case(value) => self.surrounded(f, "case ", *value, ":"),
            Statement::Default => f.write_str("default:"),
            Statement::Break => f.write_str("break;"),
            Statement::Block(body) => self.block(f, body),
        }
    }
}

struct Displayed<'a> {
    tree: &'a Tree,
    id: ExprId,
}

impl Display for Displayed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.tree.expr(f, self.id)
    }
}
