//! Filestores in memory: a round trip, as a whole and in parts.

use super::*;
use tiledb_array::array::create;
use tiledb_core::config::Config;
use tiledb_filters::crypto::EncryptionKey;

fn filestore(config: &[(&str, &str)], file: Option<&[u8]>) -> (Resources, Uri, Uri) {
    let mut parameters = Config::new();
    config.iter().for_each(|(name, value)| parameters.set(name, value).unwrap());
    let resources = Resources::new(parameters).unwrap();
    let [array, path] = ["mem://filestore/array", "mem://filestore/a.b.bin"].map(|uri| Uri::parse(uri).unwrap());
    if let Some(bytes) = file {
        resources.vfs().put(&path, bytes).unwrap();
    }
    let schema = schema(&resources, file.map(|_| &path)).unwrap();
    create(&resources, &array, &schema, &EncryptionKey::None).unwrap();
    (resources, array, path)
}

fn bytes(len: usize) -> Vec<u8> {
    (0..len).map(|i| (i * i / 7 + i) as u8).collect()
}

fn part(resources: &Resources, array: &Uri, offset: u64, count: u64) -> Result<Vec<u8>> {
    let mut buffer = vec![9; count as usize];
    export_bytes(resources, array, offset, count, || Ok(&mut buffer))?;
    Ok(buffer)
}

#[test]
fn files_come_back_whole_and_in_parts() {
    // The last one goes in pieces of two tiles.
    for (len, config) in [(1, ""), (10, ""), (1024, ""), (1025, ""), ((1 << 20) + 5, ""), ((1 << 20) + 5, "600000")] {
        let config: &[_] = if config.is_empty() { &[] } else { &[("filestore.buffer_size", config)] };
        let content = bytes(len);
        let (resources, array, path) = filestore(config, Some(&content));
        import_file(&resources, &array, &path, MimeType::Bytes).unwrap();
        assert_eq!(size(&resources, &array).unwrap(), len as u64);
        let copy = Uri::parse("mem://filestore/copy").unwrap();
        export_file(&resources, &copy, &array).unwrap();
        assert!(resources.vfs().read(&copy).unwrap() == content);
        for (offset, count) in [(0, len), (len - 1, 1), (len / 3, len / 2), (len, 0)] {
            let exported = part(&resources, &array, offset as u64, count as u64).unwrap();
            assert!(exported == content[offset..offset + count]);
        }
        assert!(part(&resources, &array, len as u64, 1).is_err());
        assert!(part(&resources, &array, u64::MAX, 1).is_err());
    }
}

#[test]
fn the_latest_content_counts_and_is_described() {
    let (resources, array, path) = filestore(&[], Some(&bytes(5000)));
    import_file(&resources, &array, &path, MimeType::Pdf).unwrap();
    let metadata = |key: &str| {
        let (_handle, open) = open(&resources, &array, 0).unwrap();
        let value = open.metadata().unwrap().get(key).unwrap();
        (value.datatype(), String::from_utf8_lossy(value.bytes()).into_owned())
    };
    let text = |text: &str| (Datatype::StringUtf8, text.to_owned());
    let keys = ["original_file_name", "file_extension", "mime_type", "mime_encoding"];
    assert_eq!(keys.map(metadata), ["a.b", "bin", "application/pdf", "binary"].map(text));
    import_bytes(&resources, &array, b"short", MimeType::Tiff).unwrap();
    import_bytes(&resources, &array, b"", MimeType::Bytes).unwrap();
    assert_eq!(part(&resources, &array, 0, 5).unwrap(), b"short");
    assert_eq!(size(&resources, &array).unwrap(), 5);
    assert_eq!(keys.map(metadata), ["", "", "image/tiff", "binary"].map(text));
}

#[test]
fn other_arrays_and_empty_filestores_are_refused() {
    let (resources, array, path) = filestore(&[], None);
    assert!(size(&resources, &array).is_err());
    assert!(export_file(&resources, &path, &array).is_err());
    assert!(!resources.vfs().is_file(&path).unwrap());
    assert!(import_file(&resources, &array, &path, MimeType::Bytes).is_err());
    let other = Uri::parse("mem://filestore/other").unwrap();
    let mut schema = schema(&resources, None).unwrap();
    schema.add_attribute(Arc::new(Attribute::new("more", Datatype::Int32))).unwrap();
    create(&resources, &other, &schema, &EncryptionKey::None).unwrap();
    assert!(import_bytes(&resources, &other, &[1], MimeType::Bytes).is_err());
}
