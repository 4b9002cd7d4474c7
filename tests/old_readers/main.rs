//! Arrays that our library writes in format versions 18 to 22 (`sm.write_format_version`) are read by an older libtiledb: for each
//! seed an array with a random schema, in one of the versions that the library knows, cell by cell and by random queries.
//!
//! `TILEDB_REFERENCE` is the older library, of version 2.15 or later; without it the current reference reads all versions.
//! `cargo test --test old_readers` runs 150 seeds, `SEEDS=FROM..TO` others; `FORMAT_VERSION=18` writes this version only. Schemas
//! with a feature that the version lacks must be rejected, with the version that it requires.
//!
//! Where the older library answers otherwise than ours, it must answer as it does when it has written the same array itself,
//! or be wrong there, too (undefined memory): later releases corrected it.

#![allow(unreachable_pub, missing_docs, reason = "a test program")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops where something is wrong")]
#![allow(clippy::print_stdout, reason = "tells its figures")]

use support::accepted::Entry;
use support::round_trip::execute::{self, Answer, comparable};
use support::round_trip::scenario::Scenario;
use support::round_trip::types;
use support::seeds::{self, Played, Seeds, phase, reference_takes};
use support::{Api, Failure, address, set_variable};
use tiledb_core::types::{FormatFeature, FormatVersion, release_order};

/// The parameter as an environment variable, which only our library reads.
const VARIABLE: &str = "TILEDB_SM_WRITE_FORMAT_VERSION";

/// Steps in which a library reads its own array, since it died of ours.
const OF_ITS_OWN: usize = 100;

/// The numbers of `GEOM_WKB` and `GEOM_WKT`.
const GEOMETRIES: [u64; 2] = [42, 43];

const FEATURES: [FormatFeature; 4] = [
    FormatFeature::DeltaFilter,
    FormatFeature::DoubleDeltaReinterpret,
    FormatFeature::ConvertedFilterInput,
    FormatFeature::GeometryDatatypes,
];

const fn outcome(name: &'static str) -> Entry {
    Entry { name, letter: ' ', why: "", judge: "", seeds: "" }
}

/// Arrays that were read completely, by version.
static READ: [Entry; 5] = [
    outcome("version_18_read"),
    outcome("version_19_read"),
    outcome("version_20_read"),
    outcome("version_21_read"),
    outcome("version_22_read"),
];
/// Schemas that were rejected because of a feature, in the order of `FEATURES`.
static REJECTED: [Entry; 4] = [
    outcome("rejected_delta_filter"),
    outcome("rejected_double_delta_reinterpret"),
    outcome("rejected_converted_filter_input"),
    outcome("rejected_geometry_datatypes"),
];
/// Schemas and cells that no version can store.
static INVALID: Entry = outcome("invalid_in_every_version");
/// Datatypes that a later release of the same version reads.
static LATER_RELEASE: Entry = outcome("for_a_later_release_of_the_version");
/// Queries that the older library answers otherwise of arrays of its own, too.
static AS_ITS_OWN: Entry = outcome("query_as_of_its_own_array");
/// Queries that it answers wrongly of both arrays, each time otherwise.
static UNDEFINED: Entry = outcome("query_undefined_of_its_own_array");
/// Queries that it dies of, but not if it has written the array: 2.29 and 2.30 die of the same ones in version 22.
static DIED: Entry = outcome("query_that_the_older_library_died_of");
/// Queries of arrays that it refuses to write, since its filters do not store the cells.
static NOT_WRITTEN: Entry = outcome("query_of_cells_that_it_does_not_write");

fn main() {
    seeds::main(&Seeds { name: "old_readers", usual: "0..150", play });
}

/// The release of a library: major and minor.
fn release_of(api: &Api) -> (u32, u32) {
    let mut numbers = [0i32; 3];
    let [major, minor, revision] = &mut numbers;
    api.raw("version", &[address(major), address(minor), address(revision)]);
    (numbers[0] as u32, numbers[1] as u32)
}

/// The newest version that a library reads.
fn newest(api: &Api) -> u32 {
    let release = release_of(api);
    let reads = |number: &u32| {
        let version = FormatVersion::from_number(*number).unwrap();
        release_order(version.first_release()) <= release
    };
    (18..=22).rev().find(reads).expect("a library of version 2.15 or later")
}

