//! Classes and events: fields, layouts, templates and expressions.

use std::path::Path;

use tracec_compiler::ir::definition::{
    ConstantTable, Conversion, EventClass, ExprId, FieldValue, PrintPart, PrintTemplate, Shape, TypeKind,
    Value,
};
use tracec_kernel::format::EventFormat;

use crate::{STORAGE, definitions, with_tables};

#[test]
fn the_five_parts_become_a_typed_class() {
    let (found, constants, _) = with_tables(STORAGE);
    assert_eq!(found.subsystem.as_ref().map(|name| name.value.as_str()), Some("storage"));
    assert_eq!(found.headers[0].path.value, "linux/blkdev.h");
    assert_eq!(constants[found.constants].values["BIG"], Value::int(4096));
    let class = &found.classes[0];
    type Extent = Option<(u32, u32, bool)>;
    let fields: Vec<(&str, &str, &str, Extent)> = class
        .fields
        .iter()
        .map(|field| {
            let layout = field.layout.map(|at| (at.offset, at.size, at.signed));
            (field.name.value.as_str(), field.declared.name, field.shown.as_str(), layout)
        })
        .collect();
    assert_eq!(
        fields,
        [
            ("dev", "__field", "dev_t", Some((8, 4, false))),
            ("bytes", "__field", "u32", Some((12, 4, false))),
            ("status", "__field", "u8", Some((16, 1, false))),
            ("op", "__field", "u32", Some((20, 4, false))),
            ("comm", "__array", "char[16]", Some((24, 16, false))),
            ("name", "__string", "__data_loc char[]", Some((40, 4, false))),
            ("tags", "__dynamic_array", "__data_loc u8[]", Some((44, 4, false))),
            ("cpus", "__cpumask", "__data_loc cpumask_t", Some((48, 4, false))),
            ("start", "__field", "u64", Some((56, 8, false))),
            ("to", "__field_struct", "struct sockaddr_in6", Some((64, 28, false))),
            ("raw", "__field", "u16", Some((92, 2, false))),
            // Only the header knows the length, and so where everything behind it lies.
            ("driver", "__array", "char[DRIVER_NAME_LEN]", None),
            ("last", "__field", "u8", None),
        ]
    );
    assert_eq!(class.size, None);
    assert_eq!(class.fields[1].doc.as_deref(), Some("How many."));
    assert_eq!(class.fields[1].value, FieldValue::Argument(1));
    assert_eq!(class.fields[10].value, FieldValue::Statements);
    assert!(matches!(class.fields[6].value, FieldValue::Elements { .. }));
}

#[test]
fn events_share_their_class() {
    let (found, constants, _) = with_tables(STORAGE);
    let names: Vec<(&str, &str)> = found
        .events
        .iter()
        .map(|event| (event.name.value.as_str(), found.class_of(event).unwrap().name.value.as_str()))
        .collect();
    assert_eq!(
        names,
        [("rq_issue", "request"), ("rq_done", "request"), ("rq_slow", "request"), ("lone", "lone")]
    );
    let (done, slow) = (&found.events[1], &found.events[2]);
    let class = found.class_of(done).unwrap();
    assert_eq!(printed(done.print.as_ref().unwrap(), &constants, &field_names(class)), ["<name text>"]);
    assert!(slow.condition.is_some() && slow.print.is_none());
    assert_eq!(slow.hooks.as_ref().map(|hooks| hooks.register.value.as_str()), Some("my_reg"));
    assert_eq!(slow.doc.as_deref(), Some("Only the big ones."));
    let own = &found.events[3];
    assert!(own.condition.is_some());
    assert_eq!(own.hooks.as_ref().map(|hooks| hooks.unregister.value.as_str()), Some("lone_unreg"));
    let lone = found.class_of(own).unwrap();
    assert!(lone.of_one_event && lone.print.span.is_none());
    assert_eq!(lone.field("path").unwrap().declared.name, "__string");
    assert_eq!(lone.field("where").unwrap().shown, "void *");
    assert_eq!(
        printed(&lone.print, &constants, &field_names(lone)).concat(),
        "path=<path text> where=<where p>"
    );
}

