//! Maintenance of arrays: consolidation, vacuum, maintenance by policy, verification, recommended schemas, copies in other formats.
//!
//! All operations may run beside readers and writers. Those with a progress callback stop when it returns
//! [`ControlFlow::Break`](std::ops::ControlFlow::Break); [`Context::cancel`](crate::Context::cancel) stops all of them.
//!
//! ```
//! use tiledb::maintenance::{Consolidation, Vacuum, verify};
//! use tiledb::{Array, ArraySchema, Attribute, Context, Dimension};
//!
//! let ctx = Context::new()?;
//! let schema = ArraySchema::sparse()
//!     .dimension(Dimension::new("id", 0..=99_i32))
//!     .attribute(Attribute::new::<i32>("a"))
//!     .build()?;
//! Array::create(&ctx, "mem://maintained", &schema)?;
//! let writer = Array::open_for_writing(&ctx, "mem://maintained")?;
//! for id in 0..3 {
//!     writer.write().values("id", &[id]).values("a", &[10 * id]).submit()?;
//! }
//! Consolidation::new().run(&ctx, "mem://maintained")?;
//! Vacuum::new().run(&ctx, "mem://maintained")?;
//! assert_eq!(Array::load_fragments(&ctx, "mem://maintained")?.len(), 1);
//! assert!(verify(&ctx, "mem://maintained")?.is_ok());
//! # Ok::<(), tiledb::Error>(())
//! ```

mod advise;
mod consolidate;
mod copies;
mod orphans;
mod policy;
mod vacuum;
mod verify;

pub use advise::{Advice, AdviceReason, AdvisedPart, AdvisedProperty, Objective, advise, advise_with};
pub use consolidate::{Consolidation, ConsolidationMode, ConsolidationStep, StepSource, consolidation_plan};
pub use copies::{Compatibility, Rewrite, compatibility, downgrade, downgrade_with, upgrade};
pub use orphans::{orphans, sweep_orphans, sweep_orphans_with, sweep_uploads};
pub use policy::{Maintenance, MaintenanceStep, StepKind};
pub use vacuum::Vacuum;
pub use verify::{Finding, FindingKind, Severity, Verification, Verify, verify};
