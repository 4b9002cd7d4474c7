//! Random queries on random arrays return what DataFusion returns for the same rows in memory. `SEEDS=0..2000` selects the queries.

#![allow(missing_docs, reason = "a test program")]

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use datafusion::datasource::MemTable;
use datafusion::prelude::SessionContext;
use tiledb::{Array, ArraySchema, Attribute, Context, Datatype, Dimension, Enumeration};
use tiledb_datafusion::{ArrayTable, register};

/// Xorshift: the same numbers for a seed everywhere.
struct Random(u64);

impl Random {
    fn of_seed(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % end
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

const REALS: [f64; 9] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0, 0.0, 1.5, -1.5, 1e300, 7.0];
const TEXTS: [&str; 8] = ["", "a", "ab", "abc", "b", "ä", "long text of many letters", "~"];
const COLORS: [&str; 3] = ["red", "green", "blue"];

/// The columns, with literals of their types.
const COLUMNS: [(&str, &[&str]); 12] = [
    ("id", &["0", "3", "7", "50", "-1", "1000", "9223372036854775807"]),
    (
        "day",
        &[
            "DATE '1970-01-01'",
            "DATE '1970-01-05'",
            "DATE '1970-02-01'",
            "DATE '1969-12-31'",
            "TIMESTAMP '1970-01-03T12:00:00'",
        ],
    ),
    ("small", &["0", "1", "-3", "127", "128", "-129", "2.5"]),
    ("whole", &["0", "1", "18446744073709551615", "-1", "9223372036854775808", "5"]),
    ("real", &["0.0", "-0.0", "1.5", "7", "1e300", "'NaN'::double", "'inf'::double"]),
    ("single", &["0.0", "1.5", "0.1", "7", "'NaN'::float"]),
    ("text", &["''", "'a'", "'ab'", "'b'", "'ä'", "'~'", "'zz'"]),
    ("maybe", &["''", "'a'", "'ab'", "'b'", "'ä'"]),
    ("flag", &["true", "false"]),
    (
        "moment",
        &["TIMESTAMP '1970-01-01T00:00:00'", "TIMESTAMP '1970-01-01T00:00:01'", "TIMESTAMP '1970-01-01T00:00:00.5'"],
    ),
    ("color", &["'red'", "'green'", "'mauve'", "''"]),
    ("date", &["DATE '1970-01-01'", "DATE '1970-01-03'", "TIMESTAMP '1970-01-02T12:00:00'"]),
];

fn create(ctx: &Context, uri: &str, random: &mut Random, is_dense: bool) {
    let day = Dimension::with_datatype("day", Datatype::DatetimeDay, 0..=40_i64).tile(9_i64);
    let mut schema = match is_dense {
        // The dimensions of dense arrays have one datatype.
        true => ArraySchema::dense().dimension(day),
        false => {
            ArraySchema::sparse().capacity(7).dimension(Dimension::new("id", 0..=99_i64).tile(10_i64)).dimension(day)
        }
    };
    if !is_dense && random.chance(50) {
        schema = schema.allow_duplicates();
    }
    let schema = schema
        .enumeration(Enumeration::strings("colors", COLORS).unwrap())
        .attribute(Attribute::new::<i8>("small"))
        .attribute(Attribute::new::<u64>("whole").nullable())
        .attribute(Attribute::new::<f64>("real"))
        .attribute(Attribute::new::<f32>("single").nullable())
        .attribute(Attribute::string("text"))
        .attribute(Attribute::string("maybe").nullable())
        .attribute(Attribute::with_datatype("flag", Datatype::Bool))
        .attribute(Attribute::with_datatype("moment", Datatype::DatetimeMs))
        .attribute(Attribute::new::<u8>("color").enumeration("colors"))
        .attribute(Attribute::with_datatype("date", Datatype::DatetimeDay).nullable());
    Array::create(ctx, uri, &schema.build().unwrap()).unwrap();
}

fn write(ctx: &Context, uri: &str, random: &mut Random, is_dense: bool) {
    let low = random.below(20) as i64;
    let cells = if is_dense { 1 + random.below(20) } else { 1 + random.below(40) };
    let ids: Vec<i64> = (0..cells).map(|cell| (cell as i64 * 7 + low) % 100).collect();
    let days: Vec<i64> = (0..cells).map(|_| random.below(41) as i64).collect();
    let validity = |random: &mut Random| (0..cells).map(|_| u8::from(random.chance(80))).collect::<Vec<u8>>();
    let small: Vec<i8> = (0..cells).map(|_| *random.pick(&[0, 1, -3, 127, -128, 5])).collect();
    let whole: Vec<u64> = (0..cells).map(|_| *random.pick(&[0, 1, 5, u64::MAX, 1 << 63])).collect();
    let reals: Vec<f64> =
        (0..cells).map(|_| *random.pick(&REALS) * if random.chance(20) { -1.0 } else { 1.0 }).collect();
    let singles: Vec<f32> = (0..cells).map(|_| *random.pick(&REALS) as f32).collect();
    let texts: Vec<&str> = (0..cells).map(|_| *random.pick(&TEXTS)).collect();
    let maybe: Vec<Option<&str>> = (0..cells).map(|_| random.chance(70).then_some(*random.pick(&TEXTS))).collect();
    let flags: Vec<bool> = (0..cells).map(|_| random.chance(50)).collect();
    let moments: Vec<i64> = (0..cells).map(|_| *random.pick(&[0, 1, 1000, 999, i64::MIN, -1])).collect();
    let colors: Vec<u8> = (0..cells).map(|_| *random.pick(&[0, 1, 2, 2, 77])).collect();
    let dates: Vec<i64> = (0..cells).map(|_| *random.pick(&[0, 1, 2, 3, i64::MIN, -1])).collect();
    let (whole_valid, single_valid, date_valid) = (validity(random), validity(random), validity(random));
    let writer = Array::open_for_writing(ctx, uri).unwrap();
    let mut query = writer.write();
    query = match is_dense {
        true => query.range("day", low..low + cells as i64),
        false => query.values("id", &ids).values("day", &days),
    };
    query
        .values("small", &small)
        .nullable("whole", &whole, &whole_valid)
        .values("real", &reals)
        .nullable("single", &singles, &single_valid)
        .strings("text", &texts)
        .optional_strings("maybe", &maybe)
        .bools("flag", &flags)
        .values("moment", &moments)
        .values("color", &colors)
        .nullable("date", &dates, &date_valid)
        .submit()
        .unwrap();
}

fn predicate(random: &mut Random, columns: &[(&str, &[&str])], depth: usize) -> String {
    if depth > 0 && random.chance(55) {
        let left = predicate(random, columns, depth - 1);
        return match random.below(5) {
            0 => format!("NOT ({left})"),
            1 | 2 => format!("({left} AND {})", predicate(random, columns, depth - 1)),
            _ => format!("({left} OR {})", predicate(random, columns, depth - 1)),
        };
    }
    let (name, literals) = *random.pick(columns);
    let operator = *random.pick(&["=", "<>", "<", "<=", ">", ">="]);
    match random.below(12) {
        0 => format!("{name} IS NULL"),
        1 => format!("{name} IS NOT NULL"),
        2 | 3 => {
            let count = 1 + random.below(5);
            let list: Vec<&str> = (0..count).map(|_| *random.pick(literals)).collect();
            format!("{name} {}IN ({})", if random.chance(30) { "NOT " } else { "" }, list.join(", "))
        }
        4 => format!("{name} BETWEEN {} AND {}", random.pick(literals), random.pick(literals)),
        5 if name == "text" || name == "maybe" => {
            format!("{name} LIKE '{}'", random.pick(&["a%", "%b", "ab_", "", "ä%", "~%", "a\\%"]))
        }
        6 if name == "flag" => "flag".to_owned(),
        7 => format!("{} {operator} {name}", random.pick(literals)),
        _ => format!("{name} {operator} {}", random.pick(literals)),
    }
}

fn rows(batches: &[RecordBatch]) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL").with_display_error(true);
    let mut rows = Vec::new();
    for batch in batches {
        let columns: Vec<ArrayFormatter<'_>> =
            batch.columns().iter().map(|column| ArrayFormatter::try_new(column, &options).unwrap()).collect();
        for row in 0..batch.num_rows() {
            rows.push(columns.iter().map(|column| column.value(row).to_string()).collect::<Vec<_>>().join("|"));
        }
    }
    rows
}

