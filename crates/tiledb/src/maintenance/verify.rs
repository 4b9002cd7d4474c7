//! Verification.

use std::fmt;
use std::ops::ControlFlow;

use crate::config::Config;
use crate::context::Context;
use crate::error::{AtUri, Result};
use crate::location::{self, stored};
use crate::progress::{OnProgress, Progress, go_on, report};
use tiledb_core::memory::push;
use tiledb_maintain::verify as engine;

/// How severe a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// The array reads correctly: something wastes space, or was not verified.
    Note,
    /// Some reads may be wrong or slow, or another program may fail.
    Warning,
    /// Cells, metadata or a schema are lost or wrong.
    Error,
}

/// Declares the kinds of findings by those of the engine.
macro_rules! finding_kinds {
    ($($(#[$doc:meta])* $name:ident = $code:ident,)+) => {
        /// What a finding is about.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum FindingKind { $($(#[$doc])* $name,)+ }

        impl FindingKind {
            /// The number of the kind in the C interface.
            pub fn code(self) -> u32 {
                match self { $(FindingKind::$name => engine::Code::$code as u32,)+ }
            }

            fn of_engine(code: engine::Code) -> FindingKind {
                match code { $(engine::Code::$code => FindingKind::$name,)+ }
            }
        }
    };
}

finding_kinds! {
    /// A file, or part of it, cannot be read from storage.
    Storage = Storage,
    /// A file that others refer to is missing.
    MissingFile = Missing,
    /// A file that nothing refers to.
    StrayFile = Stray,
    /// A schema cannot be loaded.
    Schema = Schema,
    /// An enumeration cannot be loaded.
    Enumeration = Enumeration,
    /// Metadata of the array cannot be loaded.
    Metadata = Metadata,
    /// The condition of a delete cannot be loaded.
    Delete = Deletion,
    /// Commits contradict one another, or refer to fragments that do not exist.
    Commit = Commit,
    /// A fragment that was never committed.
    Orphan = Orphan,
    /// Consolidated fragment metadata differs from that of the fragment.
    ConsolidatedMetadata = Consolidated,
    /// The footer of a fragment is corrupt or contradicts the schema.
    Footer = Footer,
    /// A table of the metadata of a fragment is corrupt.
    MetadataTable = Table,
    /// The size of a data file differs from the metadata of its fragment.
    FileSize = FileSize,
    /// The offset or size of a tile is not possible within its file.
    TileOffset = TilePlace,
    /// A tile cannot be decoded, fails its checksum, or has the wrong length.
    Tile = Tile,
    /// Offsets of variable-length cells do not ascend within the values.
    Offsets = Offsets,
    /// A validity value is neither 0 nor 1.
    Validity = Validity,
    /// Statistics differ from the cells.
    Statistics = Statistics,
    /// A bounding box differs from the coordinates of its cells.
    BoundingBox = Boxes,
    /// Coordinates are outside the domain or the non-empty domain.
    Domain = Domain,
    /// Cells are not in the global order.
    Order = Order,
    /// Two cells have the same coordinates where duplicates are not allowed.
    Duplicate = Duplicate,
    /// A timestamp, or the index of a delete condition, is not possible.
    Timestamp = Time,
    /// Not verified, because memory was insufficient.
    Unverified = Unchecked,
    /// A write that was committed after the fragments around it were merged may hide newer cells.
    LateWrite = LateWrite,
}

/// Something that a verification found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// How severe it is.
    pub severity: Severity,
    /// What it is about.
    pub kind: FindingKind,
    /// The URI of the file.
    pub file: String,
    /// The field, if it concerns one.
    pub field: Option<String>,
    /// The name of the fragment, if it concerns one.
    pub fragment: Option<String>,
    /// The tile of the field, from 0, if it concerns one.
    pub tile: Option<u64>,
    /// The position of the first byte in the file, if it is known.
    pub offset: Option<u64>,
    /// What is wrong.
    pub message: String,
    /// The remedy.
    pub remedy: &'static str,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.message)
    }
}

