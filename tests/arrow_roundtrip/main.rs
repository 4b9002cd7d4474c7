//! Random arrays through Arrow: for each seed an array with a random schema is written through buffers, read as a
//! stream of record batches, and the stream is written into a second array. Some attributes have enumerations. Both
//! arrays must have the same cells when both libraries read them through buffers.
//!
//! `cargo test --test arrow_roundtrip` runs 150 seeds, `SEEDS=FROM..TO` others.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

mod names;

use std::ffi::CString;

use support::accepted::EMPTY_VAR_TILES;
use support::random::Random;
use support::round_trip::data;
use support::round_trip::execute::{self, Cell};
use support::round_trip::scenario::{OffsetMode, Read, Scenario};
use support::round_trip::types;
use support::seeds::{self, Played, Seeds, phase};
use support::{Api, Array, Ctx, Failure, address, folders, text};

const ROW_MAJOR: u64 = 0;
const GLOBAL: u64 = 2;
const UNORDERED: u64 = 3;
const HILBERT: u64 = 4;
const BOOL: u64 = 41;
/// The datatypes that are text in Arrow where cells have any length.
const TEXTS: [u64; 3] = [types::ASCII, types::UTF8, 43];

fn main() {
    seeds::main(&Seeds { name: "arrow", usual: "0..150", play });
}

/// How cells go from one array to the other.
struct Way {
    layout: u64,
    mode: OffsetMode,
    /// Bytes of the batches that are read, and that are gathered before they are written.
    batches: [u64; 2],
}

impl Way {
    fn random(random: &mut Random, scenario: &Scenario) -> Way {
        let layouts: &[u64] = match (scenario.dense, scenario.cell_order == HILBERT) {
            (true, _) => &[ROW_MAJOR, 1],
            (false, true) => &[UNORDERED],
            (false, false) => &[UNORDERED, GLOBAL],
        };
        let batches = match scenario.capacity > 5000 {
            true => [0, 0],
            false => [*random.pick(&[0, 500, 20_000]), *random.pick(&[0, 5000])],
        };
        Way { layout: *random.pick(layouts), mode: OffsetMode::random(random), batches }
    }
}

