//! Messages in the form of Cap'n Proto: read where they lie, and built.
//!
//! One description of each struct ([`messages!`](field)) drives the reader, the builder and the JSON form. A message is
//! never trusted: every access is checked against the segment it falls into, and what is reached in total, and how deep,
//! is limited.

mod build;
pub mod field;
mod json;
mod pointer;
mod raw;
mod segments;
mod view;

pub use build::{Builder, ListBuilder, MessageBuilder};
pub(crate) use field::messages;
pub use field::{Data, Field, FieldSpec, Kind, List, Number, Plain, Spec, Struct, Text, Value, Void};
pub use segments::{Limits, Message};
pub use view::{ListView, View};

#[cfg(test)]
pub(crate) mod tests;
