//! Placements.

use super::form::{Change, Form, enums, listed, one_of, structs};
use super::random::Random;
use crate::place::cost::Cost;
use crate::place::fixture::placed_id;
use crate::place::{
    Among, Engines, InKernel, NotInKernel, NotOnHost, Place, PlacedCondition, PlacedConjunct, PlacedEvent,
    PlacedId, Placement,
};

structs! {
    Among { own, programs }
    Engines { kernel, host }
    Placement { among, model, unknown, conditions, sessions }
    PlacedEvent { record, triggers }
    PlacedCondition { id, conjuncts, kernel, written, span }
    PlacedConjunct { place, cost }
}

enums! {
    Place { Constant(value), Kernel { text }, Program, Host { kernel }, Refused { kernel, host } }
    InKernel { Filter, Program }
    NotInKernel {
        NoEngine,
        Unsayable { obstacle, reason, unknown },
        Many { comparisons, few },
        NoRoom { length },
    }
    NotOnHost { Trigger, NoEngine, Demanded(words), Cannot(hindrances) }
    Cost { None, Compare, Text, Pattern, Memory, Host }
}

listed! {
    PlacedId: [placed_id(0), placed_id(1), placed_id(10)];
}
