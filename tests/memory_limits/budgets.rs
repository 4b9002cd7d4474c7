//! Reads of every kind within every budget: the process grows by at most the budget and the caller's buffers, or the
//! read fails with an error that names the parameter and by how much it was too small.
//!
//! Each combination is read in a process of its own, which has read a small array of the same kind before, so that the
//! code and tables that a first read loads are not counted. By default some combinations are run; `BUDGETS=16` selects
//! all of one budget in MiB, `BUDGETS=all` those of the three of [`BUDGETS`], and prints them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::fixtures::{self, CELL, Fixture, KINDS, Kind, MIDDLE, WIDTH};
use crate::resident;
use support::{Api, Array, Column, Ctx, Failure, pointer, text};

const MIB: usize = 1 << 20;
const BUDGETS: [usize; 3] = [16, 64, 256];
/// That of every run.
const LITTLE: usize = 6;
/// Bytes of values of each buffer: this part of the budget.
const BUFFER: usize = 8;
/// Values of a field, in times the budget.
const TIMES: usize = 3;
const COMPLETED: u32 = 1;
const INCOMPLETE: u32 = 3;

const LAYOUTS: [&str; 4] = ["row", "column", "global", "unordered"];
const FIELDS: [(&str, &str); 5] =
    [("f", "fixed"), ("n", "nullable"), ("v", "var"), ("w", "nullable_var"), ("y", "coordinates")];

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Plain,
    Condition,
    Aggregate,
    Deletes,
    Labels,
}

const ASKS: [Ask; 5] = [Ask::Plain, Ask::Condition, Ask::Aggregate, Ask::Deletes, Ask::Labels];

/// One combination.
#[derive(Clone, Copy, Debug)]
struct Case {
    plot: Fixture,
    layout: usize,
    field: usize,
    ask: Ask,
    /// In MiB.
    budget: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (layout, field) = (LAYOUTS[self.layout], FIELDS[self.field].1);
        let text = format!("{}/{layout}/{field}/{:?}", place(&self.plot, self.budget), self.ask);
        f.write_str(&text.to_lowercase())
    }
}

/// Where an array lies; it is as large as the budget makes it.
fn place(plot: &Fixture, budget: usize) -> String {
    format!("{:?}-{}-{budget}", plot.kind, plot.fragments).to_lowercase()
}

impl Case {
    /// The same question to the least of such arrays.
    fn little(self) -> Case {
        Case { plot: Fixture { fragments: self.plot.fragments.min(2), rows: 50, ..self.plot }, ..self }
    }
}

/// Where that array lies.
fn little(path: &Path) -> PathBuf {
    path.with_extension("little")
}

/// What became of one.
enum Verdict {
    Within,
    /// With what it says.
    Refused(String),
    TooMuch,
    Failed(String),
}

fn cases(budget: usize) -> Vec<Case> {
    let rows = TIMES * budget * MIB / CELL / WIDTH / 50 * 50;
    let mut cases = Vec::new();
    for kind in fixtures::ALL {
        let fragments: &[usize] = if kind == Kind::Block { &[1] } else { &[1, 10, 100] };
        for &fragments in fragments {
            let plot = Fixture { kind, fragments, rows };
            for ask in ASKS.into_iter().filter(|&ask| goes_with(kind, ask)) {
                for (field, (name, _)) in FIELDS.iter().enumerate() {
                    let has_field = *name != "y" || kind == Kind::Text;
                    // Labels are not for global order.
                    let all = (0..LAYOUTS.len()).filter(|&layout| has_field && (layout != 2 || ask != Ask::Labels));
                    cases.extend(all.map(|layout| Case { plot, layout, field, ask, budget }));
                }
            }
        }
    }
    cases
}

fn goes_with(kind: Kind, ask: Ask) -> bool {
    match ask {
        Ask::Labels => matches!(kind, Kind::Dense | Kind::Block),
        Ask::Deletes => !matches!(kind, Kind::Dense | Kind::Block),
        _ => true,
    }
}

/// Those of every run: of little arrays of every kind, with every field, layout and question.
fn sample() -> Vec<Case> {
    let arrays = [
        (Kind::Dense, 10),
        (Kind::Block, 1),
        (Kind::Sparse, 100),
        (Kind::Duplicates, 10),
        (Kind::Text, 10),
        (Kind::Large, 10),
    ];
    let mut cases = cases(LITTLE);
    cases.retain(|case| arrays.contains(&(case.plot.kind, case.plot.fragments)));
    cases.into_iter().step_by(9).collect()
}

