//! Arrays with dimension labels or a current domain, which other random arrays do not have, and evolutions that expand it.

use support::random::Random;
use support::{Ctx, Failure, address, bytes, pointer, text};

/// A dimension: of 64-bit integers, or of texts.
struct Dimension {
    is_text: bool,
    /// The greatest coordinate; the least is 0.
    high: i64,
    extent: i64,
}

/// What is made.
pub struct Shaped {
    dense: bool,
    dimensions: Vec<Dimension>,
    /// Labels: of which dimension, in which order, of which type.
    labels: Vec<(u64, u64, u64)>,
    /// Where the current domain ends in each dimension, and where it ends when it was expanded.
    current: Option<[Vec<i64>; 2]>,
}

/// `TILEDB_INT64` and `TILEDB_STRING_ASCII`.
const INT64: u64 = 1;
const ASCII: u64 = 11;
/// Types of labels: `TILEDB_INT32`, `TILEDB_FLOAT64`, `TILEDB_STRING_ASCII`, `TILEDB_DATETIME_DAY`.
const LABELS: [u64; 4] = [0, 3, ASCII, 21];

impl Shaped {
    pub fn random(random: &mut Random) -> Shaped {
        let dense = random.one_in(2);
        let dimension = |random: &mut Random| Dimension {
            is_text: !dense && random.one_in(4),
            high: random.between(4, 99),
            extent: random.between(1, 5),
        };
        let dimensions: Vec<_> = (0..random.between(1, 3)).map(|_| dimension(random)).collect();
        let labelled: Vec<u64> = (0..dimensions.len() as u64).filter(|&d| !dimensions[d as usize].is_text).collect();
        let mut shaped = Shaped { dense, dimensions, labels: Vec::new(), current: None };
        if random.one_in(2) && !labelled.is_empty() {
            let label = |random: &mut Random| (*random.pick(&labelled), 1 + random.next() % 2, *random.pick(&LABELS));
            shaped.labels = (0..random.between(1, 3)).map(|_| label(random)).collect();
        } else {
            let end = |from: i64, dimension: &Dimension, random: &mut Random| random.between(from, dimension.high);
            let first: Vec<i64> = shaped.dimensions.iter().map(|dimension| end(0, dimension, random)).collect();
            let then = shaped.dimensions.iter().zip(&first).map(|(dimension, &from)| end(from, dimension, random));
            shaped.current = Some([then.collect(), first]).map(|[then, first]| [first, then]);
        }
        shaped
    }

    fn domain(&self, ctx: &Ctx<'_>) -> Result<u64, Failure> {
        let domain = ctx.get("domain_alloc", &[])?;
        for (number, Dimension { is_text, high, extent }) in self.dimensions.iter().enumerate() {
            let (name, ends, extent) = (text(&format!("d{number}")), [0, *high], [*extent]);
            let [ends, extent] = [&ends[..], &extent].map(|values| values.as_ptr() as u64);
            let args = if *is_text { [ASCII, 0, 0] } else { [INT64, ends, extent] };
            let dimension = ctx.get("dimension_alloc", &[&[pointer(&name)][..], &args].concat())?;
            ctx.call("domain_add_dimension", &[domain, dimension])?;
            ctx.free("dimension", dimension);
        }
        Ok(domain)
    }

    /// Makes the array.
    pub fn create(&self, ctx: &Ctx<'_>, uri: &str) -> Result<(), Failure> {
        let (domain, name) = (self.domain(ctx)?, text("a"));
        let attribute = ctx.get("attribute_alloc", &[pointer(&name), 0])?;
        let schema = ctx.get("array_schema_alloc", &[u64::from(!self.dense)])?;
        ctx.call("array_schema_set_domain", &[schema, domain])?;
        ctx.call("array_schema_add_attribute", &[schema, attribute])?;
        for (number, (dimension, order, datatype)) in self.labels.iter().enumerate() {
            let name = text(&format!("label{number}"));
            let args = [schema, *dimension, pointer(&name), *order, *datatype];
            ctx.call("array_schema_add_dimension_label", &args)?;
        }
        if let Some([first, _]) = &self.current {
            let current = self.current_domain(ctx, domain, first)?;
            ctx.call("array_schema_set_current_domain", &[schema, current])?;
            ctx.free("current_domain", current);
        }
        ctx.call("array_create", &[pointer(&text(uri)), schema])?;
        ctx.free("array_schema", schema);
        ctx.free("attribute", attribute);
        ctx.free("domain", domain);
        Ok(())
    }

    fn current_domain(&self, ctx: &Ctx<'_>, domain: u64, ends: &[i64]) -> Result<u64, Failure> {
        let rectangle = ctx.get("ndrectangle_alloc", &[domain])?;
        for (number, (dimension, end)) in self.dimensions.iter().zip(ends).enumerate() {
            let value = |number: i64| match dimension.is_text {
                true => format!("{number:03}").into_bytes(),
                false => number.to_le_bytes().to_vec(),
            };
            let (low, high) = (value(0), value(*end));
            let mut range = [bytes(&low), low.len() as u64, bytes(&high), high.len() as u64];
            ctx.call("ndrectangle_set_range", &[rectangle, number as u64, address(&mut range)])?;
        }
        let current = ctx.get("current_domain_create", &[])?;
        ctx.call("current_domain_set_ndrectangle", &[current, rectangle])?;
        ctx.free("ndrectangle", rectangle);
        Ok(current)
    }

    /// True if the array has a current domain.
    pub fn is_expanded(&self) -> bool {
        self.current.is_some()
    }

    /// An evolution that expands the current domain.
    pub fn expansion(&self, ctx: &Ctx<'_>) -> Result<u64, Failure> {
        let [_, ends] = self.current.as_ref().unwrap();
        let domain = self.domain(ctx)?;
        let current = self.current_domain(ctx, domain, ends)?;
        let evolution = ctx.get("array_schema_evolution_alloc", &[])?;
        ctx.call("array_schema_evolution_expand_current_domain", &[evolution, current])?;
        ctx.call("array_schema_evolution_set_timestamp_range", &[evolution, 5, 5])?;
        ctx.free("current_domain", current);
        ctx.free("domain", domain);
        Ok(evolution)
    }
}