fn play(ours: &Api, reference: &Api, seed: u64) -> Result<Played, String> {
    let mut scenario = without_filters(Scenario::random(seed));
    let names = names::random(&mut Random::new(!seed), &mut scenario);
    let create = |api, uri: &String| {
        execute::create_with(api, uri, &scenario, &|ctx, schema, attribute, number| match &names[number] {
            Some(names) => names.add(ctx, schema, attribute, number),
            None => Ok(()),
        })
    };
    let way = Way::random(&mut Random::new(!seed), &scenario);
    let folder = tempfile::tempdir_in(folders::temporary()).unwrap();
    let [from, to] = ["from", "to"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    let said = |failure: Failure| format!("{failure:?}");
    phase(seed, "ours");
    if let Err(refused) = [&from, &to].into_iter().try_for_each(|uri| create(ours, uri)) {
        phase(seed, "reference");
        let theirs = create(reference, &from).err();
        return if theirs.as_ref() == Some(&refused) { Ok(Played::default()) } else { Err(said(refused)) };
    }
    match scenario.writes.iter().try_for_each(|write| execute::write(ours, &from, &scenario, write)) {
        // So some scenarios want it.
        Err(failure) if failure.text.contains("Duplicate coordinates") => return Ok(Played::default()),
        outcome => outcome.map_err(said)?,
    }
    let mut columns = read(ours, &from, &scenario).map_err(said)?;
    names::absent_are_null(&scenario, &names, &mut columns);
    let written = cells(&scenario, &columns);
    match (carry(ours, &scenario, &way, [&from, &to]), is_text(&scenario, &columns)) {
        (Ok(count), true) if count == written.len() as u64 => {}
        (Ok(count), true) => return Err(format!("{count} cells of {} came", written.len())),
        (Err(failure), false) if failure.text.contains("UTF-8") => return Ok(Played::default()),
        (outcome, is_text) => return Err(format!("text {is_text}: {outcome:?}")),
    }
    let mut accepted = Vec::new();
    for (who, api) in [("ours", ours), ("reference", reference)] {
        phase(seed, who);
        let carried = match read(api, &to, &scenario).map(|columns| cells(&scenario, &columns)) {
            Err(failure) if who == "reference" && failure.text.contains("Incorrect unfiltered tile size") => {
                accepted.push(&EMPTY_VAR_TILES);
                break;
            }
            carried => carried.map_err(said)?,
        };
        if let Some((a, b)) = written.iter().zip(&carried).find(|(a, b)| a != b) {
            return Err(format!("{who} reads {b:?} where {a:?} was written; layout {}", way.layout));
        }
        if written.len() != carried.len() {
            return Err(format!("{who} reads {} cells of {}", carried.len(), written.len()));
        }
    }
    Ok(Played { queries: 1, accepted })
}

/// Filters have tests of their own.
fn without_filters(mut scenario: Scenario) -> Scenario {
    let attributes = scenario.attributes.iter_mut().map(|attribute| &mut attribute.pipeline);
    let dimensions = scenario.dimensions.iter_mut().map(|dimension| &mut dimension.pipeline);
    attributes.chain(dimensions).for_each(|pipeline| pipeline.filters.clear());
    Scenario { coords: None, offsets: None, validity: None, ..scenario }
}

/// Reads an array as record batches and writes these into another one; gives how many cells there were.
fn carry(api: &Api, scenario: &Scenario, way: &Way, [from, to]: [&str; 2]) -> Result<u64, Failure> {
    let ctx = &execute::context(api, scenario, way.mode, None);
    let (source, target) = (Array::open(ctx, from, 0, None, None)?, Array::open(ctx, to, 1, None, Some(10))?);
    let names = scenario.fields().into_iter().map(|(name, _)| text(&name));
    // Cells of dense arrays have their places.
    let names: Vec<CString> = names.skip(if scenario.dense { scenario.dimensions.len() } else { 0 }).collect();
    let names: Vec<*const i8> = names.iter().map(|name| name.as_ptr().cast()).collect();
    let mut stream = [0u64; 5];
    let reading = query(&source, 0, scenario, way)?;
    let fields = [names.as_ptr() as u64, names.len() as u64];
    ctx.call("rs_query_to_arrow", &[reading, fields[0], fields[1], way.batches[0], address(&mut stream)])?;
    ctx.free("query", reading);
    let writing = query(&target, 1, scenario, way)?;
    let result = write(ctx, writing, way, &mut stream);
    ctx.free("query", writing);
    result
}

/// A query of the whole array.
fn query(array: &Array<'_>, kind: u64, scenario: &Scenario, way: &Way) -> Result<u64, Failure> {
    let query = array.ctx.get("query_alloc", &[array.handle, kind])?;
    array.ctx.call("query_set_layout", &[query, way.layout])?;
    if scenario.dense {
        let whole = execute::subarray(array, scenario, &scenario.whole().ranges)?;
        array.ctx.call("query_set_subarray_t", &[query, whole])?;
        array.ctx.free("subarray", whole);
    }
    Ok(query)
}

fn write(ctx: &Ctx<'_>, query: u64, way: &Way, stream: &mut [u64; 5]) -> Result<u64, Failure> {
    let count = ctx.get("rs_query_from_arrow", &[query, address(stream), way.batches[1], 0, 0])?;
    if way.layout == GLOBAL {
        ctx.call("query_finalize", &[query])?;
    }
    Ok(count)
}

/// All cells of an array, field by field.
fn read(api: &Api, uri: &str, scenario: &Scenario) -> Result<Vec<Vec<Cell>>, Failure> {
    let whole = scenario.whole();
    let room = if scenario.long { 1 << 10 } else { whole.room };
    execute::read(api, uri, scenario, &Read { room, ..whole })
}

/// The cells as far as Arrow keeps them: of nulls that they are null, of `BOOL` whether it is 0. Those of sparse arrays are sorted.
fn cells(scenario: &Scenario, columns: &[Vec<Cell>]) -> Vec<Vec<Cell>> {
    let fields = scenario.fields();
    let count = columns.iter().map(Vec::len).max().unwrap_or(0);
    let cell = |row: usize| {
        let of_field = |(column, (_, shape)): (&Vec<Cell>, &(String, data::Shape))| match &column[row] {
            (_, Some(0)) => (Vec::new(), Some(0)),
            (bytes, validity) if shape.ty.number == BOOL => {
                (bytes.iter().map(|&byte| u8::from(byte != 0)).collect(), *validity)
            }
            cell => cell.clone(),
        };
        columns.iter().zip(&fields).map(of_field).collect()
    };
    let mut cells: Vec<Vec<Cell>> = (0..count).map(cell).collect();
    if !scenario.dense {
        cells.sort();
    }
    cells
}

/// True if all that is text in Arrow is UTF-8, the values of nulls, too.
fn is_text(scenario: &Scenario, columns: &[Vec<Cell>]) -> bool {
    let is_text = |shape: &data::Shape| shape.values.is_none() && TEXTS.contains(&shape.ty.number);
    let mut texts = scenario.fields().into_iter().zip(columns).filter(|((_, shape), _)| is_text(shape));
    texts.all(|(_, column)| column.iter().all(|(bytes, _)| std::str::from_utf8(bytes).is_ok()))
}
