//! Encrypted tiles in the place of others: each is authenticated, but not its place, so that only statistics tell.

use std::sync::Arc;

use super::finding::Code;
use super::verify;
use tiledb_array::array::{OpenArray, create};
use tiledb_array::schema::{ArraySchema, Attribute, Dimension, Domain};
use tiledb_cells::columns::input::{InputColumn, Inputs};
use tiledb_cells::write::testing::{self, column, starts};
use tiledb_cells::write::writer;
use tiledb_core::config::Config;
use tiledb_core::types::{ArrayType, Datatype, Layout, QueryType};
use tiledb_filters::crypto::EncryptionKey;
use tiledb_filters::filter::Pipeline;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// An encrypted array of two tiles of four cells: a dimension, two attributes with statistics and one without.
struct Encrypted {
    resources: Resources,
    uri: Uri,
}

impl Encrypted {
    fn new() -> Encrypted {
        let mut config = Config::new();
        config.set("sm.encryption_type", "AES_256_GCM").unwrap();
        config.set("sm.encryption_key", "0123456789abcdeF0123456789abcdeF").unwrap();
        let key = EncryptionKey::for_opening(&config).unwrap();
        let resources = Resources::new(config).unwrap();
        let uri = Uri::parse("mem://swapped").unwrap();
        let ends = [0, 99].map(i32::to_le_bytes).concat();
        let mut dimension = Dimension::new("d", Datatype::Int32, Some(&ends), Some(&100i32.to_le_bytes())).unwrap();
        dimension.set_filters(Pipeline::default()).unwrap();
        let mut schema = ArraySchema::new(ArrayType::Sparse);
        schema.set_coords_filters(Pipeline::default()).unwrap();
        schema.set_domain(Arc::new(Domain::of(vec![Arc::new(dimension)]))).unwrap();
        schema.set_capacity(4).unwrap();
        for name in ["a", "b"] {
            schema.add_attribute(Arc::new(Attribute::new(name, Datatype::Int32))).unwrap();
        }
        let mut text = Attribute::new("t", Datatype::StringUtf8);
        text.set_cell_val_num(u32::MAX).unwrap();
        schema.add_attribute(Arc::new(text)).unwrap();
        create(&resources, &uri, &schema, &key).unwrap();

        let array = OpenArray::open(&resources, &uri, QueryType::Write, (0, 1), &key).unwrap();
        let coords: Vec<i32> = (0..8).collect();
        let other: Vec<i32> = (100..108).collect();
        let texts: Vec<String> = (0..8).map(|cell| format!("word{cell}")).collect();
        let starts = starts(&texts);
        let texts = texts.concat();
        let columns = vec![
            column("d", bytemuck::cast_slice(&coords)),
            column("a", bytemuck::cast_slice(&coords)),
            column("b", bytemuck::cast_slice(&other)),
            InputColumn { starts: Some(starts.into()), ..column("t", texts.as_bytes()) },
        ];
        let mut writer = writer(testing::spec(array, Layout::Unordered, &[], u64::MAX)).unwrap();
        writer.write(&Inputs { columns: columns.into() }).unwrap();
        writer.finish().unwrap();
        Encrypted { resources, uri }
    }

    fn file(&self, name: &str) -> Uri {
        let folder = self.uri.join("__fragments");
        let fragments = self.resources.vfs().names(&folder).unwrap();
        folder.join(&fragments[0].name).join(name)
    }

    /// Replaces both tiles of a file, each half of it, by tiles with these numbers.
    fn place(&self, name: &str, tiles: [usize; 2]) {
        let vfs = self.resources.vfs();
        let file = self.file(name);
        let bytes = vfs.read(&file).unwrap();
        let halves: Vec<&[u8]> = bytes.chunks(bytes.len() / 2).collect();
        assert_eq!(halves.len(), 2);
        vfs.put(&file, &tiles.map(|tile| halves[tile]).concat()).unwrap();
    }

    /// The kinds of findings of fields, each once.
    fn findings(&self) -> Vec<(Code, String)> {
        let mut findings = Vec::new();
        let mut add = |finding: &super::Finding| {
            let kind = (finding.code, finding.field.as_deref().unwrap_or_default().to_owned());
            if !findings.contains(&kind) {
                findings.push(kind);
            }
            Ok(())
        };
        verify(&self.resources, &self.uri, &mut add, &mut |_, _| Ok(())).unwrap();
        findings
    }
}

fn statistics_of(fields: &[&str]) -> Vec<(Code, String)> {
    fields.iter().map(|field| (Code::Statistics, (*field).to_owned())).collect()
}

#[test]
fn swapped_and_repeated_tiles_are_found_by_statistics() {
    for tiles in [[1, 0], [0, 0], [1, 1]] {
        let array = Encrypted::new();
        assert!(array.findings().is_empty());
        array.place("a0.tdb", tiles);
        assert_eq!(array.findings(), statistics_of(&["a"]), "{tiles:?}");
        let array = Encrypted::new();
        array.place("d0.tdb", tiles);
        assert!(array.findings().iter().any(|(code, _)| *code == Code::Boxes), "{tiles:?}");
    }
}

#[test]
fn exchanged_files_of_attributes_are_found_by_statistics() {
    let array = Encrypted::new();
    let vfs = array.resources.vfs();
    let files = ["a0.tdb", "a1.tdb"].map(|name| array.file(name));
    let [first, second] = files.each_ref().map(|file| vfs.read(file).unwrap());
    vfs.put(&files[0], &second).unwrap();
    vfs.put(&files[1], &first).unwrap();
    assert_eq!(array.findings(), statistics_of(&["a", "b"]));
}

/// What SECURITY.md says is not found.
#[test]
fn swapped_tiles_without_statistics_are_not_found() {
    let array = Encrypted::new();
    array.place("a2_var.tdb", [1, 0]);
    assert!(array.findings().is_empty());
}