async fn run(session: &SessionContext, query: &str) -> Result<Vec<String>, String> {
    let frame = session.sql(query).await.map_err(|error| error.to_string())?;
    Ok(rows(&frame.collect().await.map_err(|error| error.to_string())?))
}

async fn check(seed: u64) {
    let mut random = Random::of_seed(seed);
    let is_dense = random.chance(25);
    let ctx = Context::new().unwrap();
    let uri = format!("mem://random_filters/{seed}");
    create(&ctx, &uri, &mut random, is_dense);
    for _ in 0..random.below(4) {
        write(&ctx, &uri, &mut random, is_dense);
    }
    let session = SessionContext::new();
    register(&session, &ctx);
    let table = Arc::new(ArrayTable::open(&ctx, &uri).unwrap());
    session.register_table("stored", table).unwrap();
    let all = session.sql("SELECT * FROM stored").await.unwrap();
    let schema = Arc::new(all.schema().as_arrow().clone());
    let memory = MemTable::try_new(schema, vec![all.collect().await.unwrap()]).unwrap();
    session.register_table("memory", Arc::new(memory)).unwrap();
    let columns = if is_dense { &COLUMNS[1..] } else { &COLUMNS[..] };
    for _ in 0..20 {
        let filter = predicate(&mut random, columns, 3);
        let ordered = if is_dense { "day" } else { "id, day" };
        let (query, is_ordered) = match random.below(8) {
            6 if !is_dense => (
                format!(
                    "SELECT count(*), max(id), min(small), max(whole), count(whole), count(single) FROM stored WHERE {filter}"
                ),
                false,
            ),
            7 => (
                format!(
                    "SELECT min(whole) AS low, count(small), count(*) AS n, max(small) FROM stored AS s WHERE {filter}"
                ),
                false,
            ),
            0 => (format!("SELECT count(*) FROM stored WHERE {filter}"), false),
            1 => (
                format!("SELECT color, count(*), min(small), max(text) FROM stored WHERE {filter} GROUP BY color"),
                false,
            ),
            2 => (format!("SELECT day FROM stored WHERE {filter} ORDER BY {ordered}"), true),
            3 => (format!("SELECT count(*) FROM (SELECT small FROM stored WHERE {filter} LIMIT 3)"), false),
            _ => (format!("SELECT * FROM stored WHERE {filter}"), false),
        };
        let sorted = |rows: Result<Vec<String>, String>| {
            rows.map(|mut rows| {
                if !is_ordered {
                    rows.sort();
                }
                rows
            })
        };
        let of_array = sorted(run(&session, &query).await);
        let of_memory = sorted(run(&session, &query.replace("stored", "memory")).await);
        match (of_array, of_memory) {
            (Ok(of_array), Ok(of_memory)) => assert_eq!(of_array, of_memory, "seed {seed}: {query}"),
            // A constant that cannot be converted to the type of the column.
            (Err(_), Err(_)) => {}
            (of_array, of_memory) => panic!("seed {seed}: {query}: {of_array:?} {of_memory:?}"),
        }
    }
}