/// What a verification has found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Verification {
    /// The findings; none if a callback [received](Verify::on_finding) them.
    pub findings: Vec<Finding>,
    /// The number of findings of [`Severity::Note`].
    pub notes: u64,
    /// The number of findings of [`Severity::Warning`].
    pub warnings: u64,
    /// The number of findings of [`Severity::Error`].
    pub errors: u64,
    /// The number of files that were verified.
    pub files: u64,
    /// The number of tiles of fields that were verified.
    pub tiles: u64,
    /// Their size in bytes.
    pub bytes: u64,
}

impl Verification {
    /// Whether the array is intact: there are no findings but notes.
    pub fn is_ok(&self) -> bool {
        self.warnings == 0 && self.errors == 0
    }
}

/// A callback that receives findings.
type OnFinding<'a> = Box<dyn FnMut(Finding) -> ControlFlow<()> + Send + 'a>;

/// A verification: reads every byte of an array and checks it. Nothing is changed.
#[derive(Default)]
#[must_use = "nothing is verified before `run`"]
pub struct Verify<'a> {
    config: Option<Config>,
    on_finding: Option<OnFinding<'a>>,
    on_progress: Option<OnProgress<'a>>,
}

impl<'a> Verify<'a> {
    /// A verification with the parameters of the context.
    pub fn new() -> Verify<'a> {
        Verify::default()
    }

    /// Sets parameters, which override those of the context.
    pub fn config(self, config: &Config) -> Verify<'a> {
        Verify { config: Some(config.clone()), ..self }
    }

    /// Sets a callback that receives each finding when it is made, and may stop the verification.
    pub fn on_finding(self, callback: impl FnMut(Finding) -> ControlFlow<()> + Send + 'a) -> Verify<'a> {
        Verify { on_finding: Some(Box::new(callback)), ..self }
    }

    /// Sets a callback that receives the number of verified bytes, and may stop the verification.
    pub fn on_progress(self, callback: impl FnMut(Progress) -> ControlFlow<()> + Send + 'a) -> Verify<'a> {
        Verify { on_progress: Some(Box::new(callback)), ..self }
    }

    /// Verifies an array and the arrays of its dimension labels.
    ///
    /// # Errors
    /// If there is no array, or it was stopped. Damage is a finding, not an error.
    pub fn run(mut self, ctx: &Context, uri: &str) -> Result<Verification> {
        let target = location::parse(uri)?;
        let resources = ctx.resources_with(self.config.as_ref())?;
        let _running = ctx.running()?;
        let mut findings = Vec::new();
        let on_finding = &mut |finding: &engine::Finding| match &mut self.on_finding {
            Some(callback) => go_on(callback(of_engine(finding))),
            None => push("the findings", &mut findings, of_engine(finding)),
        };
        let on_verified = &mut |bytes, total| report(&mut self.on_progress, bytes, total);
        let stored = stored(&target, "verification")?;
        let counts = engine::verify(&resources, stored, on_finding, on_verified).at(uri)?;
        let [notes, warnings, errors] = counts.findings;
        let engine::Counts { files, tiles, bytes, .. } = counts;
        Ok(Verification { findings, notes, warnings, errors, files, tiles, bytes })
    }
}

/// Verifies an array with the parameters of the context; see [`Verify`].
///
/// # Errors
/// As [`Verify::run`].
pub fn verify(ctx: &Context, uri: &str) -> Result<Verification> {
    Verify::new().run(ctx, uri)
}

fn of_engine(finding: &engine::Finding) -> Finding {
    Finding {
        severity: match finding.severity {
            engine::Severity::Note => Severity::Note,
            engine::Severity::Warning => Severity::Warning,
            engine::Severity::Error => Severity::Error,
        },
        kind: FindingKind::of_engine(finding.code),
        file: finding.file.as_str().to_owned(),
        field: finding.field.clone(),
        fragment: finding.fragment.clone(),
        tile: finding.tile,
        offset: finding.offset,
        message: finding.text.clone(),
        remedy: finding.code.remedy(),
    }
}
