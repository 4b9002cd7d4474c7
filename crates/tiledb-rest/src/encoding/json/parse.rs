//! Parses JSON into a message in one pass; each struct is written once its fields are known.
//!
//! Until a struct or list has its position, its pointers hold absolute word positions instead of offsets.

use tiledb_core::error::{Result, bail};
use tiledb_core::memory;

use super::super::build::{MessageBuilder, code, offset, size, sizes};
use super::super::field::{FieldKind, FieldSpec, Spec};
use super::super::segments::Limits;
use super::number;
use super::scan::Scanner;

/// Parses a text.
pub(super) fn parse(text: &str, spec: &'static Spec, limits: Limits) -> Result<Vec<u8>> {
    let mut parser = Parser { json: Scanner::new(text), out: MessageBuilder::new(), left: limits.bytes, limits };
    parser.root(spec).map_err(|error| error.prefixed(&format!("{}: ", spec.name)))?;
    Ok(parser.out.capnp())
}

struct Parser<'t> {
    json: Scanner<'t>,
    out: MessageBuilder,
    /// Bytes that the message may still grow by.
    left: u64,
    limits: Limits,
}

/// A struct whose fields are being read: the last words of `bodies`.
struct Body<'b> {
    spec: &'static Spec,
    bodies: &'b mut Vec<u64>,
    first: usize,
    depth: u16,
}

/// The names in an object.
#[derive(Default)]
struct Names {
    known: usize,
    unknown: Option<String>,
}

impl Parser<'_> {
    fn root(&mut self, spec: &'static Spec) -> Result<()> {
        let mut body = Vec::new();
        let names = self.structure(spec, &mut body, 0)?;
        self.json.end()?;
        if let (0, Some(unknown)) = (names.known, names.unknown) {
            bail!(Corrupt, "the JSON is of something else; it holds `{unknown}` and none of the fields");
        }
        let root = self.structures(spec, &body, 0)? | sizes(spec);
        self.out.set_word(0, relative(root, 0));
        Ok(())
    }

    /// Counts bytes of the message.
    fn spend(&mut self, bytes: usize) -> Result<()> {
        let Some(left) = self.left.checked_sub(bytes as u64) else {
            bail!(Corrupt, "the message is larger than {} bytes", self.limits.bytes);
        };
        self.left = left;
        Ok(())
    }

    fn deeper(&self, depth: u16) -> Result<u16> {
        let limit = self.limits.depth;
        if depth >= limit {
            bail!(Corrupt, "structs and lists lie more than {limit} deep inside one another");
        }
        Ok(depth + 1)
    }

    /// Reads a struct, and appends its words.
    fn structure(&mut self, spec: &'static Spec, bodies: &mut Vec<u64>, depth: u16) -> Result<Names> {
        let depth = self.deeper(depth)?;
        let first = bodies.len();
        self.spend(size(spec) * 8)?;
        memory::reserve("a struct of JSON", bodies, size(spec))?;
        bodies.resize(first + size(spec), 0);
        self.object(&mut Body { spec, bodies, first, depth }, false)
    }

    /// Parses an object: the fields of a struct, or those of its union if they form a nested object.
    fn object(&mut self, body: &mut Body<'_>, in_union: bool) -> Result<Names> {
        let mut names = Names::default();
        let group = body.spec.union.map(|union| union.name).filter(|name| !name.is_empty());
        self.json.expect(b'{')?;
        while self.json.more(b'}', names.known == 0 && names.unknown.is_none())? {
            let name = self.json.string()?;
            self.json.expect(b':')?;
            let here = |field: &FieldSpec| (group.is_some() && field.tag.is_some()) == in_union;
            if let Some(field) = body.spec.fields.iter().find(|field| here(field) && field.name == name) {
                names.known += 1;
                let with_field = |error: tiledb_core::error::Error| error.prefixed(&format!("{}: ", field.name));
                let value = self.value(field.kind, body.depth).map_err(with_field)?;
                body.set(field, value);
            } else if !in_union && group.is_some_and(|group| group == name) {
                names.known += 1;
                if !self.json.null() {
                    self.object(body, true)?;
                }
            } else {
                names.unknown.get_or_insert_with(|| name.into_owned());
                self.json.skip(self.limits.depth)?;
            }
        }
        Ok(names)
    }

    /// Reads a value: its bits, or the pointer to it.
    fn value(&mut self, kind: FieldKind, depth: u16) -> Result<u64> {
        if kind.bits().is_some() {
            return self.plain(kind);
        }
        if self.json.null() {
            return Ok(0);
        }
        match kind {
            FieldKind::Text => {
                let text = self.json.string()?;
                self.spend(text.len() + 1)?;
                let at = self.out.put(text.as_bytes(), text.len() + 1)?;
                list(at, 2, text.len() + 1)
            }
            FieldKind::Struct(spec) => {
                let mut body = Vec::new();
                self.structure(spec(), &mut body, depth)?;
                Ok(self.structures(spec(), &body, 0)? | sizes(spec()))
            }
            FieldKind::List(kind) => self.list(*kind, depth),
            _ => self.list(FieldKind::UInt8, depth),
        }
    }

    fn list(&mut self, kind: FieldKind, depth: u16) -> Result<u64> {
        let depth = self.deeper(depth)?;
        self.json.expect(b'[')?;
        let mut count = 0;
        if let FieldKind::Struct(spec) = kind {
            let mut bodies = Vec::new();
            while self.json.more(b']', count == 0)? {
                self.structure(spec(), &mut bodies, depth)?;
                count += 1;
            }
            let at = self.structures(spec(), &bodies, 1)?;
            self.out.set_word((at >> 2) as usize, ((count as u64) << 2) | sizes(spec()));
            return list((at >> 2) as usize, 7, bodies.len());
        }
        if let Some(bits) = kind.bits() {
            let mut numbers = Vec::new();
            let each = (bits as usize / 8).clamp(1, 8);
            while self.json.more(b']', count == 0)? {
                let value = self.plain(kind)?.to_le_bytes();
                self.spend(each)?;
                memory::reserve("a list of JSON", &mut numbers, each)?;
                numbers.extend_from_slice(&value[..each]);
                count += 1;
            }
            return list(self.out.put(&numbers, numbers.len())?, code(kind), count);
        }
        let mut pointers = Vec::new();
        while self.json.more(b']', pointers.is_empty())? {
            let value = self.value(kind, depth)?;
            self.spend(8)?;
            memory::push("a list of JSON", &mut pointers, value)?;
        }
        let at = self.out.take(pointers.len())?;
        for (from, pointer) in (at..).zip(&pointers) {
            self.out.set_word(from, relative(*pointer, from));
        }
        list(at, code(kind), pointers.len())
    }

    /// Writes structs after `ahead` words; returns a pointer to their position.
    fn structures(&mut self, spec: &Spec, bodies: &[u64], ahead: usize) -> Result<u64> {
        let at = self.out.take(bodies.len() + ahead)?;
        for (index, word) in bodies.iter().enumerate() {
            let is_data = index % size(spec) < usize::from(spec.words);
            let from = at + ahead + index;
            self.out.set_word(from, if is_data { *word } else { relative(*word, from) });
        }
        Ok((at as u64) << 2)
    }

    /// Parses a value of a data section, or of a list of numbers.
    fn plain(&mut self, kind: FieldKind) -> Result<u64> {
        let expected = match kind {
            FieldKind::Void => return self.json.skip(self.limits.depth).map(|()| 0),
            FieldKind::Bool => self.json.truth().map(u64::from).ok_or("true or false is expected"),
            _ if self.json.peek() == b'"' => {
                number::text(kind, &self.json.string()?).ok_or("a number of the field's type is expected in the string")
            }
            FieldKind::Float32 | FieldKind::Float64 if self.json.null() => number::number(kind, f64::NAN).ok_or(""),
            _ => number::parsed(kind, self.json.number()).ok_or("a number of the field's type is expected"),
        };
        expected.map_err(|what| self.json.failure(what))
    }
}

