//! Definitions of events: each mistake has its code and place, and a correct definition becomes what the kernel would
//! show.

#[path = "../common/mod.rs"]
mod common;

mod classes;
mod mistakes;
mod probes;
mod recovery;

use std::collections::BTreeMap;

use common::Copy;
use tracec_compiler::check::definition;
use tracec_compiler::constant;
use tracec_compiler::ir::Catalogue;
use tracec_compiler::ir::definition::{ConstantTable, Definitions};
use tracec_compiler::resolve::Finder;
use tracec_compiler::{Diagnostics, Severity};

/// Returns what a text declares; it has no mistakes.
fn definitions(source: &str) -> Definitions {
    with_tables(source).0
}

/// Returns what a text declares, with the tables that its ids refer to; it has no mistakes.
fn with_tables(source: &str) -> (Definitions, ConstantTable, Catalogue) {
    let parsed = tracec_grammar::parse(source);
    assert!(parsed.errors.is_empty(), "{source}\n{:#?}", parsed.errors);
    let mut diagnostics = Diagnostics::default();
    let mut table = ConstantTable::default();
    let (constants, has_all) = constant::declare(&parsed, BTreeMap::new(), &mut table, &mut diagnostics);
    let constants = table.add(constants);
    let mut finder = Finder::new(&Copy);
    let (definitions, complete) =
        definition::check(&parsed, constants, &table, &mut finder, &mut diagnostics);
    assert!(has_all && complete);
    let errors: Vec<_> = diagnostics.finish().into_iter().filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{source}\n{errors:#?}");
    (definitions, table, finder.into_catalogue())
}

const STORAGE: &str = r#"
subsystem storage;
include <linux/blkdev.h>;
/// What became of a request.
enum Status: u8 { Ok = 0 "OK", Err = 1 "ERR" }
flags Op: u32 { READ = 1, WRITE, SYNC = 1 << 2 "S" }
const BIG: u32 = 4KiB;
class request {
    proto (rq: *struct request, bytes: u32, status: int, op: u32, to: *struct sockaddr_in6)
    entry {
        dev: dev_t = disk_devt(rq->q->disk);
        /// How many.
        bytes: u32;
        status: Status;
        op: Op;
        comm: char[TASK_COMM_LEN] = current->comm;
        name: string = rq->name;
        tags: u8[] = (rq->tags, rq->nr_tags);
        cpus: cpumask = rq->mask;
        start: u64 = rq->start_time_ns;
        to: struct sockaddr_in6 = *to;
        raw: u16;
        driver: char[DRIVER_NAME_LEN] = rq->driver;
        last: u8 = 0;
    }
    assign `__entry->raw = rq->raw;`
    print "dev={dev:dev} {{{bytes:#010x}}} {bytes > BIG ? "big" : "small"} {status} {op} {op:flags(",")} {status:d} {comm:-16s} {name} {tags:hex} {tags} {cpus} {to:pISpc} {bytes / 1024} {MAJOR(dev)}"
}
event rq_issue: request;
event rq_done: request { print "{name}" }
/// Only the big ones.
event rq_slow: request if (bytes > BIG && !(status in {0, 3..=5})) with (my_reg, my_unreg);
event lone if (path) with (lone_reg, lone_unreg) { proto (path: *char, where: *void) }
"#;