/// A template in words: text as it is, and what is printed how.
pub(crate) fn printed(template: &PrintTemplate, constants: &ConstantTable, names: &[&str]) -> Vec<String> {
    let part = |part: &PrintPart| match part {
        PrintPart::Text(text) => text.clone(),
        PrintPart::Field { field, conversion } => {
            format!("<{} {}>", names[*field], words(conversion, constants))
        }
        PrintPart::Expr { conversion, .. } => format!("<expression {}>", words(conversion, constants)),
    };
    template.parts.iter().map(part).collect()
}

fn words(conversion: &Conversion, constants: &ConstantTable) -> String {
    let shaped = |shape: &Shape, rest: &str| {
        let width = shape.width.map_or(String::new(), |width| width.to_string());
        format!("{}{width}{rest}", shape.flags)
    };
    match conversion {
        Conversion::Integer { base, bytes, shape } => shaped(shape, &format!("{base:?} of {bytes}")),
        Conversion::Text(shape) => shaped(shape, "text"),
        Conversion::Symbolic { ty, shape } => shaped(shape, &format!("name of {}", constants[*ty].name)),
        Conversion::Flags { ty, delimiter, shape } => {
            shaped(shape, &format!("{} with {delimiter}", constants[*ty].name))
        }
        Conversion::Pointer { extension, shape } => shaped(shape, extension.letters),
        other => format!("{other:?}"),
    }
}

pub(crate) fn field_names(class: &EventClass) -> Vec<&str> {
    class.fields.iter().map(|field| field.name.value.as_str()).collect()
}

#[test]
fn templates_print_by_type_and_format() {
    let (found, constants, _) = with_tables(STORAGE);
    let class = &found.classes[0];
    let parts = printed(&class.print, &constants, &field_names(class)).concat();
    assert_eq!(
        parts,
        "dev=<dev Device> {<bytes #010Hex of 4>} <expression text> <status name of Status> <op Op with |> \
         <op Op with ,> <status Signed of 1> <comm -16text> <name text> <tags Hex { spaced: true }> \
         <tags Array { element: 1 }> <cpus Bits> <to pISpc> <expression Unsigned of 8> <expression Unsigned of 4>"
    );
}

/// Definitions hold their expressions, typed and with every name resolved: nothing refers to the text.
#[test]
fn expressions_are_typed_and_their_names_resolved() {
    let found = definitions(STORAGE);
    let class = &found.classes[0];
    let arguments: Vec<&str> = class.arguments.iter().map(|argument| argument.name.value.as_str()).collect();
    let fields = field_names(class);
    let shown = |id: ExprId, names: &[&str]| {
        let ty = found.exprs[id].ty.as_ref().map_or("unknown", TypeKind::describe);
        format!("{}: {ty}", found.exprs.print(id, names))
    };
    let set = |value: &FieldValue| match value {
        FieldValue::Expr(id) => vec![shown(*id, &arguments)],
        FieldValue::Elements { pointer, count } => {
            vec![shown(*pointer, &arguments), shown(*count, &arguments)]
        }
        FieldValue::Argument(_) | FieldValue::Statements => Vec::new(),
    };
    assert_eq!(
        class.fields.iter().flat_map(|field| set(&field.value)).collect::<Vec<_>>(),
        [
            "disk_devt(rq->q->disk): unknown",
            "current->comm: a pointer to text",
            "rq->name: unknown",
            "rq->tags: unknown",
            "rq->nr_tags: unknown",
            "rq->mask: unknown",
            "rq->start_time_ns: unknown",
            "*to: a struct",
            "rq->driver: unknown",
            "0: an integer",
        ]
    );
    let printed = class.print.parts.iter().filter_map(|part| match part {
        PrintPart::Expr { expr, .. } => Some(shown(*expr, &fields)),
        PrintPart::Text(_) | PrintPart::Field { .. } => None,
    });
    assert_eq!(
        printed.collect::<Vec<_>>(),
        [
            "(bytes > BIG /* 4096 */) ? \"big\" : \"small\": text",
            "bytes / 1024: an integer",
            "MAJOR(dev): an integer",
        ]
    );
    let condition = found.events[2].condition.expect("a condition");
    assert_eq!(
        shown(condition, &arguments),
        "(bytes > BIG /* 4096 */) && (!(status in {0, 3..=5})): an integer"
    );
    // Operands come first, and no expression is there that nothing uses.
    let mut used: Vec<ExprId> = vec![condition];
    used.extend(found.events[3].condition);
    for class in &found.classes {
        for field in &class.fields {
            match field.value {
                FieldValue::Expr(id) => used.push(id),
                FieldValue::Elements { pointer, count } => used.extend([pointer, count]),
                FieldValue::Argument(_) | FieldValue::Statements => {}
            }
        }
        used.extend(class.print.parts.iter().filter_map(|part| match part {
            PrintPart::Expr { expr, .. } => Some(*expr),
            PrintPart::Text(_) | PrintPart::Field { .. } => None,
        }));
    }
    for (id, expr) in found.exprs.iter() {
        let operands = expr.kind.operands();
        assert!(operands.iter().all(|operand| *operand < id), "{expr:?}");
        used.extend(operands);
    }
    used.sort();
    assert_eq!(used, found.exprs.iter().map(|(id, _)| id).collect::<Vec<_>>());
}

