//! Serialization of schemas: writes the versions of new arrays, or retains a newer one; reads all versions.

use super::attribute::MAX_CELL_SIZE;
use super::{ArraySchema, Attribute, CurrentDomain, Dimension, DimensionLabel, Domain, EnumerationRef, SchemaName};
use std::sync::{Arc, OnceLock};
use tiledb_core::budget::StructureMemory;
use tiledb_core::error::{Result, bail};
use tiledb_core::memory;
use tiledb_core::types::{
    ArrayType, CURRENT_VERSION, Datatype, FormatVersion, HasName, Layout, NEWEST_READABLE_VERSION, Name, NamedList,
};
use tiledb_core::wire::{WireReader, WireWriter};
use tiledb_filters::filter::Pipeline;

impl ArraySchema {
    /// Reads a schema from the payload of its generic tile. The caller knows the file's name and
    /// sets it.
    ///
    /// # Errors
    /// If the bytes do not follow the format, or are of a newer version.
    pub fn read(payload: &[u8]) -> Result<ArraySchema> {
        ArraySchema::decode(payload, StructureMemory::unlimited())
    }

    /// As [`ArraySchema::read`], within the memory of the structure.
    ///
    /// # Errors
    /// As [`ArraySchema::read`], and if the memory does not suffice.
    pub fn decode(payload: &[u8], memory: StructureMemory) -> Result<ArraySchema> {
        ArraySchema::parse(&mut WireReader::new("array schema", payload), memory)
    }

    /// As [`ArraySchema::decode`], from a reader.
    ///
    /// # Errors
    /// As [`ArraySchema::decode`].
    pub fn parse(r: &mut WireReader<'_>, mut memory: StructureMemory) -> Result<ArraySchema> {
        let memory = &mut memory;
        let version = r.u32()?;
        if version > NEWEST_READABLE_VERSION.number() {
            bail!(
                Newer,
                "ArraySchema: Failed to deserialize; Array format version ({version}) is newer than the library format version ({})",
                NEWEST_READABLE_VERSION.number()
            );
        }
        let version = FormatVersion::from_number(version)?;
        let allows_dups = version.has_dimension_files() && r.u8()? != 0;
        let array_type = ArrayType::from_number(u32::from(r.u8()?))?;
        let tile_order = Layout::from_number(u32::from(r.u8()?))?;
        let cell_order = Layout::from_number(u32::from(r.u8()?))?;
        let capacity = r.u64()?;
        let coords_filters = Pipeline::read(r, version)?;
        let offsets_filters = Pipeline::read(r, version)?;
        let validity_filters = if version.has_nullable() { Pipeline::read(r, version)? } else { Pipeline::default() };
        let domain = Arc::new(read_domain(r, version, &coords_filters, memory)?);
        let attributes = read_attributes(r, version, memory)?;
        let mut schema = ArraySchema {
            name: SchemaName::none(),
            version,
            array_type,
            unknown_type: None,
            unknown_order: None,
            allows_dups,
            tile_order,
            cell_order,
            capacity,
            coords_filters,
            offsets_filters,
            validity_filters,
            domain,
            attributes,
            labels: NamedList::default(),
            enumerations: NamedList::default(),
            current_domain: CurrentDomain::default(),
            uri: Name::new(""),
            fields: OnceLock::new(),
            digest: None,
        };
        if version.has_dimension_labels() {
            schema.labels =
                read_list(r, memory, DimensionLabel::MIN_SIZE, |r| Ok(Arc::new(DimensionLabel::read(r)?)))?.into();
        }
        if version.has_enumerations() {
            schema.enumerations = read_list(r, memory, 8, |r| {
                let name = Name::new(r.str32()?);
                Ok(EnumerationRef::new(name, Name::new(r.str32()?)))
            })?
            .into();
        }
        if version.has_current_domain() {
            schema.current_domain = CurrentDomain::read(r, &schema.domain)?;
        }
        schema.check_stored()?;
        Ok(schema)
    }

    /// Memory of decoding a schema whose payload has this size.
    pub(super) fn decoded_memory(&self, payload_size: usize) -> usize {
        let dimensions = self.domain.dimensions().len();
        let parts = dimensions + self.attributes.len() + self.labels.len() + self.enumerations.len();
        payload_size.saturating_mul(2).saturating_add(parts * PART_MEMORY)
    }

