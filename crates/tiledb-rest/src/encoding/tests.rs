//! Messages that are sound, and messages that are not.

use std::path::PathBuf;

use super::raw::{Raw, RawList};
use super::*;
use crate::messages::{self, *};
use tiledb_core::error::Result;

/// The samples in the form of Cap'n Proto: name, what their root is, bytes.
pub(crate) fn samples() -> Vec<(String, &'static Spec, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/serialized");
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.tsv")).unwrap();
    let specs = messages::tests::all();
    let rows = manifest.lines().skip(1).filter(|row| row.contains(".capnp\t"));
    rows.map(|row| {
        let mut columns = row.split('\t');
        let (name, root) = (columns.next().unwrap(), columns.next().unwrap());
        let spec = specs.iter().find(|spec| spec.name == root).unwrap_or_else(|| panic!("{root}"));
        (name.to_owned(), *spec, std::fs::read(folder.join(name)).unwrap())
    })
    .collect()
}

/// Visits everything in a struct; returns the number of items.
fn walk(raw: Raw<'_>) -> Result<usize> {
    let mut fields = 1;
    for field in raw.spec.fields.iter().filter(|field| raw.is_chosen(field)) {
        fields += match field.kind {
            FieldKind::Text => raw.text(field)?.map_or(0, str::len),
            FieldKind::Data => raw.data(field)?.map_or(0, <[u8]>::len),
            FieldKind::Struct(spec) => raw.child(field, spec())?.map_or(Ok(0), walk)?,
            FieldKind::List(_) => raw.list(field)?.map_or(Ok(0), walk_list)?,
            _ => raw.plain(field).count_ones() as usize,
        };
    }
    Ok(fields)
}

fn walk_list(list: RawList<'_>) -> Result<usize> {
    let each = |index| match list.kind() {
        FieldKind::Struct(spec) => walk(list.element(index, spec())),
        FieldKind::Text => list.text(index).map(str::len),
        FieldKind::List(_) => list.list(index).and_then(walk_list),
        _ => Ok(1),
    };
    (0..list.list.count).map(each).sum()
}

/// Visits everything in a message, with a traversal limit of `bytes`.
fn read(spec: &'static Spec, message: &[u8], bytes: u64) -> Result<usize> {
    walk(Message::read(message, Limits { bytes, depth: 64 })?.raw_root(spec)?)
}

