//! Injected records (`inject`, kernel/trace/trace_events_inject.c), on kernels that are built for that: masks of CPUs,
//! which no program can choose otherwise.

use libtest_mimic::Failed;
use tracec_kernel::format::EventFormat;

use super::super::field::{Field, Kind, Stimulus, Value, chosen, given};
use super::super::model::Memory;
use super::super::rig::{Raw, Rig};
use super::{Source, fixed};

const FIELDS: &[Field] = &[
    chosen("cpumask", Kind::Cpumask, 0),
    given("CPU", Kind::Cpu),
    given("COMM", Kind::TaskName),
    given("common_pid", Kind::Int { bits: 32, signed: true }),
];

/// `ipi:ipi_send_cpumask`, with its mask at the offset of `callsite`; `callback` holds the serial.
#[derive(Debug)]
pub(crate) struct Inject {
    /// The location word of the mask: eight bytes at the offset of `callsite`.
    location: u32,
}

impl Inject {
    /// Returns the event; `Err` is the reason why the kernel lacks it.
    pub(crate) fn new(rig: &Rig) -> Result<Self, String> {
        let event = "ipi/ipi_send_cpumask";
        if !rig.has(event) {
            return Err("no event with a mask of CPUs".to_owned());
        }
        if !rig.has(&format!("{event}/inject")) {
            return Err("records cannot be written by hand (CONFIG_TRACE_EVENT_INJECT)".to_owned());
        }
        let format = rig.format(event).map_err(|error| format!("{error:?}"))?;
        let callsite = format.field("callsite").ok_or("ipi_send_cpumask has no `callsite`")?;
        Ok(Inject { location: callsite.size << 16 | callsite.offset })
    }
}

impl Source for Inject {
    fn event(&self) -> &'static str {
        "ipi/ipi_send_cpumask"
    }

    fn fields(&self) -> &[Field] {
        FIELDS
    }

    /// Returns a small number, since each record is written once for each instance.
    fn batch(&self) -> usize {
        24
    }

    fn fire(&self, rig: &Rig, stimulus: &Stimulus, _memory: &mut Memory) -> Result<(), Failed> {
        let [Value::Bits(mask)] = stimulus.values.as_slice() else {
            return Err("the values are not those of the fields".into());
        };
        let text = format!(
            "cpumask={} callsite={mask} callback={}",
            self.location,
            u64::from(stimulus.serial) << 1 | 1
        );
        rig.write_all(self.event(), "inject", text.as_bytes())
    }

    fn key(&self, format: &EventFormat, record: &Raw) -> Option<Vec<u8>> {
        let callback = u64::from_ne_bytes(fixed(format, "callback", record)?.try_into().ok()?);
        u32::try_from(callback >> 1).ok().map(|serial| serial.to_ne_bytes().to_vec())
    }

    fn key_of(&self, stimulus: &Stimulus) -> Vec<u8> {
        stimulus.serial.to_ne_bytes().to_vec()
    }
}