/// What a text declares is the same whenever it is checked, also where a definition with a mistake is left out.
#[test]
fn equal_texts_have_equal_definitions() {
    let found = definitions(STORAGE);
    assert_eq!(found, definitions(STORAGE));
    assert_eq!(format!("{found:?}"), format!("{:?}", definitions(STORAGE)));
    assert_ne!(found, definitions(&STORAGE.replace("bytes / 1024", "bytes / 1025")));
}

/// The layout that is computed is the one that a kernel shows for the same fields.
#[test]
fn layouts_are_those_of_real_events() {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernel/tests/data/formats");
    for (event, entry) in [
        (
            "sched.sched_switch",
            "prev_comm: char[TASK_COMM_LEN] = p->comm; prev_pid: pid_t = p->pid; prev_prio: int = p->prio; \
             prev_state: long = p->state; next_comm: char[16] = p->comm; next_pid: pid_t = p->pid; \
             next_prio: int = p->prio;",
        ),
        (
            "sched.sched_process_exec",
            "filename: string = p->filename; pid: pid_t = p->pid; old_pid: pid_t = p->old_pid;",
        ),
        (
            "ipi.ipi_send_cpumask",
            "cpumask: cpumask = p->mask; callsite: *void = p->callsite; callback: *void = p->callback;",
        ),
        (
            "block.block_rq_issue",
            "dev: dev_t = p->dev; sector: sector_t = p->sector; nr_sector: unsigned int = p->nr; \
             bytes: unsigned int = p->bytes; ioprio: unsigned short = p->ioprio; rwbs: char[RWBS_LEN] = p->rwbs; \
             comm: char[TASK_COMM_LEN] = p->comm; cmd: string = p->cmd;",
        ),
        (
            "kmem.kmalloc",
            "call_site: unsigned long = p->site; ptr: *const void = p->ptr; bytes_req: size_t = p->req; \
             bytes_alloc: size_t = p->alloc; gfp_flags: unsigned long = p->gfp; node: int = p->node;",
        ),
        (
            "net.net_dev_xmit",
            "skbaddr: *void = p->skb; len: unsigned int = p->len; rc: int = p->rc; name: string = p->name;",
        ),
    ] {
        let kernel = std::fs::read_to_string(data.join(event)).expect("a format file");
        let kernel = EventFormat::parse("x", &kernel).expect("a format");
        let source = format!(
            "subsystem storage; const RWBS_LEN: u32 = 10; \
             event e {{ proto (p: *struct task_struct) entry {{ {entry} }} }}"
        );
        let found = definitions(&source);
        let ours: Vec<_> = found.classes[0]
            .fields
            .iter()
            .map(|field| {
                let at = field.layout.expect("every size is known");
                (field.name.value.as_str(), field.shown.as_str(), at.offset, at.size, at.signed)
            })
            .collect();
        let theirs: Vec<_> = kernel
            .own_fields()
            .iter()
            .map(|field| {
                (field.name.as_str(), field.type_text.as_str(), field.offset, field.size, field.signed)
            })
            .collect();
        assert_eq!(ours, theirs, "{event}");
    }
}
