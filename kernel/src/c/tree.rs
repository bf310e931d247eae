//! Expressions and statements of C in two arenas.

use crate::tables::c_types::{self, CType, IntegerType};
use crate::tables::print_helpers::PrintHelper;

/// Expressions and statements, parsed from a text. An [`ExprId`] or [`StatementId`] is valid for the tree that made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub(super) text: Box<str>,
    pub(super) nodes: Vec<Node>,
    pub(super) statements: Vec<Statement>,
}

impl Tree {
    /// Returns all expressions, operands before the expressions that use them.
    pub fn expressions(&self) -> impl Iterator<Item = (ExprId, &Expr)> {
        (0..).map(ExprId).zip(self.nodes.iter().map(|node| &node.expr))
    }

    /// Returns an expression of this tree.
    pub fn expression(&self, id: ExprId) -> &Expr {
        &self.node(id).expr
    }

    /// Returns where an expression stands in the text.
    pub fn range(&self, id: ExprId) -> ByteRange {
        self.node(id).range
    }

    /// Returns a statement of this tree.
    pub fn statement(&self, id: StatementId) -> &Statement {
        self.statements.get(id.0 as usize).unwrap_or(&NO_STATEMENT)
    }

    /// Returns the expression without the parentheses around it.
    pub fn unparenthesised(&self, mut id: ExprId) -> ExprId {
        while let Expr::Paren(inner) = self.expression(id) {
            id = *inner;
        }
        id
    }

    /// Returns whether an expression is a null pointer of C: `NULL`, its expansion, or a constant 0.
    pub fn is_null(&self, id: ExprId) -> bool {
        let id = self.unparenthesised(id);
        let number = match self.expression(id) {
            Expr::Name(name) if &**name == "NULL" => return true,
            Expr::Cast { ty, operand } if ty.is_pointer() => *operand,
            _ => id,
        };
        self.constant(number).is_some_and(|constant| constant.value() == 0)
    }

    /// Returns the name of the record's field if the expression is `REC->NAME`, in parentheses or not.
    pub fn field_name(&self, id: ExprId) -> Option<&str> {
        let Expr::Member { base, name, arrow: true } = self.expression(self.unparenthesised(id)) else {
            return None;
        };
        let base = self.expression(self.unparenthesised(*base));
        matches!(base, Expr::Record).then_some(name)
    }

    fn node(&self, id: ExprId) -> &Node {
        self.nodes.get(id.0 as usize).unwrap_or(&NO_NODE)
    }
}

/// The node for an id that is out of range because it is of another tree; it avoids a panic.
static NO_NODE: Node = Node { expr: Expr::Record, range: ByteRange { start: 0, end: 0 }, depth: 1 };
static NO_STATEMENT: Statement = Statement::Block(Vec::new());

/// An expression in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExprId(pub(super) u32);

/// A statement in a [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StatementId(pub(super) u32);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) expr: Expr,
    pub(super) range: ByteRange,
    /// The depth of the expression, itself included.
    pub(super) depth: u16,
}

/// A range of bytes in a text of C. It is not a span: such a text comes from a kernel and not from a file of the
/// compilation, so a range names no file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteRange {
    /// The first byte.
    pub start: u32,
    /// The byte after the last one.
    pub end: u32,
}

impl ByteRange {
    /// Joins two offsets, which fit a `u32`: lexer and parser refuse longer texts.
    pub(crate) fn new(start: usize, end: usize) -> Self {
        ByteRange { start: start as u32, end: end as u32 }
    }

    pub(super) fn to(self, end: ByteRange) -> Self {
        ByteRange { start: self.start, end: end.end }
    }

