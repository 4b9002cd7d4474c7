//! Loading of a fragment's footer from its metadata file.

use std::sync::Arc;

use super::files::METADATA_FILE;
use super::footer::{Footer, LEGACY_SCHEMA};
use super::single_tile::SingleTile;
use super::tables::TableSource;
use super::{Fragment, FragmentName};
use crate::schema::{ArraySchema, SchemaName};
use tiledb_core::error::{ErrorContext, Result, bail};
use tiledb_core::limits::fragment::{FOOTER_READ_BYTES, MAX_CACHED_FILE_BYTES};
use tiledb_core::memory;
use tiledb_core::stats::Counter;
use tiledb_core::wire::WireReader;
use tiledb_filters::crypto::EncryptionKey;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::{Content, ReadFile, Uri};

/// Size of the buffer for the end of a metadata file: the value of [`FOOTER_READ_BYTES`].
const BUFFER_SIZE: usize = 4096;

/// How the metadata of a fragment is cached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetadataCaching {
    /// Always read from storage; nothing is cached.
    None,
    /// Cached footers of unchanged files are used; the footer is cached.
    Footer,
    /// As `Footer`, and the bytes of small files are cached for the tables.
    File,
}

/// Footer, and possibly all bytes, of a metadata file that was read.
struct CachedMetadataFile {
    /// The schema that the fragment was written with.
    schema: SchemaName,
    footer: Arc<Footer>,
    size: u64,
    /// The bytes of a small file.
    tables: Option<Arc<TableSource>>,
}

impl CachedMetadataFile {
    fn size_in_memory(&self) -> usize {
        let tables = self.tables.as_ref().map_or(0, |tables| tables.size_in_memory());
        size_of::<CachedMetadataFile>() + self.footer.size_in_memory() + tables
    }
}

impl Fragment {
    /// Loads a fragment of the array at `array`: one open and, nearly always, one read. `footer` is its footer from
    /// consolidated metadata, which saves both; `schema_of` finds schemas by name.
    ///
    /// # Errors
    /// If the file cannot be read or its footer is corrupt.
    pub fn load(
        resources: &Resources,
        array: &Uri,
        name: FragmentName,
        key: &EncryptionKey,
        footer: Option<&[u8]>,
        keep: MetadataCaching,
        schema_of: &dyn Fn(&str) -> Result<Arc<ArraySchema>>,
    ) -> Result<Fragment> {
        let folder = name.folder(array);
        let file = folder.join(METADATA_FILE);
        let load = || {
            if !name.version().has_footer() {
                let schema = schema_of(LEGACY_SCHEMA)?;
                let metadata = SingleTile::load(resources, &folder, key, &schema)?;
                return Fragment::of_single_tile(resources, array, name, key, schema, metadata);
            }
            if let Some(bytes) = footer {
                let (schema, footer) = parse(bytes, schema_of)?;
                let fragment = Fragment::new(resources, array, name, key, schema, footer)?;
                return Ok(fragment.consolidated(true));
            }
            let vfs = resources.vfs();
            if let Some(known) =
                (keep != MetadataCaching::None).then(|| vfs.cached::<CachedMetadataFile>(&file)).flatten()
            {
                let schema = schema_of(known.schema.as_str())?;
                // The file of the schema may be another one by now.
                if known.footer.fits(&schema) {
                    let footer = Arc::clone(&known.footer);
                    let mut fragment = Fragment::new(resources, array, name, key, schema, footer)?;
                    fragment.record_metadata_size(known.size);
                    known.tables.iter().for_each(|tables| fragment.cache_tables(tables));
                    return Ok(fragment);
                }
            }
            let open = vfs.open_to_cache(&file, Content::Metadata)?;
            let bytes = match keep == MetadataCaching::File
                && open.len() <= MAX_CACHED_FILE_BYTES.bytes()
                && !open.is_in_memory()
            {
                true => Some(open.read_all()?),
                false => None,
            };
            let (schema, footer) = read(resources, (&open, bytes.as_deref()), &name, schema_of)?;
            let size = open.len();
            let stamp = open.validator();
            let known = CachedMetadataFile {
                schema: schema.schema_name().clone(),
                footer: Arc::new(footer),
                size,
                tables: bytes.map(|bytes| Arc::new(TableSource::of_bytes(bytes, stamp))),
            };
            let mut fragment = Fragment::new(resources, array, name, key, schema, Arc::clone(&known.footer))?;
            known.tables.iter().for_each(|tables| fragment.cache_tables(tables));
            if keep != MetadataCaching::None {
                let bytes = known.size_in_memory();
                vfs.cache(&file, stamp, &Arc::new(known), bytes);
            }
            fragment.record_metadata_file(open);
            Ok(fragment)
        };
        load().context(|| format!("Cannot load fragment '{file}'"))
    }
}

fn parse(bytes: &[u8], schema_of: &dyn Fn(&str) -> Result<Arc<ArraySchema>>) -> Result<(Arc<ArraySchema>, Footer)> {
    let schema = schema_of(Footer::schema_name(bytes)?)?;
    let footer = Footer::read(bytes, &schema)?;
    Ok((schema, footer))
}

/// Reads the footer at the end of the metadata file.
fn read(
    resources: &Resources,
    (file, whole): (&ReadFile, Option<&[u8]>),
    name: &FragmentName,
    schema_of: &dyn Fn(&str) -> Result<Arc<ArraySchema>>,
) -> Result<(Arc<ArraySchema>, Footer)> {
    let fixed = match name.version().has_footer_length() {
        true => None,
        false => Footer::fixed_length(name.version(), &*schema_of(LEGACY_SCHEMA)?),
    };
    let mut buffer = [0; BUFFER_SIZE];
    let tail = match whole {
        Some(bytes) => bytes,
        None => {
            let read_bytes =
                usize::try_from(file.len()).unwrap_or(usize::MAX).min(FOOTER_READ_BYTES.count()).min(BUFFER_SIZE);
            file.read_at(file.len() - read_bytes as u64, &mut buffer[..read_bytes])?;
            &buffer[..read_bytes]
        }
    };
    let read_bytes = tail.len();
    let (length, after) = match fixed {
        Some(length) => (length as u64, 0),
        None => (WireReader::new("fragment footer length", &tail[read_bytes.saturating_sub(8)..]).u64()?, 8),
    };
    let Some(start) = file.len().checked_sub(after).and_then(|end| end.checked_sub(length)) else {
        bail!(Corrupt, "a footer of {length} bytes in a file of {}", file.len());
    };
    // The footer, and its length by itself.
    resources.stats().add(Counter::FragmentFooterRead, length + after);
    match read_bytes.checked_sub(after as usize).and_then(|end| Some(end.checked_sub(length as usize)?..end)) {
        Some(range) => parse(&tail[range], schema_of),
        None => {
            let mut bytes = memory::zeroed("fragment footer", length as usize)?;
            file.read_at(start, &mut bytes)?;
            parse(&bytes, schema_of)
        }
    }
}
