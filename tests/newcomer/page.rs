//! The page of the book.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use libtest_mimic::Failed;

use crate::mistake::{Further, Mistake, Said};
use crate::recorded::{self, Outcome, Tool, Verdict};
use crate::table::{self, CONDITIONS, DOUBTED, GROUPS, LEARNT};
use crate::tracec::{self, Refusal};

const PAGE: &str = "book/src/mistakes.md";

type Outcomes = BTreeMap<(String, Tool), Outcome>;

/// Compares the page with the one in the tree, or writes it there.
pub(crate) fn is_as_generated() -> Result<(), Failed> {
    let page = generated()?;
    expect_test::expect_file![tracec::path(PAGE)].assert_eq(&page);
    Ok(())
}

fn generated() -> Result<String, Failed> {
    let outcomes = recorded::outcomes()?;
    let mut refusals = BTreeMap::new();
    for mistake in table::all() {
        let learnt = LEARNT.contains(&mistake.name);
        refusals.insert(mistake.name, tracec::check_as_process(mistake.name, mistake.tracec, learnt)?);
    }
    let mut page = head();
    counts(&mut page, &outcomes, &refusals)?;
    for group in GROUPS {
        writeln!(page, "\n## {}", group.title)?;
        for mistake in group.mistakes {
            section(&mut page, mistake, &outcomes, &refusals)?;
        }
    }
    further(&mut page)?;
    conditions(&mut page)?;
    Ok(page)
}

/// The conditions of which tracec alone is asked.
fn conditions(page: &mut String) -> Result<(), Failed> {
    writeln!(page, "\n## Conditions in the words of other languages")?;
    for row in CONDITIONS {
        let Refusal { text, .. } = tracec::check_as_process(row.name, row.tracec, false)?;
        told(page, row, &text)?;
    }
    writeln!(page, "\n## What means another thing")?;
    writeln!(page, "\nThese have a meaning, and certainly not the one that was meant: tracec warns.")?;
    for row in DOUBTED {
        told(page, row, &tracec::warned_as_process(row.name, row.tracec)?)?;
    }
    Ok(())
}

fn told(page: &mut String, row: &Further, text: &str) -> Result<(), Failed> {
    let title = row.name.replace('-', " ");
    writeln!(page, "\n### {title}\n\nMeant: {}.\n", row.meant)?;
    let words = quoted(row.tracec);
    match row.in_file {
        true => writeln!(page, "```text\n$ echo {words} | tracec check -\n{text}\n```")?,
        false => writeln!(page, "```text\n$ tracec check -e {words}\n{text}\n```")?,
    }
    Ok(())
}

/// The mistakes of which tracec alone is asked.
fn further(page: &mut String) -> Result<(), Failed> {
    writeln!(page, "\n## Forms of other tools and languages")?;
    writeln!(
        page,
        "\nOf these {} tracec alone is asked. What it offers is tested: it can be read and",
        table::further().count()
    )?;
    writeln!(page, "checked, and the first of it means what was meant.")?;
    for further in table::further() {
        let Refusal { text, .. } = match further.in_file {
            true => tracec::check_file_as_process(further.name, further.tracec)?,
            false => tracec::check_as_process(further.name, further.tracec, false)?,
        };
        told(page, further, &text)?;
    }
    Ok(())
}

fn head() -> String {
    let [bpftrace, trace_cmd, kernel] = recorded::VERSIONS;
    format!(
        "\
# Mistakes of newcomers

What newcomers write, what they meant, and what three tools make of sixty such mistakes; at the end stand forms of
other tools and languages, and what tracec says to them. This page is generated: tracec is asked
whenever the tests run; bpftrace {bpftrace} (`bpftrace -d`, its dry run) and trace-cmd {trace_cmd} (`trace-cmd start` into an
instance), both Debian 12's, were asked on Debian 12's kernel {kernel}, and `cargo xtask test newcomer` asks them again.

"
    )
}

/// The order of the verdicts, and their meaning.
const VERDICTS: [(Verdict, &str); 6] = [
    (Verdict::Refused, "refuses it: a status other than 0, and nothing was touched"),
    (Verdict::HalfWay, "refuses it half-way: a status other than 0, and an instance is left with tracing on"),
    (Verdict::Loud, "complains, and all the same traces, with status 0"),
    (Verdict::Silent, "accepts it in silence, with another meaning"),
    (Verdict::Right, "has it as its own way to say what was meant"),
    (Verdict::Never, "cannot say it"),
];

fn counts(page: &mut String, outcomes: &Outcomes, refusals: &BTreeMap<&str, Refusal>) -> Result<(), Failed> {
    let count = |tool, verdict| -> Result<usize, Failed> {
        let verdicts = table::all().map(|mistake| verdict_of(mistake, tool, outcomes));
        let verdicts = verdicts.collect::<Result<Vec<_>, Failed>>()?;
        Ok(verdicts.into_iter().filter(|found| *found == verdict).count())
    };
    writeln!(page, "| of 60 mistakes, the tool | tracec | bpftrace | trace-cmd |\n|---|---|---|---|")?;
    for (verdict, meaning) in VERDICTS {
        let own = match verdict {
            Verdict::Refused => refusals.len() - LEARNT.len(),
            Verdict::Right => LEARNT.len(),
            _ => 0,
        };
        let (bpftrace, trace_cmd) = (count(Tool::Bpftrace, verdict)?, count(Tool::TraceCmd, verdict)?);
        writeln!(page, "| {meaning} | {own} | {bpftrace} | {trace_cmd} |")?;
    }
    let single = refusals.values().filter(|refusal| refusal.errors.len() == 1).count();
    writeln!(page, "\nIn {single} of the 60, tracec says what is wrong with exactly one error.")?;
    Ok(())
}

