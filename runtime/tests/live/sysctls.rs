//! A sysctl is restored if it still holds what the session wrote.

use libtest_mimic::Failed;
use rustix::process::Signal;
use tracec_kernel::plan::{InstanceName, Location, Span, Step, Sysctl, Transaction};
use tracec_runtime::Errno;
use tracec_runtime::session::{ApplyError, Call, Cause, Residue, apply};

use crate::Test;
use crate::child::Child;
use crate::fixture::{Fixture, skipped, write};

pub(crate) const TESTS: &[Test] = &[
    ("sysctls::it_is_restored", it_is_restored),
    ("sysctls::refusal_of_any_step_restores_the_sysctl", refusal_of_any_step_restores_the_sysctl),
    ("sysctls::value_of_another_program_is_left", value_of_another_program_is_left),
    ("sysctls::a_killed_session_is_recovered", a_killed_session_is_recovered),
];

/// A sysctl that accepts any number, and has an effect only at a warning.
const NAME: &str = "traceoff_on_warning";
const PATH: &str = "/proc/sys/kernel/traceoff_on_warning";

fn step(value: &str) -> Step {
    Step::write(Location::Sysctl(Sysctl::new(NAME).unwrap()), value, Span::default())
}

/// Returns a transaction that sets the sysctl twice.
pub(crate) fn transaction(name: &InstanceName) -> Transaction {
    let steps = vec![Step::create(Span::default()), step("1"), step("3")];
    Transaction::new(name.clone(), steps).unwrap()
}

/// The value of the sysctl before a test, which is restored after it.
struct Before(String);

impl Before {
    /// Sets the sysctl for a test. Prints the reason if it cannot be set here.
    fn new() -> Option<Self> {
        let failed = |error| skipped(format!("{PATH}: {error}"));
        let before = Before(std::fs::read_to_string(PATH).map_err(failed).ok()?);
        std::fs::write(PATH, "2").map_err(failed).ok()?;
        Some(before)
    }
}

impl Drop for Before {
    fn drop(&mut self) {
        // A failure is ignored: the sysctl could be set before.
        let _ = std::fs::write(PATH, &self.0);
    }
}

fn read() -> String {
    std::fs::read_to_string(PATH).unwrap().trim().to_owned()
}

/// Panics unless the sysctl is left with the value of another program.
fn assert_left(left: &[Residue]) {
    let cause = Cause::Overwritten { holds: "7".to_owned() };
    assert_eq!(left, [Residue { path: PATH.into(), cause }]);
    assert_eq!(read(), "7");
}

fn it_is_restored() -> Result<(), Failed> {
    let Some(_before) = Before::new() else { return Ok(()) };
    let fixture = Fixture::new();
    let applied = apply(&fixture.tracefs, &transaction(&fixture.name), &fixture.runtime_dir())?;
    assert_eq!(read(), "3");
    applied.undo()?;
    assert_eq!(read(), "2");
    fixture.assert_nothing_left();
    Ok(())
}

fn refusal_of_any_step_restores_the_sysctl() -> Result<(), Failed> {
    let Some(_before) = Before::new() else { return Ok(()) };
    let fixture = Fixture::new();
    let good = transaction(&fixture.name);
    for at in 1..=good.steps().len() {
        for bad in [step("not a number"), write("options/test_nop_refuse", "1")] {
            let mut steps = good.steps().to_vec();
            steps.insert(at, bad);
            let transaction = Transaction::new(fixture.name.clone(), steps)?;
            let error = apply(&fixture.tracefs, &transaction, &fixture.runtime_dir()).unwrap_err();
            let (step, call, errno, kernel, residue) = (at, Call::Write, Errno::INVAL, None, Vec::new());
            assert_eq!(error, ApplyError::Refused { step, call, errno, kernel, residue });
            assert_eq!(read(), "2");
            fixture.assert_nothing_left();
        }
    }
    Ok(())
}

fn value_of_another_program_is_left() -> Result<(), Failed> {
    let Some(_before) = Before::new() else { return Ok(()) };
    let fixture = Fixture::new();
    let applied = apply(&fixture.tracefs, &transaction(&fixture.name), &fixture.runtime_dir())?;
    std::fs::write(PATH, "7")?;
    assert_left(&applied.undo().unwrap_err().residue);
    fixture.assert_nothing_left();
    Ok(())
}

fn a_killed_session_is_recovered() -> Result<(), Failed> {
    let Some(_before) = Before::new() else { return Ok(()) };
    let fixture = Fixture::new();
    for is_overwritten in [false, true] {
        let mut child = Child::spawn(&fixture, "sysctls");
        assert_eq!(child.read_line(), "applied\n");
        child.signal(Signal::KILL);
        child.wait();
        assert_eq!(read(), "3");
        if is_overwritten {
            std::fs::write(PATH, "7")?;
        }
        let recovered = fixture.recover();
        assert_eq!(recovered.removed, [fixture.instance()]);
        if is_overwritten {
            assert_left(&recovered.left);
        } else {
            assert_eq!((recovered.left, recovered.restored), (Vec::new(), vec![PATH.into()]));
            assert_eq!(read(), "2");
        }
        assert!(!fixture.instance_exists() && !fixture.journal().exists());
    }
    Ok(())
}
