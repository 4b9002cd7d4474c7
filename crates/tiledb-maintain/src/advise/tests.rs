use super::*;
use tiledb_array::array::create;
use tiledb_array::schema::{Attribute, Dimension, Domain};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::error::ErrorKind;
use tiledb_core::types::{ArrayType, Datatype, Layout, Name};
use tiledb_filters::filter::{Filter, FilterType, Pipeline};

const CELLS: usize = 40_000;

/// A sparse array of a key and columns that different filters suit.
struct Columns {
    resources: Resources,
    uri: Uri,
}

/// Numbers without a pattern.
fn noise(seed: u64) -> impl Iterator<Item = u64> {
    let mut state = seed;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    })
}

fn pipeline(kinds: &[FilterType]) -> Pipeline {
    Pipeline::new(kinds.iter().map(|&kind| Filter::new(kind)).collect())
}

fn attribute(name: &str, datatype: Datatype, filters: &[FilterType]) -> Attribute {
    let mut attribute = Attribute::new(name, datatype);
    if datatype.is_string() {
        attribute.set_cell_val_num(u32::MAX).unwrap();
    }
    attribute.set_filters(pipeline(filters)).unwrap();
    attribute
}

fn schema() -> ArraySchema {
    let ends = [0i64, 1 << 40].map(i64::to_le_bytes).concat();
    let key = Dimension::new("key", Datatype::Int64, Some(&ends), Some(&1024i64.to_le_bytes())).unwrap();
    let mut schema = ArraySchema::new(ArrayType::Sparse);
    schema.set_domain(Arc::new(Domain::of(vec![Arc::new(key)]))).unwrap();
    let mut scaled = attribute("scaled", Datatype::Float64, &[]);
    scaled.set_filters(Pipeline::new(vec![Filter::ScaleFloat { factor: 0.01, offset: 0.0, byte_width: 4 }])).unwrap();
    let mut nullable = attribute("nullable", Datatype::Int16, &[]);
    nullable.set_nullable(true);
    for attribute in [
        attribute("constant", Datatype::Int32, &[FilterType::Bzip2]),
        attribute("noise", Datatype::Int32, &[FilterType::Bzip2, FilterType::ChecksumSha256]),
        attribute("status", Datatype::StringAscii, &[]),
        attribute("id", Datatype::StringUtf8, &[]),
        scaled,
        nullable,
    ] {
        schema.add_attribute(Arc::new(attribute)).unwrap();
    }
    schema
}

impl Columns {
    fn empty(name: &str, schema: &ArraySchema) -> Columns {
        let resources = Resources::new(Config::new()).unwrap();
        let uri = Uri::parse(&format!("mem://advise/{name}")).unwrap();
        create(&resources, &uri, schema, &EncryptionKey::None).unwrap();
        Columns { resources, uri }
    }

    fn new(name: &str, schema: &ArraySchema) -> Columns {
        let array = Columns::empty(name, schema);
        array.write();
        array
    }

    fn write(&self) {
        let keys: Vec<i64> = (0..CELLS as i64).map(|cell| 7 * cell).collect();
        let constant = vec![42i32; CELLS];
        let random: Vec<i32> = noise(1).take(CELLS).map(|number| number as i32).collect();
        let scaled: Vec<f64> = noise(2).take(CELLS).map(|number| (number % 10_000) as f64 / 100.0).collect();
        let nullable: Vec<i16> = noise(3).take(CELLS).map(|number| (number % 100) as i16).collect();
        let validity: Vec<u8> = noise(4).take(CELLS).map(|number| u8::from(number % 10 != 0)).collect();
        let status: Vec<&str> =
            noise(5).take(CELLS).map(|number| ["ok", "failed", "late"][number as usize % 3]).collect();
        let id: Vec<String> = noise(6).take(CELLS).map(|number| format!("{number:08x}")).collect();
        let text = |name: &str, starts: Vec<u64>, text: &'static str| InputColumn {
            starts: Some(starts.into()),
            ..column(name, text.as_bytes())
        };
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let inputs = Inputs {
            columns: vec![
                column("key", bytemuck::cast_slice(&keys)),
                column("constant", bytemuck::cast_slice(&constant)),
                column("noise", bytemuck::cast_slice(&random)),
                text("status", starts(&status), leak(status.concat())),
                text("id", starts(&id), leak(id.concat())),
                column("scaled", bytemuck::cast_slice(&scaled)),
                InputColumn {
                    validity: Some(validity.as_slice()),
                    ..column("nullable", bytemuck::cast_slice(&nullable))
                },
            ]
            .into(),
        };
        let array =
            OpenArray::open(&self.resources, &self.uri, QueryType::Write, (0, 1), &EncryptionKey::None).unwrap();
        writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap().write(&inputs).unwrap();
    }

    /// Filters for the tiles that there are: other tiles may get others.
    fn advise(&self, objective: Objective) -> Advice {
        let mut config = self.resources.config().clone();
        config.set("sm.advise.properties", "").unwrap();
        advise(&self.resources.with_config(config).unwrap(), &self.uri, objective).unwrap()
    }

    /// Bytes of all files of fields.
    fn size(&self) -> u64 {
        let array = OpenArray::open(&self.resources, &self.uri, QueryType::Read, (0, 9), &EncryptionKey::None).unwrap();
        array.fragments().unwrap().iter().map(|fragment| fragment.data_size()).sum()
    }
}

