//! Untyped zero-copy views of structs and lists in a message.

use tiledb_core::error::{Error, Result, bail};

use super::field::{FieldKind, FieldSpec, Spec};
use super::pointer::{self, Checked, Fault, ListAt, Size, StructAt, WordAddress};
use super::segments::Message;

impl Message<'_> {
    /// The root struct.
    pub(super) fn raw_root(&self, spec: &'static Spec) -> Result<Raw<'_>> {
        match Raw::at(self, spec, WordAddress { segment: 0, word: 0 }, 0) {
            Ok(Some(root)) => Ok(root),
            Ok(None) => bail!(Corrupt, "{}: the message has no root", spec.name),
            Err(fault) => bail!(Corrupt, "{}: {fault}", spec.name),
        }
    }
}

/// A struct in a message, without its type.
#[derive(Clone, Copy)]
pub(super) struct Raw<'a> {
    pub message: &'a Message<'a>,
    pub spec: &'static Spec,
    at: StructAt,
    depth: u16,
}

impl<'a> Raw<'a> {
    /// The struct that the pointer at `place` refers to.
    pub(super) fn at(
        message: &'a Message<'a>,
        spec: &'static Spec,
        place: WordAddress,
        depth: u16,
    ) -> Checked<Option<Self>> {
        let Some(at) = pointer::to_struct(message, place)? else { return Ok(None) };
        Ok(Some(Raw { message, spec, at, depth: deeper(message, depth)? }))
    }

    /// An element of a list of structs, whose bounds have been checked.
    pub(super) fn element(message: &'a Message<'a>, spec: &'static Spec, at: StructAt, depth: u16) -> Self {
        Raw { message, spec, at, depth }
    }

    /// Bits of the data section; 0 beyond the end of the struct.
    fn bits(self, first: u32, count: u32) -> u64 {
        if first + count > u32::from(self.at.words) * 64 {
            return 0;
        }
        let word = self.message.word(self.at.place.segment, self.at.place.word + first / 64).unwrap_or_default();
        (word >> (first % 64)) & u64::MAX.checked_shr(64 - count).unwrap_or_default()
    }

    /// The bits of a value of a field.
    pub(super) fn plain(self, field: &FieldSpec) -> u64 {
        self.bits(field.place, field.kind.bits().unwrap_or_default()) ^ u64::from(field.inverted)
    }

    /// The number of the field that is chosen in the union.
    pub(super) fn which(self) -> u16 {
        self.spec.union.map_or(0, |union| self.bits(union.at, 16) as u16)
    }

    /// Whether a field is chosen, if it is in the union.
    pub(super) fn is_chosen(self, field: &FieldSpec) -> bool {
        field.tag.is_none_or(|tag| tag == self.which())
    }

    /// The pointer of a field that is set and chosen.
    fn pointer(self, field: &FieldSpec) -> Option<WordAddress> {
        let there = field.place < u32::from(self.at.pointers) && self.is_chosen(field);
        let word = self.at.place.word + u32::from(self.at.words) + field.place;
        there.then_some(WordAddress { segment: self.at.place.segment, word })
    }

    /// Whether a field's pointer is set.
    pub(super) fn has(self, field: &FieldSpec) -> bool {
        let word = |place: WordAddress| self.message.word(place.segment, place.word);
        self.pointer(field).and_then(word).unwrap_or_default() != 0
    }

    /// A string.
    pub(super) fn text(self, field: &'static FieldSpec) -> Result<Option<&'a str>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        text_at(self.message, place).map_err(|fault| failure(self.spec, field, fault))
    }

    /// Bytes.
    pub(super) fn data(self, field: &'static FieldSpec) -> Result<Option<&'a [u8]>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        bytes_at(self.message, place).map_err(|fault| failure(self.spec, field, fault))
    }

    /// A struct.
    pub(super) fn child(self, field: &'static FieldSpec, spec: &'static Spec) -> Result<Option<Raw<'a>>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        Raw::at(self.message, spec, place, self.depth).map_err(|fault| failure(self.spec, field, fault))
    }

    pub(super) fn list(self, field: &'static FieldSpec) -> Result<Option<RawList<'a>>> {
        let Some(place) = self.pointer(field) else { return Ok(None) };
        RawList::at(self.message, (self.spec, field), field.kind, place, self.depth)
    }
}

/// A list in a message, without its type.
#[derive(Clone, Copy)]
pub struct RawList<'a> {
    message: &'a Message<'a>,
    pub(super) list: ListAt,
    kind: FieldKind,
    /// The field that it belongs to.
    of: (&'static Spec, &'static FieldSpec),
    depth: u16,
}