fn verdict_of(mistake: &Mistake, tool: Tool, outcomes: &Outcomes) -> Result<Verdict, Failed> {
    let fixed = match tool {
        Tool::Bpftrace => kind(&mistake.bpftrace),
        Tool::TraceCmd => kind(&mistake.trace_cmd),
    };
    match fixed {
        Some(verdict) => Ok(verdict),
        None => Ok(outcome(mistake, tool, outcomes)?.verdict()),
    }
}

/// Returns the verdict that the table gives.
fn kind<T>(said: &Said<T>) -> Option<Verdict> {
    match said {
        Said::Wrong(_) => None,
        Said::Right(..) => Some(Verdict::Right),
        Said::Never(_) => Some(Verdict::Never),
    }
}

fn outcome<'a>(mistake: &Mistake, tool: Tool, outcomes: &'a Outcomes) -> Result<&'a Outcome, Failed> {
    let found = outcomes.get(&(mistake.name.to_owned(), tool));
    found.ok_or_else(|| format!("nothing is recorded for {} and {tool:?}", mistake.name).into())
}

fn section(
    page: &mut String,
    mistake: &Mistake,
    outcomes: &Outcomes,
    refusals: &BTreeMap<&str, Refusal>,
) -> Result<(), Failed> {
    let title = mistake.name.replace('-', " ");
    let refusal = refusals.get(mistake.name).ok_or("every mistake was checked")?;
    writeln!(page, "\n### {title}\n\nMeant: {}.\n", mistake.meant)?;
    writeln!(page, "```text\n$ tracec check -e {}\n{}\n```\n", quoted(mistake.tracec), refusal.text)?;
    let bpftrace = mistake.bpftrace.words().map(|program| format!("bpftrace -d -e {}", quoted(program)));
    peer(page, mistake, Tool::Bpftrace, bpftrace, reason(&mistake.bpftrace), outcomes)?;
    let trace_cmd = mistake.trace_cmd.words().map(|words| {
        let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
        format!("trace-cmd start -B newcomer {}", words.join(" "))
    });
    peer(page, mistake, Tool::TraceCmd, trace_cmd, reason(&mistake.trace_cmd), outcomes)
}

/// Returns why it is not a mistake of that tool.
fn reason<T>(said: &Said<T>) -> &'static str {
    match said {
        Said::Wrong(_) => "",
        Said::Right(_, reason) | Said::Never(reason) => reason,
    }
}

fn peer(
    page: &mut String,
    mistake: &Mistake,
    tool: Tool,
    command: Option<String>,
    reason: &str,
    outcomes: &Outcomes,
) -> Result<(), Failed> {
    let name = match tool {
        Tool::Bpftrace => "bpftrace",
        Tool::TraceCmd => "trace-cmd",
    };
    let Some(command) = command else {
        writeln!(page, "{name} cannot say it: {reason}.\n")?;
        return Ok(());
    };
    let outcome = outcome(mistake, tool, outcomes)?;
    let mut block = format!("$ {command}");
    if !outcome.message.is_empty() {
        write!(block, "\n{}", shortened(&outcome.message))?;
    }
    writeln!(page, "```text\n{}\n```\n", without_trailing_space(&block))?;
    let summary = match verdict_of(mistake, tool, outcomes)? {
        Verdict::Refused => format!("{name} refuses it with status {}.", outcome.status),
        Verdict::Right => format!("For {name} it is right: {reason}."),
        Verdict::Silent => format!("{name} accepts it{}.", state(outcome)),
        Verdict::Loud => format!("{name} ends with status 0{}.", state(outcome)),
        Verdict::HalfWay => format!("{name} ends with status {}{}.", outcome.status, state(outcome)),
        Verdict::Never => String::new(),
    };
    writeln!(page, "{summary}\n")?;
    Ok(())
}

/// Returns the tracing state that it left, as the rest of a sentence.
fn state(outcome: &Outcome) -> String {
    let Some(left) = outcome.left else { return String::new() };
    let on = if left.on { "tracing is on" } else { "tracing is off" };
    let events = match left.enabled {
        0 => "no event enabled".to_owned(),
        1 => "1 event enabled".to_owned(),
        more => format!("{more} events enabled"),
    };
    let filtered = match (left.enabled, left.filtered) {
        (0, _) => "",
        (_, 0) => " and no filter",
        (all, some) if all == some => " and filtered",
        _ => " and only some filtered",
    };
    format!("; {on} with {events}{filtered}, triggers: {}", left.triggers)
}

/// Returns the first lines: bpftrace repeats a mistake for every event that a pattern names.
fn shortened(message: &str) -> String {
    const SHOWN: usize = 9;
    let lines: Vec<&str> = message.lines().collect();
    match lines.len().checked_sub(SHOWN) {
        None | Some(0) => message.to_owned(),
        Some(more) => format!("{}\n(and {more} lines more)", lines[..SHOWN].join("\n")),
    }
}

/// Returns a word quoted for a shell.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_:./".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn without_trailing_space(text: &str) -> String {
    text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