/// Runs what is asked for; tells how many are not as they must be.
pub fn parent(folder: &Path, filter: &str) -> usize {
    let budgets = std::env::var("BUDGETS").unwrap_or_default();
    let of_budget = |budget: &usize| budgets == "all" || budgets == budget.to_string();
    let budgets: Vec<usize> = BUDGETS.into_iter().filter(of_budget).collect();
    let mut cases = if budgets.is_empty() { sample() } else { budgets.iter().copied().flat_map(cases).collect() };
    cases.retain(|case| "budgets".contains(filter) || case.to_string().contains(filter));
    let show = !budgets.is_empty() || std::env::var_os("SHOW").is_some();
    let arrays = cases.chunk_by(|a, b| (a.plot, a.budget) == (b.plot, b.budget));
    let arrays: Vec<&[Case]> = arrays.collect();
    let next = AtomicUsize::new(0);
    let judged = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(cases) = arrays.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let path = folder.join(place(&cases[0].plot, cases[0].budget));
                    child(&cases[0], "--plot", &path).unwrap();
                    child(&cases[0].little(), "--plot", &little(&path)).unwrap();
                    for case in *cases {
                        let (grown, verdict) = judge(case, &path);
                        judged.lock().unwrap().push((*case, grown, verdict));
                    }
                    [&path, &little(&path)].map(std::fs::remove_dir_all).into_iter().for_each(drop);
                }
            });
        }
    });
    let (mut counts, mut broken, mut mended) = ([0; 4], 0, 0);
    for (case, grown, verdict) in judged.into_inner().unwrap() {
        let (number, word) = match &verdict {
            Verdict::Within => (0, "within"),
            Verdict::Refused(text) => (1, text.as_str()),
            Verdict::TooMuch => (2, "TOO MUCH"),
            Verdict::Failed(text) => (3, text.as_str()),
        };
        counts[number] += 1;
        let is_known = BREAKS.contains(&case.to_string().as_str());
        let is_wrong = number > 1 && !is_known;
        broken += usize::from(is_wrong);
        mended += usize::from(number < 2 && is_known);
        if show || is_wrong {
            println!("{case}: {grown} KiB of {} KiB, {word}", limit(&case) >> 10);
        }
    }
    let [within, refused, more, failed] = counts;
    println!(
        "budgets: {within} within, {refused} refused, {more} took more, {failed} failed; {mended} of the known mended"
    );
    broken
}

/// The most that a process may grow by.
fn limit(case: &Case) -> usize {
    let mut columns = columns(case);
    let buffers: usize = columns.iter_mut().map(|column| column.sizes.iter().sum::<u64>() as usize).sum();
    (case.budget * MIB + buffers) / 5 * 6
}

fn child(case: &Case, role: &str, path: &Path) -> Result<String, String> {
    let plot = case.plot;
    let numbers = [plot.fragments, plot.rows, case.layout, case.field, case.budget].map(|number| number.to_string());
    let words = [format!("{:?}", plot.kind), format!("{:?}", case.ask)];
    let program = std::env::current_exe().unwrap();
    // With a fixed threshold glibc gives large allocations back at once: what is measured is what the library holds, not what the
    // allocator keeps, which differs by megabytes from run to run.
    let mut command = Command::new(program);
    command.env("MALLOC_MMAP_THRESHOLD_", "131072").arg(role).arg(path).args(words).args(numbers);
    let output = command.output().unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
        false => Err(format!("{}: {}", output.status, String::from_utf8_lossy(&output.stderr))),
    }
}

/// The bytes that the process grew by, in KiB, and what to think of that.
fn judge(case: &Case, path: &Path) -> (usize, Verdict) {
    let output = match child(case, "--budget", path) {
        Ok(output) => output,
        Err(text) => return (0, Verdict::Failed(text)),
    };
    let (grown, refusal) = output.split_once(' ').unwrap_or((&output, ""));
    let grown = grown.parse().unwrap_or(usize::MAX);
    let is_honest = refusal.contains("'sm.mem.total_budget'") && refusal.matches(char::is_numeric).count() > 6;
    let verdict = match refusal {
        _ if grown > limit(case) >> 10 => Verdict::TooMuch,
        "" => Verdict::Within,
        _ if is_honest => Verdict::Refused(refusal.to_owned()),
        _ => Verdict::Failed(refusal.to_owned()),
    };
    (grown, verdict)
}

