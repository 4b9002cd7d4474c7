//! The names of schema files: `__t1_t2_uuid`.

use std::sync::atomic::{AtomicU32, Ordering};
use tiledb_core::env;
use tiledb_core::error::{Result, bail};
use tiledb_core::types::Name;

/// The file of schemas before there was a folder for them.
pub(super) const LEGACY_NAME: &str = "__array_schema.tdb";

/// The number of the next name. It starts anywhere in the lower half and only grows, so that names
/// of equal times sort in the order this process made them.
static COUNTER: NameCounter = NameCounter(AtomicU32::new(0));

#[derive(Default)]
struct NameCounter(AtomicU32);

impl NameCounter {
    fn next(&self) -> u32 {
        let NameCounter(counter) = self;
        if counter.load(Ordering::Relaxed) == 0 {
            let start = (env::unique_number() as u32 / 2).max(1);
            // The first thread wins; no lock, which a forked child might inherit.
            _ = counter.compare_exchange(0, start, Ordering::Relaxed, Ordering::Relaxed);
        }
        counter.fetch_add(1, Ordering::Relaxed)
    }
}

/// A unique name `__t1_t2_uuid` for the times in milliseconds. The first eight digits of the uuid
/// grow with every name this process makes, so names of equal times sort as they were made.
pub fn timestamped_name(t1: u64, t2: u64) -> String {
    let count = env::process_state::<NameCounter>().map_or_else(|| COUNTER.next(), |counter| counter.next());
    let random = format!("{:032x}", env::unique_number());
    format!("__{t1}_{t2}_{count:08x}{}", &random[8..])
}

/// The name of a schema file, and its timestamp.
#[derive(Clone, Debug, PartialEq)]
pub struct SchemaName {
    name: Name,
    timestamps: (u64, u64),
}

impl SchemaName {
    /// A fresh name for this time in milliseconds.
    pub fn new(timestamp: u64) -> SchemaName {
        SchemaName::spanning(timestamp, timestamp)
    }

    /// A fresh name for this span of time.
    pub fn spanning(t1: u64, t2: u64) -> SchemaName {
        SchemaName { name: Name::new(&timestamped_name(t1, t2)), timestamps: (t1, t2) }
    }

    /// The name of a schema whose file has no name of its own, in old arrays.
    pub(super) fn none() -> SchemaName {
        SchemaName { name: Name::new(LEGACY_NAME), timestamps: (0, 0) }
    }

    /// The name of an existing file.
    ///
    /// # Errors
    /// If it is neither `__t1_t2_uuid` nor `__array_schema.tdb`.
    pub fn parse(name: &str) -> Result<SchemaName> {
        let times = if name == LEGACY_NAME { Some((0, 0)) } else { parse_times(name) };
        match times {
            Some(timestamps) => Ok(SchemaName { name: Name::new(name), timestamps }),
            None => bail!(Corrupt, "'{name}' is not the name of an array schema, which is __t1_t2_uuid"),
        }
    }

    /// The file's name.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The times in the name, in milliseconds; 0 for the file of old arrays.
    pub fn timestamps(&self) -> (u64, u64) {
        self.timestamps
    }

    /// True for the schema file of old arrays, which is in the array's folder itself.
    pub fn is_legacy(&self) -> bool {
        self.as_str() == LEGACY_NAME
    }
}

fn parse_times(name: &str) -> Option<(u64, u64)> {
    let mut parts = name.strip_prefix("__")?.split('_');
    let (t1, t2, uuid) = (parts.next()?, parts.next()?, parts.next()?);
    let is_uuid = uuid.len() == 32 && uuid.bytes().all(|byte| byte.is_ascii_hexdigit());
    (is_uuid && parts.next().is_none()).then_some(())?;
    Some((t1.parse().ok()?, t2.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_grow() {
        let names: Vec<SchemaName> = (0..100).map(|_| SchemaName::new(17)).collect();
        for name in &names {
            assert_eq!(&SchemaName::parse(name.as_str()).unwrap(), name);
            assert_eq!(name.timestamps(), (17, 17));
        }
        let distinct: std::collections::HashSet<&str> = names.iter().map(SchemaName::as_str).collect();
        assert_eq!(distinct.len(), names.len());
        for wrong in ["", "__1_2", "__1_2_3", "__a_2_0123456789abcdef0123456789abcdef"] {
            assert!(SchemaName::parse(wrong).is_err(), "{wrong}");
        }
        assert!(SchemaName::parse(LEGACY_NAME).unwrap().is_legacy());
    }
}
