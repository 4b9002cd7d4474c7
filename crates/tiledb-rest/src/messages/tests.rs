//! Tests of the schema definitions against the list of the format.

use std::collections::BTreeSet;

use super::*;
use crate::encoding::{FieldKind, Spec, Struct};

/// Struct, ordinal, field, type, union, default, JSON name, first release, place, size of the struct, place of the union.
const LIST: &str = include_str!("../../../../tests/data/messages.tsv");

/// The definition of each struct; a map is listed once, with an arbitrary value type.
pub(crate) fn all() -> Vec<&'static Spec> {
    macro_rules! specs {
        ($($name:ident)*) => { vec![$($name::SPEC),*] };
    }
    let mut all = specs![
        ASTNode Aggregate Array ArrayConsolidationRequest ArrayCreateRequest ArrayDeleteFragmentsListRequest
        ArrayDeleteFragmentsTimestampsRequest ArrayDirectory ArrayMetadata ArrayOpen ArraySchema
        ArraySchemaEvolution ArrayVacuumRequest Attribute AttributeBufferHeader AttributeBufferSize
        BufferedChunk CompletedPart Condition ConditionClause ConditionLocation Config ConsolidationPlanRequest
        ConsolidationPlanResponse CurrentDomain Delete Dimension DimensionLabel Domain DomainArray Enumeration
        EstimatedResultSize Filter FilterPipeline FloatScaleConfig FragmentIndex FragmentInfo
        FragmentInfoRequest FragmentMetadata GenericTileOffsets GlobalWriteState Group GroupCreate
        GroupCreateDetails GroupDetails GroupMember GroupMetadata GroupUpdate GroupUpdateDetails KV
        LabelSubarrayRanges LoadArraySchemaRequest LoadArraySchemaResponse LoadEnumerationsRequest
        LoadEnumerationsResponse MapEnumeration MapEnumerationEntry MapFloat64 MapFloat64Entry MapInt64
        MapInt64Entry MapUInt32 MapUInt32Entry MapUInt64 MapUInt64Entry MemorySize MetadataEntry
        MultiPartUploadState NDRectangle NonEmptyDomain NonEmptyDomainList ObjectInfoResponse PartitionInfo
        PartitionerState Query QueryChannel QueryPlanRequest QueryPlanResponse QueryReader ReadState
        ReadStateIndex ReaderIndex RestCapabilities ResultCellSlab ResultSize ServerError SingleCoord
        SingleFragmentInfo Stats Subarray SubarrayPartitioner SubarrayRanges TileDBVersion TimestampedUri
        UnorderedWriterState WebpConfig Writer WrittenFragmentInfo
    ];
    all.extend([Map::<ArraySchema>::SPEC, MapEntry::<ArraySchema>::SPEC]);
    all
}

struct Row {
    owner: String,
    columns: Vec<&'static str>,
}

fn rows() -> Vec<Row> {
    let rows = LIST.lines().skip(1).map(|line| line.split('\t').collect::<Vec<_>>());
    let rows = rows.filter(|columns| columns[4] != "enum");
    rows.map(|columns| Row { owner: columns[0].replace("Map(Key, Value)", "Map"), columns }).collect()
}

/// What the list calls a kind.
fn kind_text(kind: FieldKind) -> String {
    match kind {
        FieldKind::Struct(spec) => spec().name.to_owned(),
        FieldKind::List(kind) => format!("List({})", kind_text(*kind)),
        FieldKind::Enum(names) => {
            assert_eq!(names, ["array", "group"]);
            "ObjectType".to_owned()
        }
        plain => format!("{plain:?}"),
    }
}

/// Whether a kind has the name `name` in the list, within `owner`.
fn is(kind: FieldKind, name: &str, owner: &str) -> bool {
    let text = kind_text(kind);
    let outer = owner.split('.').next().unwrap_or_default();
    let map = |text: &str| text == "Map" && name.starts_with("Map(Text, ");
    let entry = |text: &str| text == "List(Map.Entry)" && owner == "Map" && name == "List(Entry)";
    let nested = [name.to_owned(), name.replace("List(", &format!("List({outer}.")), format!("{outer}.{name}")];
    nested.contains(&text) || map(&text) || entry(&text) || (owner == "Map.Entry" && matches!(name, "Key" | "Value"))
}

/// The number after `word` in a text such as `bits[16, 32), union tag = 3`.
fn number(text: &str, word: &str) -> Option<u32> {
    let rest = &text[text.find(word)? + word.len()..];
    rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[test]
fn every_struct_is_described() {
    let listed: BTreeSet<String> = rows().into_iter().map(|row| row.owner).collect();
    let described: BTreeSet<String> = all().iter().map(|spec| spec.name.to_owned()).collect();
    assert_eq!(listed, described);
    assert_eq!(all().len(), 100);
}

#[test]
fn every_field_is_where_the_format_says() {
    for spec in all() {
        let rows: Vec<Row> = rows().into_iter().filter(|row| row.owner == spec.name).collect();
        assert_eq!(rows.len(), spec.fields.len(), "{}", spec.name);
        for (row, field) in rows.iter().zip(spec.fields) {
            let [_, _, name, kind, union, default, json, _, place, size, tag_at] = row.columns[..] else {
                panic!("{:?}", row.columns)
            };
            let context = format!("{}.{name}: {field:?}", spec.name);
            assert_eq!(field.name, if json.is_empty() { name } else { json }, "{context}");
            assert!(is(field.kind, kind, &row.owner), "{context}");
            let at = if field.kind.bits().is_some() { number(place, "bits[") } else { number(place, "ptr[") };
            assert_eq!(Some(field.place), at, "{context}");
            if let Some(bits) = field.kind.bits() {
                assert_eq!(Some(field.place + bits), number(place, ", "), "{context}");
            }
            assert_eq!(field.tag.map(u32::from), number(place, "union tag = "), "{context}");
            assert_eq!(field.inverted, default == "true", "{context}");
            assert_eq!(number(size, ""), Some(u32::from(spec.words) * 8), "{context}");
            assert_eq!(number(size, "bytes, "), Some(u32::from(spec.pointers)), "{context}");
            if field.tag.is_some() {
                let (spec_union, name) = (spec.union.unwrap(), union.trim_matches(['(', ')']));
                assert_eq!(number(tag_at, "bits ["), Some(spec_union.at), "{context}");
                let named = format!("union {}", spec_union.name);
                assert_eq!(if spec_union.name.is_empty() { "unnamed union" } else { &named }, name);
            }
        }
    }
}
