//! `cargo xtask COMMAND`.

use std::process::ExitCode;

use anyhow::Result;
use xtask::{bare, constants, demo, profiles, setup, snapshot, test, trace_names, vm};

struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<ExitCode>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "demo",
        arguments: "[--place live|vm|recording]",
        about: "run the quickstart on the best place there is",
        run: demo::main,
    },
    Command {
        name: "test",
        arguments: "[--list] [PART...]",
        about: "run every proof, or some parts",
        run: test::main,
    },
    Command {
        name: "soak",
        arguments: "[--list] [PART...]",
        about: "run the proofs that find more the longer they run, each with its full count",
        run: test::soak::main,
    },
    Command {
        name: "setup",
        arguments: "",
        about: "install the system packages that the two above need",
        run: setup::main,
    },
    Command {
        name: "vm",
        arguments: "--kernel 6.1|6.12|full [--shell-command CMD | -- TEST ARGS...]",
        about: "run something in a virtual machine with that kernel",
        run: |arguments| vm::main(arguments).map(|()| ExitCode::SUCCESS),
    },
    Command {
        name: "snapshot",
        arguments: "[--tracefs PATH] DIR | --diff DIR [DIR]",
        about: "take a picture of all tracing state, or compare",
        run: |arguments| snapshot::main(arguments).map(|()| ExitCode::SUCCESS),
    },
    Command {
        name: "profiles",
        arguments: "[6.1|6.12|6.18]...",
        about: "save the kernels that are shipped with tracec anew",
        run: profiles::main,
    },
    Command {
        name: "constants",
        arguments: "[--check]",
        about: "write the constants of the standard library from the kernel's headers, or compare",
        run: constants::main,
    },
    Command {
        name: "trace-names",
        arguments: "",
        about: "compare the table of names in trace headers with the headers of Debian's kernels",
        run: trace_names::main,
    },
    Command {
        name: "bare",
        arguments: "[--keep] [--plain] [--beside-others] [COMMAND...]",
        about: "run commands (demo and test) in a fresh Debian 12 with nothing but a Rust toolchain, or in a plain chroot \
                of it, or while another tracer makes and removes instances and events",
        run: bare::main,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let command = arguments.first().and_then(|name| COMMANDS.iter().find(|command| command.name == name));
    let Some(command) = command else {
        usage();
        let asked = arguments.first().is_some_and(|word| ["help", "--help", "-h"].contains(&word.as_str()));
        return if asked { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    (command.run)(&arguments[1..]).unwrap_or_else(|error| {
        eprintln!("xtask {}: {error:#}", command.name);
        ExitCode::FAILURE
    })
}

fn usage() {
    eprintln!("usage: cargo xtask COMMAND\n");
    for command in COMMANDS {
        eprintln!("  {} {}\n        {}", command.name, command.arguments, command.about);
    }
}
