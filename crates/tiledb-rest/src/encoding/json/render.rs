//! Renders a message as JSON.

use tiledb_core::error::{Error, Result};

use super::super::field::{FieldKind, FieldSpec, Spec};
use super::super::raw::{Raw, RawList};
use super::number;

/// Renders a struct and everything that it points to.
pub(super) fn render(root: Raw<'_>) -> Result<String> {
    let mut out = TextField { text: String::new() };
    out.structure(root)?;
    Ok(out.text)
}

struct TextField {
    text: String,
}

impl TextField {
    fn push(&mut self, text: &str) -> Result<()> {
        let size = self.text.len() + text.len();
        self.text.try_reserve(text.len()).map_err(|_| Error::out_of_memory("JSON", size))?;
        self.text.push_str(text);
        Ok(())
    }

    /// A comma, unless at the start of a container.
    fn next(&mut self) -> Result<()> {
        if self.text.ends_with(['{', '[']) { Ok(()) } else { self.push(",") }
    }

    fn name(&mut self, name: &str) -> Result<()> {
        self.next()?;
        self.push("\"")?;
        self.push(name)?;
        self.push("\":")
    }

    fn structure(&mut self, raw: Raw<'_>) -> Result<()> {
        self.push("{")?;
        let mut group = raw.spec.union.filter(|union| !union.name.is_empty());
        for field in raw.spec.fields {
            match (field.tag, group.take_if(|_| field.tag.is_some())) {
                (Some(_), Some(union)) => {
                    self.name(union.name)?;
                    self.push("{")?;
                    self.chosen(raw)?;
                    self.push("}")?;
                }
                (Some(_), None) if is_grouped(raw.spec) => {}
                _ => self.field(raw, field)?,
            }
        }
        self.push("}")
    }

    /// The field that is chosen in the struct's union.
    fn chosen(&mut self, raw: Raw<'_>) -> Result<()> {
        let which = raw.which();
        let chosen = raw.spec.fields.iter().find(|field| field.tag == Some(which));
        chosen.map_or(Ok(()), |field| self.field(raw, field))
    }

    /// A field, if it is set. The selected field of a union is written even if it is null, unless it is the first.
    fn field(&mut self, raw: Raw<'_>, field: &'static FieldSpec) -> Result<()> {
        let there = field.kind.bits().is_some() || raw.has(field);
        if !raw.is_chosen(field) || !there && field.tag.is_none_or(|tag| tag == 0) {
            return Ok(());
        }
        self.name(field.name)?;
        if !there {
            return self.push("null");
        }
        match field.kind {
            FieldKind::Text => self.string(raw.text(field)?.unwrap_or_default()),
            FieldKind::Data => self.numbers(FieldKind::UInt8, raw.data(field)?.unwrap_or_default()),
            FieldKind::Struct(spec) => raw.child(field, spec())?.map_or(Ok(()), |child| self.structure(child)),
            FieldKind::List(_) => raw.list(field)?.map_or(Ok(()), |list| self.list(list)),
            kind => self.plain(kind, raw.plain(field)),
        }
    }

    fn list(&mut self, list: RawList<'_>) -> Result<()> {
        let kind = list.kind();
        if kind.bits().is_some() {
            return self.numbers(kind, list.bytes());
        }
        self.push("[")?;
        for index in 0..list.list.count {
            self.next()?;
            match kind {
                FieldKind::Struct(spec) => self.structure(list.element(index, spec()))?,
                FieldKind::List(_) => self.list(list.list(index)?)?,
                _ => self.string(list.text(index)?)?,
            }
        }
        self.push("]")
    }

    fn numbers(&mut self, kind: FieldKind, bytes: &[u8]) -> Result<()> {
        self.push("[")?;
        for number in bytes.chunks_exact(kind.bits().map_or(1, |bits| (bits as usize / 8).max(1))) {
            self.next()?;
            let mut bits = [0; 8];
            bits[..number.len()].copy_from_slice(number);
            self.plain(kind, u64::from_le_bytes(bits))?;
        }
        self.push("]")
    }

    fn plain(&mut self, kind: FieldKind, bits: u64) -> Result<()> {
        match kind {
            FieldKind::Void => self.push("null"),
            FieldKind::Bool => self.push(if bits == 0 { "false" } else { "true" }),
            FieldKind::Int8 => self.push(&(bits as i8).to_string()),
            FieldKind::Int16 => self.push(&(bits as i16).to_string()),
            FieldKind::Int32 => self.push(&(bits as i32).to_string()),
            FieldKind::Int64 => self.push(&format!("\"{}\"", bits as i64)),
            FieldKind::UInt64 => self.push(&format!("\"{bits}\"")),
            FieldKind::Float32 => self.float(f64::from(f32::from_bits(bits as u32))),
            FieldKind::Float64 => self.float(f64::from_bits(bits)),
            FieldKind::Enum(names) => match names.get(bits as usize) {
                Some(name) => self.string(name),
                None => self.push(&bits.to_string()),
            },
            _ => self.push(&bits.to_string()),
        }
    }

    fn float(&mut self, value: f64) -> Result<()> {
        match value {
            f64::INFINITY => self.push("\"Infinity\""),
            f64::NEG_INFINITY => self.push("\"-Infinity\""),
            _ if value.is_nan() => self.push("\"NaN\""),
            _ => self.push(&number::float(value)),
        }
    }

    fn string(&mut self, text: &str) -> Result<()> {
        self.push("\"")?;
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c < ' ' || matches!(c, '"' | '\\')) {
            self.push(&rest[..at])?;
            match rest.as_bytes()[at] {
                b'"' => self.push("\\\"")?,
                b'\\' => self.push("\\\\")?,
                8 => self.push("\\b")?,
                12 => self.push("\\f")?,
                b'\n' => self.push("\\n")?,
                b'\r' => self.push("\\r")?,
                b'\t' => self.push("\\t")?,
                other => self.push(&format!("\\u{other:04x}"))?,
            }
            rest = &rest[at + 1..];
        }
        self.push(rest)?;
        self.push("\"")
    }
}

/// Whether the fields of the union form a nested object.
fn is_grouped(spec: &Spec) -> bool {
    spec.union.is_some_and(|union| !union.name.is_empty())
}