    /// Returns the part of `text` that it spans.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }
}

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expr {
    /// `12`, `0x1fUL`.
    Integer {
        /// Its value.
        value: u64,
        /// Its type, by its suffix and size as in C.
        integer: IntegerType,
    },
    /// `'a'`; an `int`.
    Char(u8),
    /// `"text" "and more"`.
    Str {
        /// The bytes of all parts, without a NUL at the end.
        value: Box<[u8]>,
        /// Each literal with its quotes.
        parts: Vec<ByteRange>,
    },
    /// `REC`: the record's address.
    Record,
    /// Any other name: a local variable, a function, or an enumerator that the kernel has not replaced by its value.
    Name(Box<str>),
    /// `(a)`.
    Paren(ExprId),
    /// `-a`.
    Unary {
        /// The operator.
        operator: UnaryOperator,
        /// The operand.
        operand: ExprId,
    },
    /// `a + b`.
    Binary {
        /// The operator.
        operator: BinaryOperator,
        /// The left operand.
        left: ExprId,
        /// The right operand.
        right: ExprId,
    },
    /// `a ? b : c`.
    Conditional {
        /// The condition.
        condition: ExprId,
        /// The value if the condition is not 0; `None` for GNU C's `a ?: c`, where it is that of the condition.
        then: Option<ExprId>,
        /// The value if the condition is 0.
        otherwise: ExprId,
    },
    /// `a = b`, `a += b`; in statements only.
    Assign {
        /// The operator of a compound assignment.
        operator: Option<BinaryOperator>,
        /// The assigned variable.
        target: ExprId,
        /// The value.
        value: ExprId,
    },
    /// `(u32)a`.
    Cast {
        /// The type.
        ty: TypeName,
        /// The operand.
        operand: ExprId,
    },
    /// `sizeof(u64)`.
    SizeOfType(TypeName),
    /// `sizeof(a)`, `sizeof a`.
    SizeOf(ExprId),
    /// A type where a function of the compiler takes one: `__builtin_types_compatible_p(int, long)`.
    Type(TypeName),
    /// `(const int[]){ 1, 2 }`.
    Compound {
        /// The type.
        ty: TypeName,
        /// The [`Expr::List`].
        list: ExprId,
    },
    /// `{ 1, 2 }` after a compound literal's type or in a declaration.
    List {
        /// The items between the braces.
        items: Vec<ExprId>,
        /// Whether a comma follows the last of them.
        trailing_comma: bool,
    },
    /// `a.b`, `a->b`.
    Member {
        /// The structure or its address.
        base: ExprId,
        /// The member's name.
        name: Box<str>,
        /// Whether it is `->`.
        arrow: bool,
    },
    /// `a[b]`.
    Index {
        /// The array.
        base: ExprId,
        /// The index of the element.
        index: ExprId,
    },
    /// A call of a function that is not a helper of TP_printk: `jiffies_to_msecs(a)`.
    Call {
        /// The function.
        function: ExprId,
        /// Its arguments.
        arguments: Vec<ExprId>,
    },
    /// `({ int a = b; a + 1; })`: the value is that of the last statement.
    Block(Vec<StatementId>),
    /// `__print_symbolic(a, { 1, "x" })`, `__print_flags(a, "|", { 1, "x" })`.
    Table(Table),
    /// A helper that takes the name of a dynamic field: `__get_str(name)`, `__print_dynamic_array(values, 4)`.
    Dynamic {
        /// The helper.
        helper: &'static PrintHelper,
        /// The field's name.
        field: Box<str>,
        /// The index of the location word, where a probe event has an array of them: `__get_str(argv[0])`.
        index: Option<ExprId>,
        /// The arguments after the field.
        arguments: Vec<ExprId>,
    },
    /// A helper that takes values: `__print_hex(a, 4)`.
    Helper {
        /// The helper.
        helper: &'static PrintHelper,
        /// Its arguments.
        arguments: Vec<ExprId>,
    },
}

/// The names of a value: `__print_symbolic` or `__print_flags`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The helper.
    pub helper: &'static PrintHelper,
    /// The value that is named.
    pub value: ExprId,
    /// The separator between the names of flags; `None` for `__print_symbolic`.
    pub delimiter: Option<ExprId>,
    /// The entries, in order.
    pub entries: Vec<TableEntry>,
}

/// An entry of a [`Table`]: `{ 1, "x" }`. A missing part is 0, as in C, and an entry without a name ends the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableEntry {
    /// The value or mask; `None` in `{ }`.
    pub value: Option<ExprId>,
    /// Its name.
    pub name: Option<ExprId>,
    pub(super) trailing_comma: bool,
}