fn part<'a>(advice: &'a Advice, name: &str) -> &'a PartAdvice {
    let name = FilteredPart::Values(Name::new(name));
    advice.parts.iter().find(|part| part.part == name).unwrap()
}

#[test]
fn filters_suit_the_values_of_each_field() {
    let array = Columns::new("suit", &schema());
    for objective in [Objective::Smallest, Objective::Balanced, Objective::Fastest] {
        let advice = array.advise(objective);
        let kinds = |name: &str| -> Vec<FilterType> {
            part(&advice, name).recommended.filters().iter().map(Filter::kind).collect()
        };
        assert!(part(&advice, "key").recommended_cost.stored < CELLS as u64 / 4, "{:?}", advice.parts);
        // Nothing compresses noise; its checksum stays.
        assert_eq!(kinds("noise"), [FilterType::ChecksumSha256], "{objective:?}");
        assert_eq!(kinds("scaled"), [FilterType::ScaleFloat]);
        assert_eq!(part(&advice, "scaled").kept, Some(KeepReason::Chosen));
        let constant = part(&advice, "constant");
        assert!(constant.recommended_cost.stored < 4 * CELLS as u64 / 100, "{constant:?}");
        assert!(part(&advice, "status").recommended_cost.stored < 5 * CELLS as u64 / 2, "{:?}", advice.parts);
        assert!(advice.parts.iter().any(|part| part.part == FilteredPart::Offsets));
        assert!(advice.parts.iter().any(|part| part.part == FilteredPart::Validity));
    }
}

#[test]
fn recommendations_are_deterministic() {
    let array = Columns::new("deterministic", &schema());
    let [one, other] = [(); 2].map(|()| format!("{:?}", array.advise(Objective::Balanced).parts));
    assert_eq!(one, other);
}

#[test]
fn a_rewritten_array_has_the_estimated_size() {
    let (name, before) = ("estimate", Columns::new("before", &schema()));
    for objective in [Objective::Smallest, Objective::Balanced, Objective::Fastest] {
        let advice = before.advise(objective);
        let after = Columns::new(&format!("{name}{objective:?}"), &advice.schema);
        let sum = |cost: fn(&PartAdvice) -> u64| advice.parts.iter().map(cost).sum::<u64>() as f64;
        let [old, new] = [before.size() as f64, after.size() as f64];
        let within = |estimate: f64, size: f64| (estimate / size - 1.0).abs() < 0.05;
        assert!(within(sum(|part| part.current_cost.stored), old), "{old} {:?}", advice.parts);
        assert!(within(sum(|part| part.recommended_cost.stored), new), "{new} {:?}", advice.parts);
        let most = if objective == Objective::Fastest { 1.2 } else { 0.9 };
        assert!(new < most * old, "{new} {old}");
        // What was recommended is recommended again.
        let again = after.advise(objective);
        assert!(again.parts.iter().all(|part| part.kept.is_some()), "{again:?}");
    }
}

#[test]
fn an_array_without_cells_keeps_its_filters() {
    let array = Columns::empty("empty", &schema());
    let advice = array.advise(Objective::Balanced);
    assert!(advice.parts.iter().all(|part| part.kept == Some(KeepReason::NoCells)), "{:?}", advice.parts);
    assert_eq!(advice.parts.len(), 7);
}

#[test]
fn old_format_versions_get_filters_that_they_have() {
    let mut config = Config::new();
    config.set("sm.write_format_version", "18").unwrap();
    let mut array = Columns::new("version", &schema());
    array.resources = array.resources.with_config(config).unwrap();
    let advice = array.advise(Objective::Smallest);
    let has_delta = |part: &PartAdvice| part.recommended.has(FilterType::Delta);
    assert!(!advice.parts.iter().any(has_delta), "{:?}", advice.parts);
}

#[test]
fn a_corrupt_tile_is_an_error_that_names_it() {
    let array = Columns::new("corrupt", &schema());
    let open = OpenArray::open(&array.resources, &array.uri, QueryType::Read, (0, 9), &EncryptionKey::None).unwrap();
    let fragment = &open.fragments().unwrap()[0];
    let field = fragment.field("constant").unwrap();
    let file = fragment.file_uri(field, tiledb_array::fragment::FieldPart::Data);
    let mut bytes = array.resources.vfs().read(&file).unwrap();
    bytes[30] ^= 0xff;
    array.resources.vfs().put(&file, &bytes).unwrap();
    let error = advise(&array.resources, &array.uri, Objective::Balanced).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt);
    assert!(error.text().contains("field 'constant', tile 0"), "{}", error.text());
}

#[test]
fn a_cancelled_recommendation_ends() {
    let array = Columns::new("cancelled", &schema());
    array.resources.cancel().request();
    let error = advise(&array.resources, &array.uri, Objective::Balanced).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled);
}