impl Body<'_> {
    /// Sets a field, and chooses it if it is in the union.
    fn set(&mut self, field: &FieldSpec, value: u64) {
        match field.kind.bits() {
            None => self.bodies[self.first + usize::from(self.spec.words) + field.place as usize] = value,
            Some(bits) => self.set_bits(field.place, bits, value ^ u64::from(field.inverted)),
        }
        if let (Some(tag), Some(union)) = (field.tag, self.spec.union) {
            self.set_bits(union.at, 16, u64::from(tag));
        }
    }

    fn set_bits(&mut self, at: u32, bits: u32, value: u64) {
        let mask = u64::MAX.checked_shr(64 - bits).unwrap_or_default();
        if let Some(word) = self.bodies.get_mut(self.first + at as usize / 64) {
            *word = (*word & !(mask << (at % 64))) | ((value & mask) << (at % 64));
        }
    }
}

/// The pointer to a list at a word.
fn list(at: usize, code: u64, count: usize) -> Result<u64> {
    if count >= 1 << 29 {
        bail!(Corrupt, "a list of {count} elements does not fit into a message");
    }
    Ok(((at as u64) << 2) | 1 | (code << 32) | ((count as u64) << 35))
}

/// Converts an absolute pointer to one relative to `from`.
fn relative(pointer: u64, from: usize) -> u64 {
    let to = (pointer as u32 >> 2) as usize;
    if pointer == 0 { 0 } else { (pointer & 0xffff_ffff_0000_0003) | offset(from, to) }
}