impl<'a> RawList<'a> {
    /// The list that the pointer at `place` leads to.
    pub(super) fn at(
        message: &'a Message<'a>,
        of: (&'static Spec, &'static FieldSpec),
        kind: FieldKind,
        place: WordAddress,
        depth: u16,
    ) -> Result<Option<Self>> {
        let fault = |fault| failure(of.0, of.1, fault);
        let FieldKind::List(&kind) = kind else { bail!(Internal, "{}.{} is no list", of.0.name, of.1.name) };
        let Some(list) = pointer::to_list(message, place).map_err(fault)? else { return Ok(None) };
        let fits = match kind {
            FieldKind::Struct(_) => matches!(list.size, Size::Struct { .. }),
            FieldKind::Text | FieldKind::Data | FieldKind::List(_) => list.size == Size::Pointer,
            FieldKind::Void => list.size == Size::Void,
            FieldKind::Bool => list.size == Size::Bit,
            number => list.size == Size::Bytes((number.bits().unwrap_or_default() / 8) as u8),
        };
        if !fits && list.count != 0 {
            return Err(fault("the elements of the list are of another kind".to_owned()));
        }
        // Structs of a list are one level deeper; the depth is checked once for all.
        let depth = deeper(message, depth).map_err(fault)?;
        let inner = matches!(kind, FieldKind::Struct(_)) && list.count != 0;
        let depth = if inner { deeper(message, depth).map_err(fault)? } else { depth };
        Ok(Some(RawList { message, list, kind, of, depth }))
    }

    /// A list of nothing.
    pub(super) fn empty(message: &'a Message<'a>, spec: &'static Spec, field: &'static FieldSpec) -> Self {
        let list = ListAt { place: WordAddress { segment: 0, word: 0 }, count: 0, size: Size::Void };
        let kind = if let FieldKind::List(kind) = field.kind { *kind } else { FieldKind::Void };
        RawList { message, list, kind, of: (spec, field), depth: 0 }
    }

    pub(super) fn kind(&self) -> FieldKind {
        self.kind
    }

    /// A struct of a list of structs.
    pub(super) fn element(&self, index: u32, spec: &'static Spec) -> Raw<'a> {
        let (words, pointers) = match self.list.size {
            Size::Struct { words, pointers } => (words, pointers),
            _ => (0, 0),
        };
        let word = self.list.place.word + index * (u32::from(words) + u32::from(pointers));
        let place = WordAddress { segment: self.list.place.segment, word };
        Raw::element(self.message, spec, StructAt { place, words, pointers }, self.depth)
    }

    /// The bytes of a list of numbers.
    pub(super) fn bytes(&self) -> &'a [u8] {
        let Size::Bytes(each) = self.list.size else { return &[] };
        let WordAddress { segment, word } = self.list.place;
        let count = self.list.count as usize * usize::from(each);
        self.message.bytes_at(segment, word as usize * 8, count).unwrap_or_default()
    }

    fn pointer(&self, index: u32) -> WordAddress {
        WordAddress { segment: self.list.place.segment, word: self.list.place.word + index }
    }

    /// A string of a list of strings.
    pub(super) fn text(&self, index: u32) -> Result<&'a str> {
        let text = text_at(self.message, self.pointer(index));
        Ok(text.map_err(|fault| failure(self.of.0, self.of.1, fault))?.unwrap_or_default())
    }

    pub(super) fn list(&self, index: u32) -> Result<RawList<'a>> {
        let list = RawList::at(self.message, self.of, self.kind, self.pointer(index), self.depth)?;
        let kind = if let FieldKind::List(kind) = self.kind { *kind } else { FieldKind::Void };
        Ok(list.unwrap_or(RawList { kind, ..RawList::empty(self.message, self.of.0, self.of.1) }))
    }
}

/// One step further in.
fn deeper(message: &Message<'_>, depth: u16) -> Checked<u16> {
    let limit = message.limits().depth;
    if depth >= limit {
        return Err(format!("structs and lists lie more than {limit} deep inside one another"));
    }
    Ok(depth + 1)
}

/// The string that the pointer at `place` leads to.
fn text_at<'a>(message: &'a Message<'a>, place: WordAddress) -> Checked<Option<&'a str>> {
    let Some(bytes) = bytes_at(message, place)? else { return Ok(None) };
    let Some((0, text)) = bytes.split_last() else { return Err("text is not ended by a NUL".to_owned()) };
    // Other libraries take it for shorter than it is.
    if text.contains(&0) {
        return Err("there is a NUL within a text".to_owned());
    }
    std::str::from_utf8(text).map(Some).map_err(|_| "text is no UTF-8".to_owned())
}

fn bytes_at<'a>(message: &'a Message<'a>, place: WordAddress) -> Checked<Option<&'a [u8]>> {
    let Some(list) = pointer::to_list(message, place)? else { return Ok(None) };
    if list.size != Size::Bytes(1) && list.count != 0 {
        return Err("bytes are expected, and a list of something else is there".to_owned());
    }
    let bytes = message.bytes_at(list.place.segment, list.place.word as usize * 8, list.count as usize);
    Ok(Some(bytes.unwrap_or_default()))
}

/// An error about a field.
#[cold]
fn failure(spec: &Spec, field: &FieldSpec, fault: Fault) -> Error {
    Error::corrupt(format!("{}.{}: {fault}", spec.name, field.name))
}
