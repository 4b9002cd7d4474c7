//! Domains of the arrays: rows and columns.

use support::{Ctx, Failure, pointer, text};

const INT32: u64 = 0;
const STRING_ASCII: u64 = 11;

/// A dimension: so many numbers from 0 on with tiles of an extent, or strings.
pub struct DomainKind {
    pub count: usize,
    pub extent: usize,
    pub is_text: bool,
}

/// A domain of `y` and `x`, whose coordinates are filtered.
pub fn domain(ctx: &Ctx<'_>, sides: [DomainKind; 2], filters: Option<u64>) -> Result<u64, Failure> {
    let domain = ctx.get("domain_alloc", &[])?;
    for (name, DomainKind { count, extent, is_text }) in ["y", "x"].into_iter().zip(sides) {
        let (ends, extent) = ([0, count as i32 - 1], [extent as i32]);
        let (datatype, ends, extent) = match is_text {
            true => (STRING_ASCII, 0, 0),
            false => (INT32, ends.as_ptr() as u64, extent.as_ptr() as u64),
        };
        let dimension = ctx.get("dimension_alloc", &[pointer(&text(name)), datatype, ends, extent])?;
        if let Some(filters) = filters {
            ctx.call("dimension_set_filter_list", &[dimension, filters])?;
        }
        ctx.call("domain_add_dimension", &[domain, dimension])?;
    }
    Ok(domain)
}
