//! Cap'n Proto and JSON encoding of messages: zero-copy readers, and builders.
//!
//! One schema definition of each struct ([`messages!`](field)) drives the reader, the builder and the JSON form.
//! Messages are untrusted: every access is bounds-checked against its segment, and total size and nesting depth are
//! limited.

mod build;
pub(crate) mod field;
mod json;
mod pointer;
mod raw;
mod segments;
mod view;

pub(crate) use build::{Builder, ListBuilder, MessageBuilder};
pub(crate) use field::messages;
pub(crate) use field::{
    Data, FieldKind, FieldSpec, FieldValue, List, MessageField, NumberField, Plain, Spec, Struct, TextField, Void,
};
pub(crate) use segments::{Limits, Message};
pub(crate) use view::{ListView, View};

#[cfg(test)]
pub(crate) mod tests;