fn play(ours: &Api, old: &Api, seed: u64) -> Result<Played, String> {
    let newest = newest(old);
    let number = match std::env::var("FORMAT_VERSION") {
        Ok(number) => number.parse().unwrap(),
        Err(_) => 18 + (seed % u64::from(newest - 17)) as u32,
    };
    set_variable(VARIABLE, &number.to_string());
    let scenario = Scenario::random(seed);
    // No libtiledb accepts cells of a fixed number of values of this type.
    if scenario
        .attributes
        .iter()
        .any(|attribute| attribute.shape.ty.number == types::ANY && attribute.shape.values.is_some())
    {
        return Ok(Played { queries: 0, accepted: vec![&INVALID] });
    }
    let has_geometries = scenario.attributes.iter().any(|attribute| GEOMETRIES.contains(&attribute.shape.ty.number));
    if has_geometries
        && number == 21
        && release_of(old) < release_order(FormatFeature::GeometryDatatypes.first_release())
    {
        return Ok(Played { queries: 0, accepted: vec![&LATER_RELEASE] });
    }
    let folder = tempfile::tempdir().unwrap();
    let uri = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    phase(seed, "ours");
    if let Err(failure) = make(ours, &uri("ours"), &scenario) {
        return rejected(ours, &uri("current"), &scenario, number, &failure);
    }
    let mut played = Played { queries: 0, accepted: vec![&READ[number as usize - 18]] };
    let mut of_its_own: Option<Result<(), Failure>> = None;
    let mut whole = scenario.whole();
    // Several submits instead of gigabytes of buffers.
    whole.room = if scenario.long { 64 } else { whole.room };
    for (step, query) in std::iter::once(&whole).chain(&scenario.reads).enumerate() {
        let read = |api: &Api, name: &str| -> Answer {
            execute::read(api, &uri(name), &scenario, query).map(|fields| comparable(&scenario, query, fields))
        };
        phase(seed, "ours");
        let own = read(ours, "ours");
        if !reference_takes(seed, 2 * step) {
            if reference_takes(seed, OF_ITS_OWN + step) && make(old, &uri("old"), &scenario).is_ok() {
                let _ = read(old, "old");
                played.accepted.push(&DIED);
            }
            continue;
        }
        let theirs = read(old, "ours");
        if is_same(&own, &theirs) {
            played.queries += 1;
            continue;
        }
        if !reference_takes(seed, 2 * step + 1) {
            continue;
        }
        let made = of_its_own.get_or_insert_with(|| make(old, &uri("old"), &scenario));
        if made.is_err() {
            // Cells that only later filters store.
            played.accepted.push(&NOT_WRITTEN);
            continue;
        }
        let of_own = read(old, "old");
        if is_same(&of_own, &theirs) {
            played.accepted.push(&AS_ITS_OWN);
        } else if !is_same(&of_own, &own) || is_same(&own, &read(old, "ours")) {
            // Undefined memory, of its own array as well, or otherwise each time.
            played.accepted.push(&UNDEFINED);
        } else {
            return Err(format!("{query:?}: {}; it reads its own array rightly", difference(&own, &theirs)));
        }
    }
    Ok(played)
}

/// Errors are the same whatever their texts.
fn is_same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Ok(one), Ok(other)) => one == other,
        (Err(_), Err(_)) => true,
        _ => false,
    }
}

/// The first difference of two answers.
fn difference(one: &Answer, other: &Answer) -> String {
    let (Ok(one), Ok(other)) = (one, other) else {
        let text = |answer: &Answer| answer.as_ref().err().map_or("cells".to_owned(), |failure| failure.text.clone());
        return format!("{} and {}", text(one), text(other));
    };
    for (field, (one, other)) in one.iter().zip(other).enumerate() {
        if let Some(cell) = one.iter().zip(other).position(|(one, other)| one != other) {
            return format!("column {field}, cell {cell} is {:?} and {:?}", one[cell], other[cell]);
        }
        if one.len() != other.len() {
            return format!("column {field} has {} and {} cells", one.len(), other.len());
        }
    }
    "none".to_owned()
}

fn make(api: &Api, uri: &str, scenario: &Scenario) -> Result<(), Failure> {
    execute::create(api, uri, scenario)?;
    scenario.writes.iter().try_for_each(|write| execute::write(api, uri, scenario, write))
}

/// Judges a failure to write: a feature that the version lacks is named with the version that has it, in which the array
/// can be created; all other schemas fail in every version.
fn rejected(ours: &Api, uri: &str, scenario: &Scenario, number: u32, failure: &Failure) -> Result<Played, String> {
    set_variable(VARIABLE, "22");
    let current = execute::create(ours, uri, scenario);
    let named = |feature: &FormatFeature| failure.text.contains(&format!("cannot express {};", feature.name()));
    let entry = match FEATURES.iter().position(named) {
        Some(index) => {
            let since = FEATURES[index].since().number();
            if since <= number || !failure.text.contains(&format!("at least version {since} ")) {
                return Err(format!("rejected in version {number}: {failure:?}"));
            }
            if failure.function != "array_schema_check" && failure.function != "array_create" {
                return Err(format!("rejected too late: {failure:?}"));
            }
            &REJECTED[index]
        }
        None => {
            let again = current
                .and_then(|()| scenario.writes.iter().try_for_each(|write| execute::write(ours, uri, scenario, write)));
            // Which of several errors is found first is open.
            match again {
                Err(again) if !again.text.contains("cannot express") && !failure.text.contains("cannot express") => {
                    &INVALID
                }
                other => return Err(format!("version {number}: {failure:?}, version 22: {other:?}")),
            }
        }
    };
    Ok(Played { queries: 0, accepted: vec![entry] })
}
