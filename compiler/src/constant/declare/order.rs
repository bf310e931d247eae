//! The order in which declarations are evaluated: each after those that it uses.

use rustc_hash::FxHashMap;
use tracec_grammar::syntax::{ExprId, ExprKind, Exprs, SetMember};

use super::super::convert::words;
use super::Item;

/// The number of cycles that are reported one by one. More are not read by anybody, and each costs its length.
const MOST_CYCLES: usize = 64;

/// An order of declarations.
#[derive(Default)]
pub(super) struct Order {
    /// All items in the order of evaluation, except those that are stuck.
    pub(super) items: Vec<usize>,
    /// Items that are part of a cycle. They cannot be evaluated, nor can the items that use them.
    pub(super) stuck: Vec<usize>,
    /// Items that use each other in a cycle, in the order of use. Each cycle has a first and a last item that no cycle
    /// before it has.
    pub(super) cycles: Vec<Vec<usize>>,
}

/// The state of an item in the walk.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the current path, at this depth.
    Open(usize),
    Done,
}

/// Walks the uses depth first, with an explicit stack: a file may hold a chain of any length.
pub(super) fn order(items: &[Item<'_>], exprs: &Exprs) -> Order {
    let index: FxHashMap<&str, usize> =
        items.iter().enumerate().map(|(index, item)| (item.name().value.as_str(), index)).collect();
    let mut walk = Walk {
        states: vec![State::New; items.len()],
        reported: vec![false; items.len()],
        order: Order::default(),
    };
    for root in 0..items.len() {
        walk.from(root, |item| uses(item, items, exprs, &index));
    }
    walk.order
}

/// An item on the current path.
struct Step {
    item: usize,
    /// The items that it uses and that are still to be visited, last first.
    left: Vec<usize>,
    stuck: bool,
}

struct Walk {
    states: Vec<State>,
    /// Whether a reported cycle holds the item.
    reported: Vec<bool>,
    order: Order,
}

impl Walk {
    fn from(&mut self, root: usize, uses: impl Fn(usize) -> Vec<usize>) {
        let mut way = Vec::new();
        self.enter(root, &mut way, &uses);
        while let Some(step) = way.last_mut() {
            let item = step.item;
            match step.left.pop() {
                None => {
                    let done = if step.stuck { &mut self.order.stuck } else { &mut self.order.items };
                    done.push(item);
                    self.states[item] = State::Done;
                    way.pop();
                }
                Some(next) => match self.states[next] {
                    State::New => self.enter(next, &mut way, &uses),
                    State::Open(depth) => {
                        step.stuck = true;
                        self.report(item, next, &way, depth);
                    }
                    State::Done => {}
                },
            }
        }
    }

    fn enter(&mut self, item: usize, way: &mut Vec<Step>, uses: impl Fn(usize) -> Vec<usize>) {
        if self.states[item] == State::New {
            self.states[item] = State::Open(way.len());
            way.push(Step { item, left: uses(item), stuck: false });
        }
    }

    /// Records the cycle in which `last` uses `first`, which stands at `depth` of the path to it.
    fn report(&mut self, last: usize, first: usize, way: &[Step], depth: usize) {
        if self.reported[last] || self.reported[first] || self.order.cycles.len() >= MOST_CYCLES {
            return;
        }
        let cycle: Vec<usize> = way.iter().skip(depth).map(|step| step.item).collect();
        for &item in &cycle {
            self.reported[item] = true;
        }
        self.order.cycles.push(cycle);
    }
}

/// Returns the items that an item's expressions name, last first.
fn uses(of: usize, items: &[Item<'_>], exprs: &Exprs, index: &FxHashMap<&str, usize>) -> Vec<usize> {
    let roots: Vec<ExprId> = match items[of] {
        Item::Const(constant) => vec![constant.value],
        Item::Enum { syntax, .. } => syntax.members.iter().filter_map(|member| member.value).collect(),
    };
    let is_enum = matches!(items[of], Item::Enum { .. });
    let mut found = Vec::new();
    let mut name = |name: &str| {
        // Members of an enum can name the members above them with the enum's name too.
        if let Some(&item) = index.get(name)
            && !(is_enum && item == of)
        {
            found.push(item);
        }
    };
    if let Item::Const(constant) = items[of]
        && let Some(ty) = constant.ty.as_ref().and_then(words)
    {
        name(&ty);
    }
    let mut left = roots;
    while let Some(id) = left.pop() {
        match &exprs[id].kind {
            ExprKind::Name(text) => name(text),
            ExprKind::Path(parts) => {
                if let Some(first) = parts.first() {
                    name(&first.value);
                }
            }
            ExprKind::Cast { operand, ty } => {
                left.push(*operand);
                if let Some(ty) = words(ty) {
                    name(&ty);
                }
            }
            other => left.extend(operands(other)),
        }
    }
    found
}

/// Returns the operands of an expression.
fn operands(kind: &ExprKind) -> Vec<ExprId> {
    match kind {
        ExprKind::Member { base, .. } | ExprKind::Arrow { base, .. } => vec![*base],
        ExprKind::Index { base, index } => vec![*base, *index],
        ExprKind::Call { function, args } => std::iter::once(*function).chain(args.iter().copied()).collect(),
        ExprKind::Cast { operand, .. } | ExprKind::Unary { operand, .. } => vec![*operand],
        ExprKind::In { operand, members, .. } => {
            let ends = members.iter().flat_map(|member| match member {
                SetMember::One(value) => vec![*value],
                SetMember::Range { first, last } => vec![*first, *last],
            });
            std::iter::once(*operand).chain(ends).collect()
        }
        ExprKind::Choose { condition, then, otherwise } => vec![*condition, *then, *otherwise],
        ExprKind::Binary { left, right, .. } => vec![*left, *right],
        ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Patterns(parts) => parts.clone(),
        _ => Vec::new(),
    }
}
