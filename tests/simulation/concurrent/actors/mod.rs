//! What processes do, one kind of operation in each file.
//!
//! A new one is a type with [`Operation`], and a line in [`KINDS`].

mod consolidate;
mod copy;
mod delete;
mod evolve;
mod group;
mod labels;
mod maintain;
mod metadata;
mod other;
mod read;
mod vacuum;
mod write;

use std::fmt::Debug;
use std::sync::Arc;

use tiledb_core::error::{Error, Result};

use super::plan::Drawing;
use super::site::Site;

pub use consolidate::consolidate;
pub use copy::{CopyKind, copy, judge_copy};
pub use delete::delete;
pub use evolve::evolve;
pub use group::{GROUP, judge_group};
pub use labels::judge_labels;
pub use maintain::purge_by_policy;
pub use other::wait_for_suspension;
pub use read::Read;
pub use vacuum::vacuum;
pub use write::{write, write_as_of};

/// An operation, with all that was drawn for it.
pub trait Operation: Debug + Send + Sync {
    /// Runs it in a process, and judges what it returns.
    ///
    /// # Errors
    /// As the engine.
    fn run(&self, site: &Site<'_>) -> Result<()>;

    /// Whether it may fail in this way without a fault of its own: the documents say so.
    fn may_fail(&self, _error: &Error, _site: &Site<'_>) -> bool {
        false
    }

    /// The same with less, to shorten failing histories.
    fn smaller(&self) -> Vec<Arc<dyn Operation>> {
        Vec::new()
    }
}

/// Draws an operation, if the array can have one of its kind.
type Draw = fn(&mut Drawing) -> Option<Arc<dyn Operation>>;

/// Kinds of operations, with how often they are drawn. Each process has some of them.
pub const KINDS: &[(u64, Draw)] = &[
    (6, write::draw),
    (2, delete::draw),
    (1, metadata::draw),
    (4, consolidate::draw),
    (2, vacuum::draw),
    (3, maintain::draw),
    (4, read::draw),
    (2, evolve::draw),
    (1, copy::draw),
    (4, group::draw),
    (4, labels::draw),
    (1, other::draw_verify),
    (1, other::draw_sleep),
    (1, other::draw_compare),
];

/// Draws an operation that maintains the array.
pub fn draw_maintenance(drawing: &mut Drawing) -> Option<Arc<dyn Operation>> {
    let draws = [consolidate::draw, consolidate::draw, vacuum::draw, maintain::draw];
    drawing.generator.random.pick(&draws)(drawing)
}

/// Draws an evolution of the schema, and a write after it.
pub fn draw_evolution_and_write(drawing: &mut Drawing) -> Option<Vec<Arc<dyn Operation>>> {
    Some(vec![evolve::draw(drawing)?, write::draw(drawing)?])
}

/// An operation of which nothing is left when histories are shortened.
fn operation(operation: impl Operation + 'static) -> Option<Arc<dyn Operation>> {
    Some(Arc::new(operation))
}

/// The name of the kind of an operation: that of its type.
pub fn kind(operation: &dyn Operation) -> String {
    let text = format!("{operation:?}");
    text.chars().take_while(|letter| letter.is_alphanumeric()).collect()
}
