//! Placements.

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;
use crate::place::cost::Cost;
use crate::place::fixture::placed_id;
use crate::place::{
    NotInKernel, NotOnHost, Place, PlacedCondition, PlacedConjunct, PlacedEvent, PlacedId, Placement,
};

structs! {
    Placement { model, unknown, conditions, sessions }
    PlacedEvent { record, triggers }
    PlacedCondition { id, conjuncts, kernel, written, span, spelling }
    PlacedConjunct { place, cost }
}

enums! {
    Place { Constant(value), Kernel { text }, Host { kernel }, Refused { kernel, host } }
    NotInKernel { Unsayable { obstacle, reason, unknown }, NoRoom { length } }
    NotOnHost { Trigger, Demanded(words), Cannot(hindrances) }
    Cost { None, Compare, Text, Pattern, Memory, Host }
}

listed! {
    PlacedId: [placed_id(0), placed_id(1), placed_id(10)];
}