/// Deletes by random filters, of which some are refused, and compares the rows that are left. Returns how many deletions were done.
async fn check_deletions(seed: u64) -> usize {
    let mut random = Random::of_seed(seed);
    let ctx = Context::new().unwrap();
    let uri = format!("mem://random_deletions/{seed}");
    create(&ctx, &uri, &mut random, false);
    for _ in 0..1 + random.below(3) {
        write(&ctx, &uri, &mut random, false);
    }
    let session = SessionContext::new();
    register(&session, &ctx);
    let mut deletions = 0;
    for _ in 0..20 {
        let all = session.sql(&format!("SELECT * FROM '{uri}'")).await.unwrap();
        let schema = Arc::new(all.schema().as_arrow().clone());
        let memory = MemTable::try_new(schema, vec![all.collect().await.unwrap()]).unwrap();
        session.deregister_table("memory").unwrap();
        session.register_table("memory", Arc::new(memory)).unwrap();
        let filter = predicate(&mut random, &COLUMNS, 2);
        let Ok(mut expected) = run(&session, &format!("SELECT * FROM memory WHERE ({filter}) IS NOT TRUE")).await
        else {
            continue;
        };
        let before = run(&session, "SELECT count(*) FROM memory").await.unwrap()[0].parse::<usize>().unwrap();
        let Ok(count) = run(&session, &format!("DELETE FROM '{uri}' WHERE {filter}")).await else { continue };
        deletions += 1;
        let mut left = run(&session, &format!("SELECT * FROM '{uri}'")).await.unwrap();
        left.sort();
        expected.sort();
        assert_eq!(left, expected, "seed {seed}: DELETE WHERE {filter}");
        assert_eq!(count, [(before - left.len()).to_string()], "seed {seed}: DELETE WHERE {filter}");
        if left.is_empty() {
            break;
        }
    }
    deletions
}

#[tokio::test]
async fn random_deletions_delete_the_rows_that_meet_the_filter() {
    let (first, end) = seeds();
    let mut deletions = 0;
    for seed in first..end {
        deletions += check_deletions(seed).await;
    }
    assert!(deletions as u64 >= (end - first) / 2, "{deletions} deletions were not refused");
}

fn seeds() -> (u64, u64) {
    let seeds = std::env::var("SEEDS").unwrap_or_else(|_| "0..40".to_owned());
    let (first, end) = seeds.split_once("..").expect("SEEDS=0..100");
    (first.parse().unwrap(), end.parse().unwrap())
}

#[tokio::test]
async fn random_queries_return_what_they_return_for_rows_in_memory() {
    let (first, end) = seeds();
    for seed in first..end {
        check(seed).await;
    }
}
