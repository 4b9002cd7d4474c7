//! Findings of a verification.

use tiledb_core::error::{Error, ErrorKind};
use tiledb_storage::vfs::Uri;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The array reads correctly; something wastes space or was not verified.
    Note = 0,
    /// Reads work, but some may be wrong or slow, or another program may stumble.
    Warning = 1,
    /// Cells, metadata or a schema are lost or wrong.
    Error = 2,
}

/// Kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// A file, or part of it, cannot be read from storage.
    Storage = 1,
    /// A file that others name is not there.
    Missing = 2,
    /// A file that is not referenced.
    Stray = 3,
    /// A schema cannot be loaded.
    Schema = 4,
    /// An enumeration cannot be loaded.
    Enumeration = 5,
    /// Metadata of the array cannot be loaded.
    Metadata = 6,
    /// The condition of a deletion cannot be loaded.
    Deletion = 7,
    /// Commits contradict one another or refer to missing fragments or files.
    Commit = 8,
    /// A fragment that was never committed.
    Orphan = 9,
    /// Consolidated metadata contradicts a fragment.
    Consolidated = 10,
    /// The footer of a fragment is corrupt or contradicts the schema.
    Footer = 11,
    /// A table of a fragment's metadata is corrupt.
    Table = 12,
    /// A file of a field has another size than the fragment says.
    FileSize = 13,
    /// The offset or size of a tile in its file is invalid.
    TilePlace = 14,
    /// A tile cannot be decoded, fails its checksum, or has another length than it should.
    Tile = 15,
    /// Offsets of variable cells do not ascend within the values.
    Offsets = 16,
    /// A validity value is neither 0 nor 1.
    Validity = 17,
    /// Statistics are not those of the cells.
    Statistics = 18,
    /// A bounding box is not that of the cells.
    Boxes = 19,
    /// Coordinates outside the domain or the non-empty domain.
    Domain = 20,
    /// Cells are not in global order.
    Order = 21,
    /// Two cells have the same coordinates where that is not allowed.
    Duplicate = 22,
    /// A time or a number of a condition is not possible.
    Time = 23,
    /// Not verified, for lack of memory.
    Unchecked = 24,
    /// A write that was committed after the fragments around it were merged may hide newer cells.
    LateWrite = 25,
}

impl Code {
    pub fn severity(self) -> Severity {
        match self {
            Code::Stray | Code::Orphan | Code::Unchecked => Severity::Note,
            Code::Commit | Code::LateWrite | Code::Domain | Code::Time | Code::Validity => Severity::Warning,
            _ => Severity::Error,
        }
    }

    /// Recommended action.
    pub fn remedy(self) -> &'static str {
        match self {
            Code::Storage => "See that the storage can be reached and read, then verify again.",
            Code::Missing => "Bring the file back from a copy, or delete the fragment that it belongs to.",
            Code::Stray => "Remove the file if it is of no use.",
            Code::Schema | Code::Enumeration => "Bring the file back from a copy: fragments written with it need it.",
            Code::Metadata => "Bring the file back from a copy; or remove it and write its keys again.",
            Code::Deletion => "Bring the file back from a copy; or remove it and delete the cells again.",
            Code::Commit => {
                "Bring a damaged file back from a copy before anything is vacuumed or swept. Consolidate and vacuum the commits if only \
                 entries are superfluous."
            }
            Code::Orphan => {
                "If no writer is at work and no file of commits is damaged, remove it with tiledb_rs_array_sweep."
            }
            Code::Consolidated => "Remove the file and consolidate the fragment metadata again.",
            Code::Order | Code::Duplicate | Code::Domain => {
                "Read the cells and write them into a new array with the checks of writes on."
            }
            Code::Statistics | Code::Boxes | Code::Table | Code::Time => {
                "Bring the fragment back from a copy; or consolidate it, if its cells are right."
            }
            Code::LateWrite => "Write the newest values of the cells again.",
            Code::Unchecked => "Raise the parameter that is named, or sm.mem.total_budget, and verify again.",
            _ => "Bring the fragment back from a copy, or delete it and write its cells again.",
        }
    }

    /// The kind of an error that occurred while something of this kind was verified.
    #[must_use]
    pub fn or_of(self, error: &Error) -> Code {
        match error.kind() {
            ErrorKind::NotFound => Code::Missing,
            ErrorKind::Io => Code::Storage,
            ErrorKind::Budget => Code::Unchecked,
            _ => self,
        }
    }
}

/// A defect that a verification found.
#[derive(Clone, Debug)]
pub struct Finding {
    pub severity: Severity,
    pub code: Code,
    /// The affected file.
    pub file: Uri,
    pub field: Option<String>,
    /// The name of the fragment.
    pub fragment: Option<String>,
    /// The tile, counted from 0.
    pub tile: Option<u64>,
    /// The first affected byte of the file.
    pub offset: Option<u64>,
    /// Description of the defect.
    pub text: String,
}

impl Finding {
    /// A finding about a file.
    pub fn new(code: Code, file: &Uri, text: impl Into<String>) -> Finding {
        Finding {
            severity: code.severity(),
            code,
            file: file.clone(),
            field: None,
            fragment: None,
            tile: None,
            offset: None,
            text: text.into(),
        }
    }

    /// A finding for an error about a file.
    pub fn of(code: Code, file: &Uri, error: &Error) -> Finding {
        Finding::new(code.or_of(error), file, error.text())
    }

    /// Sets the severity.
    #[must_use]
    pub fn with_severity(self, severity: Severity) -> Finding {
        Finding { severity, ..self }
    }

    /// Sets the offset in the file.
    #[must_use]
    pub fn at(self, offset: u64) -> Finding {
        Finding { offset: Some(offset), ..self }
    }
}
