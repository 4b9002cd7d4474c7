//! Random cells of every type that files support survive a round trip: from Arrow files into arrays, exported as Arrow
//! or CSV, and imported into other arrays. In CSV an empty text is null. `SEEDS=5..6` selects other seeds.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test stops at once")]

#[path = "support/raw.rs"]
mod raw;
mod support;

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, LargeBinaryArray, LargeStringArray, PrimitiveArray, RecordBatch};
use arrow_ipc::reader::FileReader;
use arrow_ipc::writer::FileWriter;
use raw::raw;
use support::Story;

/// Random numbers.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())].clone()
    }

    /// Cells, of which some have no value where that is wanted.
    fn cells<T>(&mut self, rows: usize, has_nulls: bool, make: impl Fn(&mut Self) -> T) -> Vec<Option<T>> {
        (0..rows).map(|_| (!has_nulls || self.below(4) > 0).then(|| make(self))).collect()
    }

    fn numbers<T: ArrowPrimitiveType>(
        &mut self,
        rows: usize,
        has_nulls: bool,
        limits: &[T::Native],
        make: fn(u64) -> T::Native,
    ) -> ArrayRef {
        let cells =
            self.cells(rows, has_nulls, |dice| if dice.below(2) == 0 { dice.one(limits) } else { make(dice.next()) });
        Arc::new(PrimitiveArray::<T>::from_iter(cells))
    }
}

const TEXTS: [&str; 16] = [
    "",
    "plain",
    "a,b",
    "\"",
    "\"quoted\"",
    "two\nlines",
    "two\r\nlines",
    " spaces ",
    "NaN",
    "null",
    "0x41",
    "-0",
    "äöü 漢字 😀",
    "'",
    "\t;|",
    "00501",
];

/// A batch with a column of each type.
fn batch(seed: u64) -> RecordBatch {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let rows = 1 + dice.below(60);
    let mut columns: Vec<(String, ArrayRef)> = Vec::new();
    for has_nulls in [false, true] {
        let mut all: Vec<(&str, ArrayRef)> = Vec::new();
        macro_rules! whole {
            ($name:literal, $type:ty, $native:ty) => {
                whole!($name, $type, $native, <$native>::MIN);
            };
            ($name:literal, $type:ty, $native:ty, $least:expr) => {
                let limits = [$least, <$native>::MIN + 1, 0, 1, <$native>::MAX - 1, <$native>::MAX];
                all.push(($name, dice.numbers::<$type>(rows, has_nulls, &limits, |bits| bits as $native)));
            };
        }
        whole!("i8", Int8Type, i8);
        whole!("i16", Int16Type, i16);
        whole!("i32", Int32Type, i32);
        whole!("i64", Int64Type, i64);
        whole!("u8", UInt8Type, u8);
        whole!("u16", UInt16Type, u16);
        whole!("u32", UInt32Type, u32);
        whole!("u64", UInt64Type, u64);
        // The least number is no time, which comes back as null.
        whole!("s", TimestampSecondType, i64, i64::MIN + 1);
        whole!("ms", TimestampMillisecondType, i64, i64::MIN + 1);
        whole!("us", TimestampMicrosecondType, i64, i64::MIN + 1);
        whole!("ns", TimestampNanosecondType, i64, i64::MIN + 1);
        let limits = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.1];
        let real = |bits| f64::from_bits(bits);
        // Other patterns of NaN are not told apart in text.
        let real = move |bits| if real(bits).is_nan() { f64::NAN } else { real(bits) };
        all.push(("f64", {
            let cells = dice
                .cells(rows, has_nulls, |dice| if dice.below(2) == 0 { dice.one(&limits) } else { real(dice.next()) });
            Arc::new(PrimitiveArray::<Float64Type>::from_iter(cells))
        }));
        let limits = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, f32::MIN_POSITIVE, 1e-45, f32::MAX, 0.1];
        all.push(("f32", dice.numbers::<Float32Type>(rows, has_nulls, &limits, |bits| (bits as i32) as f32 / 7.0)));
        all.push(("yes", Arc::new(BooleanArray::from(dice.cells(rows, has_nulls, |dice| dice.below(2) == 0)))));
        all.push(("text", Arc::new(LargeStringArray::from(dice.cells(rows, has_nulls, |dice| dice.one(&TEXTS))))));
        let bytes = dice.cells(rows, has_nulls, |dice| dice.next().to_le_bytes()[..dice.below(8)].to_vec());
        all.push(("bytes", Arc::new(LargeBinaryArray::from_iter(bytes))));
        columns.extend(all.into_iter().map(|(name, array)| (format!("{name}{}", u8::from(has_nulls)), array)));
    }
    RecordBatch::try_from_iter(columns).unwrap()
}

