//! Predicates in delete commits. A node is `kind u8` and
//!
//! * 0, a group: `combination u8, parts u64`, the parts;
//! * 1, a comparison: `operator u8, field str32, value size u64, value`, and for sets `offsets size u64,
//!   offsets u64...`. A value of no bytes is the empty text, or null: see [`Predicate::of_commit`].

use super::{Combination, Comparison, ComparisonOperator, ComparisonValue, Leaf, Predicate, PredicateNode};
use tiledb_core::budget::{StructureBudget, StructureMemory};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::types::FormatVersion;
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::tile::generic;

const GROUP: u8 = 0;
const LEAF: u8 = 1;
/// The least bytes of a node: a comparison of a field with an empty name and no value.
const LEAST: usize = 14;

/// Memory of a node: in the list, its comparison, and the names of fields.
const NODE_MEMORY: usize = 2 * size_of::<PredicateNode>() + size_of::<Comparison>() + 64;

/// True for a comparison that is equal to the one before it.
fn is_repeat(before: &PredicateNode, node: &PredicateNode) -> bool {
    matches!(node, PredicateNode::Leaf(_)) && before == node
}

impl Predicate {
    /// Reads the tile of a delete commit.
    ///
    /// # Errors
    /// As [`generic::decode`], and if the payload is no predicate.
    pub fn load(tile: &[u8], key: &EncryptionKey, budget: StructureBudget) -> Result<Predicate> {
        let limit = |stored_bytes| Ok(budget.of_stored(stored_bytes));
        let payload = generic::decode(tile, key, limit, &|r, memory| Predicate::parse(r, memory).map(drop))?;
        Predicate::parse(&mut WireReader::new("delete condition", &payload.bytes), payload.memory)
    }

    /// The tile of a delete commit with this predicate and further bytes.
    ///
    /// # Errors
    /// If a reader would reject its size, or memory does not suffice.
    pub fn store(
        &self,
        additional: &[u8],
        version: FormatVersion,
        key: &EncryptionKey,
        budget: StructureBudget,
    ) -> Result<Vec<u8>> {
        let mut payload = self.write()?;
        // The values of comparisons are copied.
        let memory = payload.len().saturating_mul(2) + self.nodes().len() * NODE_MEMORY;
        payload.extend_from_slice(additional);
        let mut tile = Vec::new();
        generic::write(&payload, version, key, &mut tile)?;
        let mut limit = budget.of_stored(tile.len());
        let repeats = self.nodes().windows(2).filter(|pair| is_repeat(&pair[0], &pair[1])).count();
        let check = limit.charge(memory).and_then(|()| (0..repeats).try_for_each(|_| limit.count_repeat()));
        check.context(|| "Cannot write a delete condition that could not be read")?;
        Ok(tile)
    }

    /// Reads the payload of a delete commit.
    ///
    /// # Errors
    /// If the bytes do not follow the format.
    pub fn read(payload: &[u8]) -> Result<Predicate> {
        Predicate::parse(&mut WireReader::new("delete condition", payload), StructureMemory::unlimited())
    }

