//! Decodes and validates pointers.

use super::segments::Message;

/// Address of a word in a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordAddress {
    pub segment: u32,
    pub word: u32,
}

/// A struct within the bounds of its segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct StructAt {
    pub place: WordAddress,
    pub words: u16,
    pub pointers: u16,
}

/// A list within the bounds of its segment.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListAt {
    /// Address of its first element.
    pub place: WordAddress,
    pub count: u32,
    pub size: Size,
}

/// Type of a list's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Void,
    Bit,
    /// Numbers of this many bytes.
    Bytes(u8),
    Pointer,
    Struct {
        words: u16,
        pointers: u16,
    },
}

/// An invalid pointer or target.
pub(super) type Fault = String;

pub(super) type Checked<T> = Result<T, Fault>;

const STRUCT: u64 = 0;
const LIST: u64 = 1;
const FAR: u64 = 2;

/// The struct that the pointer at `place` refers to; `None` for a null pointer.
pub(super) fn to_struct(message: &Message<'_>, place: WordAddress) -> Checked<Option<StructAt>> {
    let Some((pointer, base)) = resolve_pointer(message, place)? else { return Ok(None) };
    if pointer & 3 != STRUCT {
        return Err("a struct is expected, and something else is there".to_owned());
    }
    let words = ((pointer >> 32) & 0xffff) as u16;
    let pointers = (pointer >> 48) as u16;
    let size = u64::from(words) + u64::from(pointers);
    let place = target(message, base, size)?;
    spend(message, size)?;
    Ok(Some(StructAt { place, words, pointers }))
}

/// The list that the pointer at `place` refers to; `None` for a null pointer.
pub(super) fn to_list(message: &Message<'_>, place: WordAddress) -> Checked<Option<ListAt>> {
    let Some((pointer, base)) = resolve_pointer(message, place)? else { return Ok(None) };
    if pointer & 3 != LIST {
        return Err("a list is expected, and something else is there".to_owned());
    }
    let count = (pointer >> 35) as u32;
    let size = match (pointer >> 32) & 7 {
        0 => Size::Void,
        1 => Size::Bit,
        code @ 2..=5 => Size::Bytes(1 << (code - 2)),
        6 => Size::Pointer,
        _ => return structs(message, base, count).map(Some),
    };
    let bits = match size {
        Size::Void => 0,
        Size::Bit => 1,
        Size::Bytes(bytes) => u64::from(bytes) * 8,
        _ => 64,
    };
    let words = (u64::from(count) * bits).div_ceil(64);
    let place = target(message, base, words)?;
    // Elements without size still cost time.
    spend(message, if bits == 0 { u64::from(count) } else { words })?;
    Ok(Some(ListAt { place, count, size }))
}

/// Cost of an empty struct in words, towards the traversal limit: about the memory of the value built from it.
const EMPTY: u64 = 8;

/// A list of structs, with a tag word of their number and size.
fn structs(message: &Message<'_>, base: Base, size: u32) -> Checked<ListAt> {
    let tag_at = target(message, base, u64::from(size) + 1)?;
    let tag = message.word(tag_at.segment, tag_at.word).unwrap_or_default();
    if tag & 3 != STRUCT {
        return Err("the elements of the list are not structs".to_owned());
    }
    let words = ((tag >> 32) & 0xffff) as u16;
    let pointers = (tag >> 48) as u16;
    let count = ((tag & 0xffff_ffff) >> 2) as u32;
    let each = u64::from(words) + u64::from(pointers);
    if u64::from(count) * each > u64::from(size) {
        return Err(format!("a list of {count} structs of {each} words is said to take {size} words"));
    }
    spend(message, if each == 0 { EMPTY.saturating_mul(count.into()) } else { u64::from(size) })?;
    // Readers reserve memory for the stated number of elements.
    if each == 0 && count as usize > message.len() {
        return Err(format!("a list of {count} structs without content is in a message of {} bytes", message.len()));
    }
    let place = WordAddress { segment: tag_at.segment, word: tag_at.word + 1 };
    Ok(ListAt { place, count, size: Size::Struct { words, pointers } })
}

/// Base address of a pointer's offset.
#[derive(Clone, Copy)]
struct Base {
    segment: u32,
    word: i64,
}

/// The pointer at an address, with far pointers resolved, and the address of its target.
fn resolve_pointer(message: &Message<'_>, place: WordAddress) -> Checked<Option<(u64, Base)>> {
    let pointer = word(message, place)?;
    if pointer & 3 != FAR {
        let base = Base { segment: place.segment, word: i64::from(place.word) + 1 + offset(pointer) };
        return Ok((pointer != 0).then_some((pointer, base)));
    }
    let pad = WordAddress { segment: (pointer >> 32) as u32, word: ((pointer & 0xffff_ffff) >> 3) as u32 };
    let inner = word(message, pad)?;
    if pointer & 4 == 0 {
        if inner & 3 == FAR {
            return Err("a far pointer leads to a far pointer".to_owned());
        }
        let base = Base { segment: pad.segment, word: i64::from(pad.word) + 1 + offset(inner) };
        return Ok((inner != 0).then_some((inner, base)));
    }
    if inner & 7 != FAR {
        return Err("the landing pad of a far pointer is none".to_owned());
    }
    let tag = word(message, WordAddress { segment: pad.segment, word: pad.word + 1 })?;
    if tag & 3 > LIST || offset(tag) != 0 {
        return Err("the landing pad of a far pointer says nothing of what is there".to_owned());
    }
    Ok(Some((tag, Base { segment: (inner >> 32) as u32, word: ((inner & 0xffff_ffff) >> 3) as i64 })))
}

/// Offset of a pointer in words, from its own end.
fn offset(pointer: u64) -> i64 {
    i64::from(pointer as u32 as i32 >> 2)
}

fn word(message: &Message<'_>, place: WordAddress) -> Checked<u64> {
    message.word(place.segment, place.word).ok_or_else(|| outside(message, place.segment, i64::from(place.word)))
}

/// Checks that the target is within its segment.
fn target(message: &Message<'_>, base: Base, size: u64) -> Checked<WordAddress> {
    let words = message.words(base.segment).map_or(-1, i64::from);
    let end = base.word.saturating_add_unsigned(size);
    if base.word < 0 || end > words {
        return Err(outside(message, base.segment, if base.word < 0 { base.word } else { end }));
    }
    Ok(WordAddress { segment: base.segment, word: base.word as u32 })
}

fn spend(message: &Message<'_>, words: u64) -> Checked<()> {
    if message.spend(words.saturating_mul(8)) {
        return Ok(());
    }
    Err(format!("the message holds more than may be looked at, {} bytes", message.limits().bytes))
}

#[cold]
fn outside(message: &Message<'_>, segment: u32, word: i64) -> Fault {
    match message.words(segment) {
        None => format!(
            "the pointer leads outside of the message (segment {} of {})",
            u64::from(segment) + 1,
            message.segment_count()
        ),
        Some(words) => format!("the pointer leads outside of segment {segment} (word {word} of {words})"),
    }
}
