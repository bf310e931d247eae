//! The model of the running kernel's filter, and the properties of the kernel that it needs.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::ops::Range;

use libtest_mimic::Failed;
use tracec_kernel::filter::Model as FilterModel;
use tracec_kernel::format::EventFormat;
use tracec_kernel::tables::features::Support;
use tracec_kernel::tables::filter_errors::{ERRNO, NONE};
use tracec_oracle::filter::{Filter, ParseContext, Refusal};

use super::bench::Bench;
use super::model::{Decide, Model, Refused};
use super::rig;

/// The function that filters name: it is in every kernel.
pub(crate) const FUNCTION: &str = "schedule";

/// The model, and its inputs.
pub(crate) struct Kernel {
    features: BTreeMap<String, Support>,
    /// The model of its filter.
    pub(crate) model: FilterModel,
    /// The number of possible CPUs.
    pub(crate) nr_cpu_ids: u32,
    nr_cpus: u32,
    symbols: Symbols,
}

/// The symbols of the kernel itself in /proc/kallsyms, without its modules; empty where it hides addresses.
#[derive(Debug, Default)]
struct Symbols {
    by_name: HashMap<String, u64>,
    /// In order, each once.
    addresses: Vec<u64>,
}

impl Kernel {
    /// Asks the running kernel for its features.
    pub(crate) fn running(bench: &Bench) -> Result<Self, Failed> {
        let features = rig::features(&bench.tracec, &bench.tracefs)?;
        let has = |name: &str| {
            features.get(name).cloned().unwrap_or_else(|| Support::Unknown("it was not saved".to_owned()))
        };
        let model = FilterModel::of(has)?;
        println!("{model:?}");
        Ok(Kernel {
            features,
            model,
            nr_cpu_ids: nr_cpu_ids()?,
            nr_cpus: nr_cpus()?,
            symbols: Symbols::read(),
        })
    }

    /// Returns whether the kernel has a feature.
    pub(crate) fn has(&self, feature: &str) -> bool {
        self.features.get(feature) == Some(&Support::Yes)
    }

    /// Returns `uname -r`.
    pub(crate) fn release(&self) -> String {
        rustix::system::uname().release().to_string_lossy().into_owned()
    }

    /// Returns the addresses of the function that filters name.
    pub(crate) fn function(&self) -> Option<Range<u64>> {
        self.symbols.named(FUNCTION)
    }
}

impl Model for Kernel {
    fn parse(&self, event: &EventFormat, text: &[u8]) -> Result<Decide, Refused> {
        let context = ParseContext {
            nr_cpu_ids: self.nr_cpu_ids,
            nr_cpus: self.nr_cpus,
            function_named: &|name| self.symbols.named(name),
            function_at: &|address| self.symbols.around(address),
        };
        let refused = |refusal: Refusal| Refused {
            errno: refusal.errno,
            error: (*refusal.error != ERRNO && *refusal.error != NONE).then(|| refusal.error.text.to_owned()),
            caret: refusal.column_in_filter_file(text),
        };
        let filter = Filter::parse(text, event, &self.model, &context).map_err(refused)?;
        Ok(Box::new(move |record, moment| filter.matches(record, moment)))
    }
}

impl Symbols {
    fn read() -> Self {
        // Where it cannot be read, no symbol is known, and no filter names one.
        let text = fs::read_to_string("/proc/kallsyms").unwrap_or_default();
        let mut symbols = Symbols::default();
        for line in text.lines() {
            let mut words = line.split_ascii_whitespace();
            let address = words.next().and_then(|word| u64::from_str_radix(word, 16).ok());
            let (Some(address @ 1..), Some(name), None) = (address, words.nth(1), words.next()) else {
                continue;
            };
            symbols.by_name.entry(name.to_owned()).or_insert(address);
            symbols.addresses.push(address);
        }
        symbols.addresses.sort_unstable();
        symbols.addresses.dedup();
        symbols
    }

    fn named(&self, name: &str) -> Option<Range<u64>> {
        self.around(*self.by_name.get(name)?)
    }

    /// Returns the range from the symbol to the next one at another address: `get_symbol_pos` in kernel/kallsyms.c.
    fn around(&self, address: u64) -> Option<Range<u64>> {
        let next = self.addresses.partition_point(|&symbol| symbol <= address);
        let start = *self.addresses.get(next.checked_sub(1)?)?;
        Some(start..*self.addresses.get(next)?)
    }
}

/// Returns the last possible CPU, plus one.
fn nr_cpu_ids() -> Result<u32, Failed> {
    let possible = fs::read_to_string("/sys/devices/system/cpu/possible")?;
    let last = possible.trim().rsplit([',', '-']).next().unwrap_or_default();
    Ok(last.parse::<u32>().map_err(|error| format!("{possible:?}: {error}"))? + 1)
}

/// Returns the number of CPUs that the kernel is built for.
fn nr_cpus() -> Result<u32, Failed> {
    let last = fs::read_to_string("/sys/devices/system/cpu/kernel_max")?;
    Ok(last.trim().parse::<u32>().map_err(|error| format!("{last:?}: {error}"))? + 1)
}