    fn parse(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<Predicate> {
        let mut predicate = Predicate::default();
        let mut open = 1usize;
        memory.charge(r.available().len())?;
        while open > 0 {
            memory.charge(NODE_MEMORY)?;
            open -= 1;
            let node = match r.u8()? {
                GROUP => {
                    let (combination, parts) = read_group(r)?;
                    // The remaining bytes must hold all open parts, which bounds the number of parts.
                    if parts > (r.remaining() / LEAST).saturating_sub(open) {
                        return Err(r.corrupt(format_args!("a group of {parts} parts, with {open} others to come")));
                    }
                    open += parts;
                    PredicateNode::Group { combination, parts }
                }
                LEAF => PredicateNode::Leaf(read_leaf(r)?),
                kind => return Err(r.corrupt(format_args!("a node of kind {kind}"))),
            };
            if predicate.nodes().last().is_some_and(|before| is_repeat(before, &node)) {
                memory.count_repeat()?;
            }
            predicate.push(node);
        }
        if !r.is_empty() {
            return Err(r.corrupt("bytes behind the condition"));
        }
        Ok(predicate)
    }

    /// The bytes of the predicate.
    ///
    /// # Errors
    /// If memory does not suffice.
    pub fn write(&self) -> Result<Vec<u8>> {
        let mut w = WireWriter::new();
        for node in self.nodes() {
            match node {
                PredicateNode::Group { combination, parts } => {
                    w.u8(GROUP).u8(*combination as u8).u64(*parts as u64);
                }
                PredicateNode::Leaf(leaf) => write_leaf(leaf, &mut w),
            }
        }
        w.finish()
    }
}

fn read_group(r: &mut WireReader<'_>) -> Result<(Combination, usize)> {
    let combination = match r.u8()? {
        0 => Combination::And,
        1 => Combination::Or,
        other => return Err(r.corrupt(format_args!("a combination of kind {other}"))),
    };
    match r.count64(LEAST)? {
        0 => Err(r.corrupt("a group without parts")),
        parts => Ok((combination, parts)),
    }
}

fn read_leaf(r: &mut WireReader<'_>) -> Result<Leaf> {
    let operator = ComparisonOperator::from_number(u32::from(r.u8()?));
    if let ComparisonOperator::Unknown(number) = operator {
        return Err(r.corrupt(format_args!("an operator with the number {number}")));
    }
    let field = r.str32()?.to_owned();
    let size = r.length64()?;
    let data = r.bytes(size)?;
    let value = if operator.is_set() {
        let size = r.length64()?;
        if !size.is_multiple_of(8) {
            return Err(r.corrupt(format_args!("{size} bytes of offsets")));
        }
        let offsets = r.words(size / 8)?;
        if !offsets.is_sorted() || offsets.last().is_some_and(|&last| last > data.len() as u64) {
            bail!(Corrupt, "delete condition: the members of a set for field '{field}' do not lie in its data");
        }
        ComparisonValue::Set { data: data.to_vec(), offsets }
    } else {
        ComparisonValue::Bytes(data.to_vec())
    };
    Ok(Leaf::new(Comparison { field, operator, value }, false))
}

fn write_leaf(leaf: &Leaf, w: &mut WireWriter) {
    // Operators in files are those of the table, whose numbers have eight bits.
    w.u8(LEAF).u8(leaf.operator.number() as u8).str32(leaf.field());
    match leaf.value() {
        ComparisonValue::Null => {
            w.u64(0);
        }
        ComparisonValue::Bytes(bytes) => {
            w.u64(bytes.len() as u64).bytes(bytes);
        }
        ComparisonValue::Set { data, offsets } => {
            w.u64(data.len() as u64).bytes(data).u64(8 * offsets.len() as u64).words(offsets);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Condition;
    use super::*;
    use proptest::prelude::*;

    fn comparison() -> impl Strategy<Value = Comparison> {
        let single = (any::<prop::sample::Index>(), prop::option::of(prop::collection::vec(any::<u8>(), 1..9)));
        let single = single.prop_map(|(operator, value)| {
            Comparison::new("some field", value.as_deref(), ComparisonOperator::from_number(operator.index(6) as u32))
                .unwrap()
        });
        let set = prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5), 1..5);
        let set = set.prop_map(|members| {
            let starts: Vec<u64> = (0..members.len()).map(|i| members[..i].concat().len() as u64).collect();
            Comparison::set("s", &members.concat(), &starts, ComparisonOperator::NotIn).unwrap()
        });
        prop_oneof![single, set]
    }

    fn condition() -> impl Strategy<Value = Condition> {
        comparison().prop_map(Condition::new).prop_recursive(5, 40, 3, |inner| {
            let both = (inner.clone(), inner.clone(), any::<bool>())
                .prop_map(|(a, b, all)| a.combine(&b, if all { Combination::And } else { Combination::Or }));
            prop_oneof![both, inner.prop_map(|inner| inner.negate().unwrap())]
        })
    }

    proptest! {
        #[test]
        fn predicates_come_back(condition in condition(), at in any::<prop::sample::Index>(), byte: u8) {
            let predicate = condition.use_enumeration(false).predicate().unwrap();
            let mut bytes = predicate.write().unwrap();
            let back = Predicate::read(&bytes).unwrap();
            prop_assert_eq!(back.write().unwrap(), bytes.clone());
            prop_assert_eq!(back.nodes().len(), predicate.nodes().len());
            for cut in 0..bytes.len() {
                prop_assert!(Predicate::read(&bytes[..cut]).is_err());
            }
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = Predicate::read(&bytes);
        }
    }

    #[test]
    fn a_million_groups_are_read_without_a_stack() {
        let leaf = [&[LEAF, 4][..], &1u32.to_le_bytes(), b"a", &1u64.to_le_bytes(), &[7]].concat();
        let mut bytes = Vec::new();
        for level in 0..1_000_000u32 {
            bytes.extend([GROUP, (level % 2) as u8]);
            bytes.extend(1u64.to_le_bytes());
        }
        bytes.extend(&leaf);
        assert_eq!(Predicate::read(&bytes).map(|predicate| predicate.leaves().count()).unwrap_or(0), 1);
        let lying = [&[GROUP, 0][..], &u64::MAX.to_le_bytes(), &leaf].concat();
        assert!(Predicate::read(&lying).is_err());
    }
}
