//! Memory limit of decoding one structure of a file: a schema, an enumeration, metadata, the details of a group, the
//! condition of a deletion, a table of fragment metadata.
//!
//! Structures are compressed, and repeated bytes a thousandfold: a file of a few kilobytes could take gigabytes. What a
//! structure may take grows with its file, as much as similar entries do, from a minimum on that a parameter sets. Entries
//! of a structure differ from one another; very many that do not are a decompression bomb. Writers apply the same limits,
//! so that they store nothing that a reader with the same parameter rejects.

use crate::config::{Config, Settings};
use crate::error::{Error, ErrorKind, Result, bail};

/// The parameter with the memory that a structure may take however small its file is.
pub const STRUCTURE: &str = "sm.mem.structure_budget";
/// Its value if it is not set.
const DEFAULT_BYTES: usize = 256 << 20;
/// Memory of a structure per byte on disk.
const BYTES_PER_STORED_BYTE: usize = 256;

/// Entries that may be equal to the one before. Names and keys are unique, and sorted where there are many.
const MAX_REPEATS: u32 = 1 << 16;

/// The limit of a configuration.
#[derive(Clone, Copy, Debug)]
pub struct StructureBudget {
    bytes: usize,
}

impl Default for StructureBudget {
    fn default() -> StructureBudget {
        StructureBudget { bytes: DEFAULT_BYTES }
    }
}

impl Settings for StructureBudget {
    fn parse(config: &Config) -> Result<StructureBudget> {
        match config.get(STRUCTURE) {
            Some(_) => {
                let bytes = config.u64(STRUCTURE)?;
                Ok(StructureBudget { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) })
            }
            None => Ok(StructureBudget::default()),
        }
    }
}

impl StructureBudget {
    /// The limit that a configuration sets.
    ///
    /// # Errors
    /// If the value is not a number.
    pub fn of(config: &Config) -> Result<StructureBudget> {
        config.settings()
    }

    /// The memory of a structure that has this number of bytes on disk.
    pub fn of_stored(self, stored_bytes: usize) -> StructureMemory {
        let by_file = stored_bytes.saturating_mul(BYTES_PER_STORED_BYTE);
        StructureMemory {
            stored_bytes,
            configured: Some(self.bytes),
            limit: self.bytes.saturating_add(by_file),
            used: 0,
            repeats: 0,
        }
    }

    /// Checks that a structure can be read again which has `stored_bytes` on disk and takes `memory` when it is decoded.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`] if it takes more than a reader allows.
    pub fn check_stored(self, memory: usize, stored_bytes: usize) -> Result<()> {
        self.of_stored(stored_bytes).charge(memory)
    }
}

/// The memory of one structure that is decoded: a limit, and what is used of it.
#[derive(Clone, Copy, Debug)]
pub struct StructureMemory {
    stored_bytes: usize,
    /// The value of the parameter; `None` if the limit does not depend on it.
    configured: Option<usize>,
    limit: usize,
    used: usize,
    repeats: u32,
}

impl StructureMemory {
    /// Of structures that are not from a file.
    pub fn unlimited() -> StructureMemory {
        StructureBudget { bytes: usize::MAX }.of_stored(0)
    }

    /// Of a structure whose size is known otherwise, which takes at most `limit` bytes.
    pub fn of_known_size(limit: usize, stored_bytes: usize) -> StructureMemory {
        StructureMemory { stored_bytes, configured: None, limit, used: 0, repeats: 0 }
    }

    /// The same with more memory.
    #[must_use]
    pub fn extended(self, bytes: usize) -> StructureMemory {
        StructureMemory { limit: self.limit.saturating_add(bytes), ..self }
    }

    /// Counts memory before it is allocated.
    ///
    /// # Errors
    /// [`ErrorKind::Budget`] if it is more than the structure may take, [`ErrorKind::Corrupt`] if it is more than its known
    /// size.
    #[inline]
    pub fn charge(&mut self, bytes: usize) -> Result<()> {
        self.used = self.used.saturating_add(bytes);
        if self.used > self.limit { Err(self.exceeded()) } else { Ok(()) }
    }

    /// Counts an entry that is equal to the one before it, or in the wrong order.
    ///
    /// # Errors
    /// [`ErrorKind::Corrupt`] if they are too many.
    pub fn count_repeat(&mut self) -> Result<()> {
        self.repeats += 1;
        if self.repeats > MAX_REPEATS {
            bail!(Corrupt, "More than {MAX_REPEATS} entries repeat the one before or precede it");
        }
        Ok(())
    }

    #[cold]
    fn exceeded(&self) -> Error {
        let StructureMemory { stored_bytes, configured, limit, used, .. } = *self;
        let Some(configured) = configured else {
            let text =
                format!("A structure of {stored_bytes} bytes on disk takes {used} bytes where it can have {limit}");
            return Error::corrupt(text);
        };
        // The size of the whole structure is unknown until it is decoded: the limit doubles with each attempt.
        let required = configured.saturating_add(used - limit).max(limit.saturating_mul(2));
        let text = format!(
            "A structure of {stored_bytes} bytes on disk takes more memory than its limit of {limit} bytes; raise '{STRUCTURE}', \
             first to {required}"
        );
        Error::new(ErrorKind::Budget, text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_grows_with_the_file_and_the_parameter() {
        let mut config = Config::new();
        config.set(STRUCTURE, "1000").unwrap();
        let budget = StructureBudget::of(&config).unwrap();
        let mut memory = budget.of_stored(10);
        memory.charge(3560).unwrap();
        let error = memory.charge(7).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Budget);
        assert_eq!(
            error.text(),
            "A structure of 10 bytes on disk takes more memory than its limit of 3560 bytes; raise 'sm.mem.structure_budget', \
             first to 7120"
        );
        assert!(budget.check_stored(3561, 10).is_err() && budget.of_stored(10).extended(1).charge(3561).is_ok());
        assert!(StructureBudget::of(&Config::new()).unwrap().check_stored(DEFAULT_BYTES + 256, 1).is_ok());
        assert!(StructureBudget::default().check_stored(DEFAULT_BYTES + 257, 1).is_err());
        assert!(StructureMemory::unlimited().charge(usize::MAX).is_ok());
        let mut known = StructureMemory::of_known_size(20, 10).extended(5);
        assert!(known.charge(25).is_ok());
        assert_eq!(known.charge(1).unwrap_err().kind(), ErrorKind::Corrupt);
        assert!((0..MAX_REPEATS).all(|_| known.count_repeat().is_ok()) && known.count_repeat().is_err());
    }
}
