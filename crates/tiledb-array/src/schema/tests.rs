//! Properties of whole schemas.

use super::strategy;
use super::*;
use proptest::prelude::*;
use std::sync::Arc;
use tiledb_core::types::{ArrayType, CURRENT_VERSION, DataOrder, Datatype};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_come_back(schema in strategy::schema()) {
        let bytes = schema.write().unwrap();
        let read = ArraySchema::read(&bytes).unwrap();
        prop_assert_eq!(read.write().unwrap(), bytes);
        prop_assert_eq!(read.attributes(), schema.attributes());
        prop_assert_eq!(read.version(), CURRENT_VERSION);
        prop_assert!(read.check().is_ok());
    }

    #[test]
    fn broken_bytes_are_errors_and_never_worse(
        schema in strategy::schema(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut bytes = schema.write().unwrap();
        prop_assert!(ArraySchema::read(&bytes[..cut.index(bytes.len())]).is_err());
        for (at, byte) in changes {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(read) = ArraySchema::read(&bytes) {
            let _ = (read.check(), read.write().unwrap(), read.fields().len());
        }
    }

    #[test]
    fn every_field_has_its_place_in_fragments(schema in strategy::schema()) {
        let attributes = schema.attributes().len();
        prop_assert_eq!(schema.field_count_in_fragment(), attributes + 1 + schema.domain().len());
        for field in schema.fields() {
            let stored = schema.field(&field.name).unwrap();
            prop_assert_eq!(stored.index, field.index);
            let place = match field.dimension_index {
                Some(dimension) => attributes + 1 + dimension,
                None => field.attribute_index.unwrap(),
            };
            prop_assert_eq!(field.index, place);
        }
        prop_assert!(schema.field("none of them").is_none());
    }
}

/// One `INT32` dimension `x` of 1 to 10.
fn line() -> ArraySchema {
    let domain = [1i32.to_le_bytes(), 10i32.to_le_bytes()].concat();
    let dimension = Dimension::new("x", Datatype::Int32, Some(&domain), None).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
    schema
}

#[test]
fn labels_enumerations_and_the_current_domain_come_back() {
    let mut schema = line();
    schema.add_label(0, "names", DataOrder::Increasing, Datatype::StringAscii, false).unwrap();
    let sizes = Enumeration::new("size", Datatype::Int32, 1, true, &[1, 0, 0, 0], None).unwrap();
    schema.add_enumeration(Arc::new(sizes.clone())).unwrap();
    let mut attribute = Attribute::new("a", Datatype::Uint8);
    attribute.set_enumeration("size").unwrap();
    schema.add_attribute(Arc::new(attribute)).unwrap();
    let mut rectangle = NdRectangle::new(schema.domain().clone());
    rectangle.set_range(0, &2i32.to_le_bytes(), &7i32.to_le_bytes()).unwrap();
    schema.set_current_domain(CurrentDomain::of(Arc::new(rectangle)));
    schema.check().unwrap();
    schema.check_current_domain().unwrap();

    let mut read = ArraySchema::read(&schema.write().unwrap()).unwrap();
    assert_eq!(read.write().unwrap(), schema.write().unwrap());
    assert_eq!(read.label("names").map(|label| label.uri.as_str()), Some("__labels/l0"));
    assert_eq!(read.current_domain().dump(), schema.current_domain().dump());
    assert!(read.loaded_enumeration("size").is_err());
    let values = sizes.clone();
    let source: EnumerationSource = Arc::new(move |_| Ok(values.clone()));
    read.set_enumeration_source(&source);
    assert!(read.clone().enumerations()[0].loaded().is_none());
    let clone = read.clone();
    assert_eq!(*read.loaded_enumeration("size").unwrap(), sizes);
    assert!(clone.enumerations()[0].loaded().is_some());
}

#[test]
fn the_current_domain_stays_within_the_domain() {
    let mut schema = line();
    schema.set_current_domain(CurrentDomain::of(Arc::new(NdRectangle::new(schema.domain().clone()))));
    assert!(schema.check_current_domain().is_err());

    let mut rectangle = NdRectangle::new(schema.domain().clone());
    rectangle.set_range(0, &2i32.to_le_bytes(), &11i32.to_le_bytes()).unwrap();
    schema.set_current_domain(CurrentDomain::of(Arc::new(rectangle)));
    assert!(schema.check_current_domain().is_err());
}

#[test]
fn a_schema_of_version_1_is_read() {
    let bytes: &[&[u8]] = &[
        &1u32.to_le_bytes(),       // version
        &[0, 0, 1],                // dense, row-major tiles, column-major cells
        &500u64.to_le_bytes(),     // capacity
        &[0, 0, 1, 0, 0, 0, 0, 0], // coordinate filters: none
        &[0, 0, 1, 0, 0, 0, 0, 0], // offsets filters: none
        &[0],                      // INT32 domain
        &1u32.to_le_bytes(),       // one dimension
        &1u32.to_le_bytes(),       // its name
        b"x",
        &1i32.to_le_bytes(), // its domain and extent
        &4i32.to_le_bytes(),
        &[0],
        &2i32.to_le_bytes(),
        &1u32.to_le_bytes(), // one attribute, anonymous, FLOAT64
        &0u32.to_le_bytes(),
        &[3],
        &1u32.to_le_bytes(),
        &[0, 0, 1, 0, 0, 0, 0, 0],
    ];
    let schema = ArraySchema::read(&bytes.concat()).unwrap();
    assert_eq!(schema.version().number(), 1);
    assert_eq!(schema.domain().dimensions()[0].cells_per_tile(), Some(2));
    assert_eq!(schema.field("").unwrap().fill[..], f64::NAN.to_le_bytes());
    let newer = ArraySchema::read(&24u32.to_le_bytes()).unwrap_err();
    let text = "Array format version (24) is newer than the library format version (23)";
    assert_eq!(newer.text(), format!("ArraySchema: Failed to deserialize; {text}"));
}

#[test]
fn small_old_schemas_with_huge_cells_are_refused() {
    let filters = [0, 0, 1, 0, 0, 0, 0, 0];
    let mut w = tiledb_core::wire::WireWriter::new();
    w.u32(1).bytes(&[1, 0, 0]).u64(500).bytes(&filters).bytes(&filters);
    w.bytes(&[0]).u32(1).str32("x").i32(1).i32(4).bytes(&[0]).i32(2);
    w.u32(100);
    for _ in 0..100 {
        w.str32("a").u8(Datatype::Int8.number()).u32(100 << 20).bytes(&filters);
    }
    let error = ArraySchema::read(&w.finish().unwrap()).unwrap_err();
    assert!(error.text().contains("cells of more than 268435456 bytes"), "{error}");
}

#[test]
fn dimensions_without_filters_have_those_of_the_schema() {
    let schema = line();
    assert!(schema.domain().dimensions()[0].filters().is_empty());
    assert_eq!(&schema.field("x").unwrap().filters, schema.coords_filters());
    let read = ArraySchema::read(&schema.write().unwrap()).unwrap();
    assert_eq!(read.domain().dimensions()[0].filters(), schema.coords_filters());
    assert_eq!(read.write().unwrap(), schema.write().unwrap());
}

#[test]
fn a_copy_is_independent() {
    let schema = line();
    let mut copy = schema.clone();
    assert_eq!(copy.fields().len(), 1);
    copy.add_attribute(Arc::new(Attribute::new("a", Datatype::Int8))).unwrap();
    assert_eq!((copy.fields().len(), schema.fields().len()), (2, 1));
}