fn write(file: &Path, batch: &RecordBatch) {
    let mut writer = FileWriter::try_new(File::create(file).unwrap(), &batch.schema()).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
}

/// Whether a file has the cells of a batch; of CSV, where empty texts may have become nulls.
fn check(file: &Path, batch: &RecordBatch, was_csv: bool) {
    let batches: Vec<_> = FileReader::try_new(File::open(file).unwrap(), None).unwrap().map(Result::unwrap).collect();
    let rows: Vec<(&RecordBatch, usize)> =
        batches.iter().flat_map(|batch| (0..batch.num_rows()).map(move |row| (batch, row))).collect();
    assert_eq!(rows.len(), batch.num_rows());
    for (name, column) in batch.schema().fields().iter().map(|field| field.name()).zip(batch.columns()) {
        let non_empty = |cell: Option<Vec<u8>>| cell.filter(|cell| !(was_csv && cell.is_empty()));
        let is_text = was_csv && (name.starts_with("text") || name.starts_with("bytes"));
        for (row, (back, at)) in rows.iter().enumerate() {
            let actual = raw(back.column_by_name(name).unwrap(), *at);
            let expected = raw(column, row);
            let is_same = if is_text {
                shown(non_empty(actual.clone())) == shown(non_empty(expected.clone()))
            } else {
                actual == expected
            };
            assert!(is_same, "{name}, row {row}: {actual:?} instead of {expected:?}");
        }
    }
}

/// No bytes are shown as `0x`, too.
fn shown(cell: Option<Vec<u8>>) -> Vec<u8> {
    cell.unwrap_or_default()
}

fn does(story: &Story, arguments: &[&str]) {
    let output = story.tool(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn random_batches_are_exported_unchanged() {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..12".to_owned());
    let (from, to) = seeds.split_once("..").unwrap();
    for seed in from.parse().unwrap()..to.parse::<u64>().unwrap() {
        println!("seed {seed}");
        let story = Story::new();
        let source = batch(seed);
        let place = |name: &str| story.path().join(name);
        write(&place("given.arrow"), &source);
        does(&story, &["import", "given.arrow", "first"]);
        does(&story, &["cat", "first", "--format", "arrow", "-o", "first.arrow"]);
        check(&place("first.arrow"), &source, false);
        let names: Vec<String> = source.schema().fields().iter().map(|field| field.name().clone()).collect();
        does(&story, &["cat", "first", "--fields", &names.join(","), "--format", "csv", "-o", "first.csv"]);
        let report: serde_json::Value =
            serde_json::from_slice(&story.tool(&["info", "--json", "first"]).stdout).unwrap();
        let attributes = report["attributes"].as_array().unwrap().iter();
        // Characters that are no text are shown as bytes, which only fields of bytes take back.
        let types = attributes.map(|one| (one["name"].as_str().unwrap(), one["type"].as_str().unwrap()));
        let types = types.map(|(name, kind)| format!("{name}={}", if kind == "CHAR" { "BLOB" } else { kind }));
        let types: Vec<String> = types.flat_map(|one| ["--type".to_owned(), one]).collect();
        let types: Vec<&str> = types.iter().map(String::as_str).collect();
        does(&story, &[&["import", "first.csv", "second"], &types[..]].concat());
        does(&story, &["cat", "second", "--fields", &names.join(","), "--format", "arrow", "-o", "second.arrow"]);
        check(&place("second.arrow"), &source, true);
        does(&story, &["import", "first.arrow", "third", "--row", "number"]);
        does(&story, &["cat", "third", "--fields", &names.join(","), "--format", "csv", "-o", "third.csv"]);
        assert_eq!(std::fs::read(place("first.csv")).unwrap(), std::fs::read(place("third.csv")).unwrap());
    }
}