/// A process of a case: writes the array, or reads it and tells what it grew by.
pub fn run(words: &[String]) {
    let number = |at: usize| words[at].parse::<usize>().unwrap();
    let kind = fixtures::ALL.into_iter().find(|kind| format!("{kind:?}") == words[2]).unwrap();
    let ask = ASKS.into_iter().find(|ask| format!("{ask:?}") == words[3]).unwrap();
    let plot = Fixture { kind, fragments: number(4), rows: number(5) };
    let case = Case { plot, layout: number(6), field: number(7), ask, budget: number(8) };
    let api = Api::ours();
    if words[0] == "--plot" {
        return plot.write(&api, &words[1]).unwrap();
    }
    let ctx = api.context(&[("sm.mem.total_budget", &(case.budget * MIB).to_string())]);
    _ = read(&case.little(), &ctx, little(Path::new(&words[1])).to_str().unwrap(), &mut columns(&case));
    let mut columns = columns(&case);
    let before = resident::now();
    resident::reset_peak();
    let read = read(&case, &ctx, &words[1], &mut columns);
    let grown = resident::peak().saturating_sub(before) >> 10;
    match read {
        Ok(cells) => {
            assert_eq!(cells, expected_cells(&case), "{case}: as many cells");
            println!("{grown}");
        }
        Err(failure) => println!("{grown} {}", failure.text),
    }
}

/// The buffers, untouched: of the field, or of the answer.
fn columns(case: &Case) -> Vec<Column> {
    let field = FIELDS[case.field].0;
    let is_var = matches!(field, "v" | "w" | "y");
    let validity = fixtures::is_nullable(field);
    if case.ask == Ask::Aggregate {
        let answer = Column::with_capacity(
            "most",
            if is_var { 4 * CELL } else { CELL },
            is_var.then_some(1),
            validity.then_some(1),
        );
        return vec![answer, Column::with_capacity("count", 8, None, None)];
    }
    let bytes = case.budget * MIB / BUFFER;
    let cells = bytes / 16;
    vec![Column::with_capacity(field, bytes, is_var.then_some(cells), validity.then_some(cells))]
}

/// How many cells come out.
fn expected_cells(case: &Case) -> usize {
    let cells = case.plot.cells();
    match case.ask {
        // Of dense arrays other cells come too, as null or the fill value.
        Ask::Condition | Ask::Aggregate if case.plot.is_dense() => cells,
        Ask::Condition | Ask::Aggregate => cells / KINDS as usize * MIDDLE as usize,
        Ask::Deletes => cells / KINDS as usize * (KINDS as usize - 1),
        Ask::Plain | Ask::Labels => cells,
    }
}

/// Reads everything that is asked for and counts the cells.
fn read(case: &Case, ctx: &Ctx<'_>, uri: &str, columns: &mut [Column]) -> Result<usize, Failure> {
    let time = case.plot.fragments as u64 + u64::from(case.ask == Ask::Deletes);
    let end = (case.ask != Ask::Labels).then_some(time);
    let array = Array::open(ctx, uri, 0, None, end)?;
    let query = ctx.get("query_alloc", &[array.handle, 0])?;
    ctx.call("query_set_layout", &[query, case.layout as u64])?;
    set_ranges(case, ctx, &array, query)?;
    if matches!(case.ask, Ask::Condition | Ask::Aggregate) {
        ctx.call("query_set_condition", &[query, fixtures::condition(ctx, 3, MIDDLE)?])?;
    }
    if case.ask == Ask::Aggregate {
        aggregate(case, ctx, query)?;
    }
    columns.iter_mut().try_for_each(|column| column.bind(ctx, query))?;
    let mut cells = 0;
    let mut order = in_order(case);
    loop {
        ctx.call("query_submit", &[query])?;
        let status = ctx.get("query_get_status", &[query])? as u32;
        let column = &mut columns[0];
        let read = if column.offsets.is_some() { column.sizes[1] / 8 } else { column.sizes[0] / CELL as u64 };
        cells += read as usize;
        if let Some(order) = &mut order {
            check(case, column, read as usize, order);
        }
        if status == COMPLETED {
            break;
        }
        assert!(status == INCOMPLETE && read > 0, "status {status} after {read} cells");
        let rooms = [column.data.len(), column.offsets.as_ref().map_or(0, |starts| starts.len() * 8)];
        *column.sizes = [rooms[0] as u64, rooms[1] as u64, column.validity.as_ref().map_or(0, Vec::len) as u64];
    }
    ctx.free("query", query);
    if case.ask == Ask::Aggregate {
        let most = &columns[0].data[..columns[0].sizes[0] as usize];
        assert_eq!(most, greatest(case), "{case}: the greatest value");
        cells = columns[1].data[..8].iter().rev().fold(0, |count, byte| count << 8 | usize::from(*byte));
    }
    Ok(cells)
}