    /// Checks the invariants of every stored schema that the engine relies on.
    pub(super) fn check_stored(&self) -> Result<()> {
        if self.domain.is_empty() {
            bail!(Corrupt, "The stored array schema has no dimensions");
        }
        if self.is_dense() {
            super::part_check::dense_domain(&self.domain)?;
        } else if self.capacity == 0 {
            bail!(Corrupt, "The stored schema of a sparse array has capacity 0");
        }
        for label in &self.labels {
            if label.dimension_index as usize >= self.domain.len() {
                bail!(
                    Corrupt,
                    "Dimension label '{}' is on dimension {} of {}",
                    label.name,
                    label.dimension_index,
                    self.domain.len()
                );
            }
        }
        Ok(())
    }

    /// The bytes of the schema as the payload of a generic tile: in its own version, or in the current one if that is not
    /// written any more. Newer ones lay out schemas as the current one does.
    ///
    /// # Errors
    /// If the version cannot express a feature of the schema, or memory does not suffice.
    pub fn write(&self) -> Result<Vec<u8>> {
        let version = self.version.of_evolved_schemas(CURRENT_VERSION);
        self.check_version(version)?;
        let mut w = WireWriter::new();
        w.u32(version.number()).u8(u8::from(self.allows_dups)).u8(self.array_type.number());
        w.u8(self.tile_order.number()).u8(self.cell_order.number()).u64(self.capacity);
        self.coords_filters.write(&mut w, version);
        self.offsets_filters.write(&mut w, version);
        self.validity_filters.write(&mut w, version);
        w.u32(self.domain.len() as u32);
        self.domain.dimensions().iter().for_each(|dimension| dimension.write(&mut w, version));
        w.u32(self.attributes.len() as u32);
        self.attributes.iter().for_each(|attribute| attribute.write(&mut w, version));
        w.u32(self.labels.len() as u32);
        self.labels.iter().for_each(|label| label.write(&mut w));
        if version.has_enumerations() {
            w.u32(self.enumerations.len() as u32);
            for enumeration in &self.enumerations {
                w.str32(&enumeration.name).str32(&enumeration.path);
            }
        }
        if version.has_current_domain() {
            self.current_domain.write(&mut w);
        }
        w.finish()
    }
}

fn read_domain(
    r: &mut WireReader,
    version: FormatVersion,
    coords_filters: &Pipeline,
    memory: &mut StructureMemory,
) -> Result<Domain> {
    let domain_type = match version.has_dimension_files() {
        true => None,
        false => Some(Datatype::from_number(u32::from(r.u8()?))?),
    };
    // A name's length and the flag of the extent are in every version.
    let dimensions =
        read_list(r, memory, 5, |r| Ok(Arc::new(Dimension::read(r, version, domain_type, coords_filters)?)))?;
    Ok(Domain::of(dimensions))
}

fn read_attributes(
    r: &mut WireReader,
    version: FormatVersion,
    memory: &mut StructureMemory,
) -> Result<Vec<Arc<Attribute>>> {
    let mut cells = 0usize;
    read_list(r, memory, Attribute::MIN_SIZE, |r| {
        let attribute = Attribute::read(r, version)?;
        cells = cells.saturating_add(attribute.fill().0.len());
        // Before fill values were stored, a few bytes can claim cells of any size.
        if !version.has_fill_values() && cells > MAX_CELL_SIZE {
            bail!(Corrupt, "The attributes up to '{}' have cells of more than {MAX_CELL_SIZE} bytes", attribute.name());
        }
        Ok(Arc::new(attribute))
    })
}

/// Memory of a part of a schema besides its texts and values, at most.
const PART_MEMORY: usize = 512;

/// A 32-bit count and that many items of at least `min_size` bytes each.
fn read_list<T: HasName>(
    r: &mut WireReader,
    memory: &mut StructureMemory,
    min_size: usize,
    mut item: impl FnMut(&mut WireReader) -> Result<T>,
) -> Result<Vec<T>> {
    let count = r.count32(min_size)?;
    let mut items: Vec<T> = Vec::new();
    for _ in 0..count {
        let start = r.position();
        let item = item(r)?;
        if items.last().is_some_and(|before| before.name() == item.name()) {
            memory.count_repeat()?;
        }
        memory.charge(PART_MEMORY + r.position() - start)?;
        memory::push("parts of a schema", &mut items, item)?;
    }
    Ok(items)
}
