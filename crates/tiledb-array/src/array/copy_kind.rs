//! Incomplete copies of arrays.

/// The operation that writes a copy of an array. Until the copy is complete, its schema is in a folder of another name: it is no
/// array yet, and only the same operation continues it, or removes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyKind {
    Downgrade,
    Rewrite,
}

impl CopyKind {
    pub(super) const ALL: [CopyKind; 2] = [CopyKind::Downgrade, CopyKind::Rewrite];

    /// The folder of the schema of an incomplete copy.
    pub fn folder(self) -> &'static str {
        match self {
            CopyKind::Downgrade => "__schema.downgrade",
            CopyKind::Rewrite => "__schema.rewrite",
        }
    }
}