#[test]
fn samples_are_read() {
    let samples = samples();
    assert!(samples.len() > 40, "{}", samples.len());
    for (name, spec, bytes) in samples {
        let message = Message::read(&bytes[..], Limits::default()).unwrap();
        assert!(message.len() <= bytes.len() && (name.starts_with("query-") || message.rest().is_empty()), "{name}");
        walk(message.raw_root(spec).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn truncated_message_is_refused() {
    for (name, spec, bytes) in samples() {
        let whole = Message::read(&bytes[..], Limits::default()).unwrap().len();
        for end in 0..whole {
            assert!(read(spec, &bytes[..end], 1 << 24).is_err(), "{name}: {end} of {whole}");
        }
    }
}

/// Small numbers without an order.
pub(crate) fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    *state >> 33
}

#[test]
fn changed_messages_end_in_a_message_or_an_error() {
    let mut state = 1;
    for (_, spec, bytes) in samples() {
        let mut changed = bytes.clone();
        let step = (bytes.len() / 250).max(1);
        for at in (0..bytes.len()).step_by(step) {
            for value in [bytes[at] ^ 1, bytes[at] ^ 0x80, 0xff, random(&mut state) as u8] {
                changed[at] = value;
                let _ = read(spec, &changed, 1 << 16);
            }
            changed[at] = bytes[at];
        }
    }
}

#[test]
fn random_words_end_in_a_message_or_an_error() {
    let mut state = 7;
    for round in 0..20_000 {
        let words = 2 + random(&mut state) as usize % 30;
        let mut bytes = vec![0; 8];
        bytes[4..].copy_from_slice(&(words as u32).to_le_bytes());
        for _ in 0..words {
            // Pointers near by, of every sort, are likelier to be sound than bits of chance.
            let offset = (random(&mut state) % 40).wrapping_sub(8) << 2;
            let low = (offset & 0xffff_ffff) | (random(&mut state) % 3);
            let high = random(&mut state) & if round % 2 == 0 { 0x0003_0003 } else { 0x7f };
            bytes.extend((low | high << 32).to_le_bytes());
        }
        let specs = [Query::SPEC, ArraySchema::SPEC, ASTNode::SPEC, FragmentMetadata::SPEC];
        let _ = read(specs[round % specs.len()], &bytes, 1 << 14);
    }
}

/// A message of one segment, or of several.
fn message(segments: &[&[u64]]) -> Vec<u8> {
    let mut bytes = (segments.len() as u32 - 1).to_le_bytes().to_vec();
    segments.iter().for_each(|segment| bytes.extend((segment.len() as u32).to_le_bytes()));
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    segments.iter().flat_map(|segment| *segment).for_each(|word| bytes.extend(word.to_le_bytes()));
    bytes
}

fn refused(segments: &[&[u64]], root: &'static Spec) -> String {
    read(root, &message(segments), 1 << 20).unwrap_err().text().to_owned()
}

#[test]
fn invalid_message_fails_with_its_struct_and_field() {
    // The root's one pointer is the first of KV: a list of bytes at its end.
    let kv = |pointer: u64, rest: &[u64]| [&[2 << 48, pointer, 0], rest].concat();
    let text = |count: u64| 4 | 1 | 2 << 32 | count << 35;
    assert_eq!(refused(&[&kv(text(3), &[0x0041_4242])], KV::SPEC), "KV.key: text is not ended by a NUL");
    assert_eq!(refused(&[&kv(text(3), &[0x0000_ffff])], KV::SPEC), "KV.key: text is no UTF-8");
    assert_eq!(refused(&[&kv(text(3), &[0x0000_0041])], KV::SPEC), "KV.key: there is a NUL within a text");
    assert_eq!(
        refused(&[&kv(text(9), &[0])], KV::SPEC),
        "KV.key: the pointer leads outside of segment 0 (word 5 of 4)"
    );
    assert_eq!(
        refused(&[&kv(2 | 2 << 32, &[])], KV::SPEC),
        "KV.key: the pointer leads outside of the message (segment 3 of 1)"
    );
    assert_eq!(refused(&[&kv(1 << 32, &[])], KV::SPEC), "KV.key: a list is expected, and something else is there");
    assert_eq!(refused(&[&[0]], KV::SPEC), "KV: the message has no root");
    assert_eq!(refused(&[&kv(2, &[])], KV::SPEC), "KV.key: a list is expected, and something else is there");
}

#[test]
fn far_pointers_are_followed() {
    let word = u64::from_le_bytes(*b"abc\0\0\0\0\0");
    let list = |offset: u64| offset << 2 | 1 | 2 << 32 | 4 << 35;
    // One step: the pad is the pointer. Two steps: the pad says where, and what.
    let near: [&[u64]; 2] = [&[2 << 48, 2 | 1 << 3 | 1 << 32, 0], &[0, list(1), 0, word]];
    let double: [&[u64]; 3] = [&[2 << 48, 2 | 4 | 2 << 32, 0], &[0, word], &[2 | 1 << 3 | 1 << 32, list(0)]];
    for segments in [&near[..], &double[..]] {
        let bytes = message(segments);
        let message = Message::read(&bytes[..], Limits::default()).unwrap();
        assert_eq!(message.root::<KV>().unwrap().text(KV::KEY).unwrap(), Some("abc"));
    }
}

#[test]
fn traversal_is_limited() {
    // A list of 2^29 - 1 elements that take no room.
    let voids = (1 << 29) - 1;
    let bytes = message(&[&[1 << 48, 1 | 7 << 32, (voids / 2) << 2]]);
    let error = read(FilterPipeline::SPEC, &bytes, 1 << 20).unwrap_err();
    assert_eq!(error.text(), "FilterPipeline.filters: the message holds more than may be looked at, 1048576 bytes");
    // As many as there are bytes in the message may be without content, and no more.
    for (count, is_read) in [(30, true), (1000, false)] {
        let bytes = message(&[&[1 << 48, 1 | 7 << 32, count << 2]]);
        assert_eq!(read(FilterPipeline::SPEC, &bytes, 1 << 20).is_ok(), is_read, "{count}");
    }
    // A tree whose node is its own child.
    let own = message(&[&[1 << 32 | 6 << 48, 0, 0, 0, 0, 1 | 7 << 32 | 7 << 35, 0, 0, 1 << 2 | 1 << 32 | 6 << 48]]);
    let error = read(ASTNode::SPEC, &own, 1 << 30).unwrap_err();
    assert!(error.text().starts_with("ASTNode.children: "), "{error}");
}

/// Writes what a view shows into a message of our own.
fn tree(depth: usize) -> Vec<u8> {
    fn fill(mut node: Builder<'_, ASTNode>, depth: usize) {
        node.set_text(ASTNode::OP, "EQ").unwrap();
        if depth > 0 {
            fill(node.list(ASTNode::CHILDREN, 1).unwrap().get(0).unwrap(), depth - 1);
        }
    }
    let mut out = MessageBuilder::new();
    fill(out.root().unwrap(), depth);
    out.capnp()
}

#[test]
fn nesting_is_limited() {
    assert!(read(ASTNode::SPEC, &tree(31), 1 << 20).is_ok());
    let error = read(ASTNode::SPEC, &tree(32), 1 << 20).unwrap_err();
    assert_eq!(error.text(), "ASTNode.children: structs and lists lie more than 64 deep inside one another");
}

#[test]
fn built_messages_are_read() {
    let mut out = MessageBuilder::new();
    let mut root = out.root::<Attribute>().unwrap();
    root.set(Attribute::CELL_VAL_NUM, u32::MAX);
    root.set(Attribute::NULLABLE, true);
    root.set_text(Attribute::NAME, "a name of many letters").unwrap();
    root.set_data(Attribute::FILL_VALUE, &[]).unwrap();
    let mut pipeline = root.child(Attribute::FILTER_PIPELINE).unwrap();
    let mut filters = pipeline.list(FilterPipeline::FILTERS, 2).unwrap();
    filters.get(0).unwrap().set(Filter::INT32, -5);
    filters.get(1).unwrap().set(Filter::FLOAT64, -0.5);
    assert!(filters.get(2).is_err());
    let bytes = out.capnp();
    let message = Message::read(bytes, Limits::default()).unwrap();
    let root = message.root::<Attribute>().unwrap();
    assert_eq!(root.get(Attribute::CELL_VAL_NUM), u32::MAX);
    assert!(root.get(Attribute::NULLABLE) && !root.get(Attribute::FILL_VALUE_VALIDITY));
    assert_eq!(root.text(Attribute::NAME).unwrap(), Some("a name of many letters"));
    assert_eq!(root.text(Attribute::ORDER).unwrap(), None);
    assert_eq!(root.data(Attribute::FILL_VALUE).unwrap(), Some(&[][..]));
    let filters = root.child(Attribute::FILTER_PIPELINE).unwrap().unwrap().items(FilterPipeline::FILTERS).unwrap();
    let nodes: Vec<(u16, i32, f64)> =
        filters.iter().map(|filter| (filter.which(), filter.get(Filter::INT32), filter.get(Filter::FLOAT64))).collect();
    assert_eq!((nodes[0].0, nodes[0].1), (6, -5));
    assert_eq!((nodes[1].0, nodes[1].2), (11, -0.5));
}

#[test]
fn lists_of_every_kind_are_built_and_read() {
    let mut out = MessageBuilder::new();
    let mut root = out.root::<FragmentMetadata>().unwrap();
    root.set_numbers(FragmentMetadata::FILE_SIZES, &[1, 2, u64::MAX]).unwrap();
    let mut sums = root.list(FragmentMetadata::TILE_SUMS, 2).unwrap();
    sums.set_numbers(0, &[1, 2, 3]).unwrap();
    let bytes = out.capnp();
    let message = Message::read(bytes, Limits::default()).unwrap();
    let root = message.root::<FragmentMetadata>().unwrap();
    assert_eq!(root.items(FragmentMetadata::FILE_SIZES).unwrap().to_vec().unwrap(), [1, 2, u64::MAX]);
    let sums = root.items(FragmentMetadata::TILE_SUMS).unwrap();
    let sums: Vec<Vec<u8>> = sums.iter().map(|list| list.unwrap().bytes().to_vec()).collect();
    assert_eq!(sums, [vec![1, 2, 3], vec![]]);
    assert!(root.list(FragmentMetadata::TILE_OFFSETS).unwrap().is_none());

    let mut out = MessageBuilder::new();
    let mut root = out.root::<ConsolidationPlanResponse>().unwrap();
    let mut nodes = root.list(ConsolidationPlanResponse::FRAGMENT_URIS_PER_NODE, 2).unwrap();
    nodes.set_texts(1, &["a", "bc"]).unwrap();
    let message = Message::read(out.capnp(), Limits::default()).unwrap();
    let nodes = message.root::<ConsolidationPlanResponse>().unwrap();
    let nodes = nodes.items(ConsolidationPlanResponse::FRAGMENT_URIS_PER_NODE).unwrap();
    let texts: Vec<Vec<&str>> = nodes.iter().map(|node| node.unwrap().iter().map(Result::unwrap).collect()).collect();
    assert_eq!(texts, [vec![], vec!["a", "bc"]]);
}

#[test]
fn unset_flag_with_default_true_is_true() {
    let mut out = MessageBuilder::new();
    out.root::<Subarray>().unwrap();
    let message = Message::read(out.capnp(), Limits::default()).unwrap();
    assert!(message.root::<Subarray>().unwrap().get(Subarray::COALESCE_RANGES));
    let mut out = MessageBuilder::new();
    out.root::<Subarray>().unwrap().set(Subarray::COALESCE_RANGES, false);
    let message = Message::read(out.capnp(), Limits::default()).unwrap();
    assert!(!message.root::<Subarray>().unwrap().get(Subarray::COALESCE_RANGES));
}