/// A statement in a [block](Expr::Block).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Statement {
    /// `static const char *a[] = { "x", "y" };`
    Declaration {
        /// Whether it is `static`.
        is_static: bool,
        /// The type, without the part after the name.
        ty: TypeName,
        /// The variable's name.
        name: Box<str>,
        /// The sizes of an array, outermost first; `None` for one that is left out.
        dimensions: Vec<Option<ExprId>>,
        /// The initial value.
        initializer: Option<ExprId>,
    },
    /// `a = b;`
    Expression(ExprId),
    /// `switch (a) { ... }`
    Switch {
        /// The value that selects a case.
        value: ExprId,
        /// The statements between the braces.
        body: Vec<StatementId>,
    },
    /// `case 1:`
    Case(ExprId),
    /// `default:`
    Default,
    /// `break;`
    Break,
    /// `{ ... }`
    Block(Vec<StatementId>),
}

/// A type, as text with one blank wherever one is needed: `unsigned long`, `const char *`, `struct page *`, `u8[4]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeName {
    pub(super) text: Box<str>,
    pub(super) pointer: bool,
}

impl TypeName {
    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns whether it is an address.
    pub fn is_pointer(&self) -> bool {
        self.pointer
    }

    /// Returns the integer type that it names, if that is a known one.
    pub fn integer(&self) -> Option<&'static CType> {
        c_types::find(&self.text)
    }
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    /// `-`
    Minus,
    /// `+`
    Plus,
    /// `!`
    Not,
    /// `~`
    Complement,
    /// `*`
    Dereference,
    /// `&`
    Address,
}

impl UnaryOperator {
    /// All operators with their text.
    pub(super) const ALL: [(UnaryOperator, &'static str); 6] = [
        (UnaryOperator::Minus, "-"),
        (UnaryOperator::Plus, "+"),
        (UnaryOperator::Not, "!"),
        (UnaryOperator::Complement, "~"),
        (UnaryOperator::Dereference, "*"),
        (UnaryOperator::Address, "&"),
    ];

    /// Returns its text.
    pub fn text(self) -> &'static str {
        Self::ALL.iter().find(|(operator, _)| *operator == self).map_or("", |(_, text)| text)
    }
}

/// An operator between two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `<<`
    ShiftLeft,
    /// `>>`
    ShiftRight,
    /// `<`
    Less,
    /// `<=`
    LessEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterEqual,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `&`
    BitAnd,
    /// `^`
    BitXor,
    /// `|`
    BitOr,
    /// `&&`
    And,
    /// `||`
    Or,
}

impl BinaryOperator {
    /// All operators with their text and C's precedence; a higher one binds tighter.
    pub(super) const ALL: [(BinaryOperator, &'static str, u8); 18] = [
        (BinaryOperator::Multiply, "*", 10),
        (BinaryOperator::Divide, "/", 10),
        (BinaryOperator::Remainder, "%", 10),
        (BinaryOperator::Add, "+", 9),
        (BinaryOperator::Subtract, "-", 9),
        (BinaryOperator::ShiftLeft, "<<", 8),
        (BinaryOperator::ShiftRight, ">>", 8),
        (BinaryOperator::Less, "<", 7),
        (BinaryOperator::LessEqual, "<=", 7),
        (BinaryOperator::Greater, ">", 7),
        (BinaryOperator::GreaterEqual, ">=", 7),
        (BinaryOperator::Equal, "==", 6),
        (BinaryOperator::NotEqual, "!=", 6),
        (BinaryOperator::BitAnd, "&", 5),
        (BinaryOperator::BitXor, "^", 4),
        (BinaryOperator::BitOr, "|", 3),
        (BinaryOperator::And, "&&", 2),
        (BinaryOperator::Or, "||", 1),
    ];

    /// Returns its text.
    pub fn text(self) -> &'static str {
        Self::ALL.iter().find(|(operator, ..)| *operator == self).map_or("", |(_, text, _)| text)
    }
}