/// The cells that come out where the layout tells their order, and whether they meet the condition.
fn in_order(case: &Case) -> Option<impl Iterator<Item = (usize, bool)>> {
    let Case { plot, layout, ask, .. } = *case;
    let place = move |number: usize| match layout {
        0 => number,
        _ => number % plot.rows * WIDTH + number / plot.rows,
    };
    let least = match ask {
        Ask::Condition => MIDDLE,
        Ask::Deletes => 1,
        _ => 0,
    };
    let cells = (0..plot.cells()).map(move |number| (place(number), place(number) as i32 % KINDS >= least));
    let cells = cells.filter(move |(_, meets)| *meets || plot.is_dense());
    (layout < 2 && ask != Ask::Aggregate).then_some(cells)
}

/// Compares what was read with what was written.
fn check(case: &Case, column: &Column, read: usize, order: &mut impl Iterator<Item = (usize, bool)>) {
    let field = FIELDS[case.field].0;
    for number in 0..read {
        let (cell, meets) = order.next().unwrap();
        let value = match &column.offsets {
            Some(starts) if number + 1 < read => &column.data[starts[number] as usize..starts[number + 1] as usize],
            Some(starts) => &column.data[starts[number] as usize..column.sizes[0] as usize],
            None => &column.data[number * CELL..(number + 1) * CELL],
        };
        let fill: &[u8] = if column.offsets.is_some() { &[0] } else { &[0; CELL] };
        match meets {
            true => assert_eq!(value, &*case.plot.value(field, cell), "{case}: cell {cell}"),
            false => assert_eq!(value, fill, "{case}: cell {cell} without a value"),
        }
        if let Some(validity) = &column.validity {
            assert_eq!(validity[number] == 1, meets && cell % 3 != 0, "{case}: cell {cell} is there or null");
        }
    }
}

fn set_ranges(case: &Case, ctx: &Ctx<'_>, array: &Array<'_>, query: u64) -> Result<(), Failure> {
    if !case.plot.is_dense() {
        return Ok(());
    }
    let subarray = ctx.get("subarray_alloc", &[array.handle])?;
    let rows = case.plot.rows;
    if case.ask == Ask::Labels {
        let ends = [0, 2 * (rows as i64 - 1)];
        let [low, high] = [&ends[0], &ends[1]].map(|end| std::ptr::from_ref(end) as u64);
        ctx.call("subarray_add_label_range", &[subarray, pointer(&text("label")), low, high, 0])?;
    }
    for (dimension, count) in [rows, WIDTH].into_iter().enumerate().skip(usize::from(case.ask == Ask::Labels)) {
        let ends = [0, count as i32 - 1];
        let [low, high] = [&ends[0], &ends[1]].map(|end| std::ptr::from_ref(end) as u64);
        ctx.call("subarray_add_range", &[subarray, dimension as u64, low, high, 0])?;
    }
    ctx.call("query_set_subarray_t", &[query, subarray])?;
    ctx.free("subarray", subarray);
    Ok(())
}

/// The greatest value of those that meet the condition.
fn greatest(case: &Case) -> Vec<u8> {
    let field = FIELDS[case.field].0;
    if field == "y" {
        return case.plot.value(field, case.plot.cells() - 1).into_owned();
    }
    // Values come again and again.
    let meets =
        |cell: &usize| *cell as i32 % KINDS >= MIDDLE && !(fixtures::is_nullable(field) && cell.is_multiple_of(3));
    let values = (0..PERIOD).filter(meets).map(|cell| case.plot.value(field, cell).into_owned());
    values.max().unwrap()
}

/// As many cells as have different values, numbers and nulls.
const PERIOD: usize = 2 * CELL * KINDS as usize;

/// How many cells, and the greatest value.
fn aggregate(case: &Case, ctx: &Ctx<'_>, query: u64) -> Result<(), Failure> {
    let channel = ctx.get("query_get_default_channel", &[query])?;
    let count = ctx.get("aggregate_count_get", &[])?;
    ctx.call("channel_apply_aggregate", &[channel, pointer(&text("count")), count])?;
    let operator = ctx.get("channel_operator_max_get", &[])?;
    let most = ctx.get("create_unary_aggregate", &[query, operator, pointer(&text(FIELDS[case.field].0))])?;
    ctx.call("channel_apply_aggregate", &[channel, pointer(&text("most")), most])
}

/// What is known to take more than it may: a debt that only shrinks.
const BREAKS: [&str; 0] = [];
