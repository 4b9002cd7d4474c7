//! Reads response bodies as the client does, without a server: for the fuzz target.

use std::io::Read;
use std::sync::Arc;

use super::arrays::of_schema;
use super::frames::FrameReader;
use super::{fragments, queries};
use crate::encoding::View;
use crate::messages::{ConsolidationPlanResponse, GroupDetails, LoadEnumerationsResponse, RestCapabilities};
use crate::serialization::query::{self, BufferFill};
use crate::serialization::{Deserializer, domain, enumeration, group};
use tiledb_array::array::OpenArray;
use tiledb_array::schema::ArraySchema;
use tiledb_core::error::Result;
use tiledb_core::types::QueryType;
use tiledb_query::{BufferKind, Query};
use tiledb_storage::http::BodyDecoder;
use tiledb_storage::resources::Resources;
use tiledb_storage::vfs::Uri;

/// Bytes of each buffer of a query.
const ROOM: u64 = 4096;

/// Bytes of a message.
const MOST: u64 = 1 << 20;

/// Results of a variable-length field in the user's buffers.
pub struct VarFieldResult {
    /// Offsets of cells.
    pub offsets: Vec<u64>,
    /// The bytes of their values.
    pub bytes: u64,
}

/// Reads responses about one array.
pub struct ResponseReader {
    array: Arc<OpenArray>,
}

impl ResponseReader {
    /// About an array with this schema.
    ///
    /// # Errors
    /// If it cannot be opened so.
    pub fn new(resources: &Resources, schema: ArraySchema) -> Result<ResponseReader> {
        let parts = of_schema(schema, &Uri::parse("mem://responses")?, QueryType::Read);
        Ok(ResponseReader { array: Arc::new(OpenArray::from_parts(resources, parts)?) })
    }

    /// Reads the response to a read of the fields whose bits are set in `fields`: the results of variable-length fields
    /// in the user's buffers, also if the response is invalid.
    ///
    /// # Errors
    /// If the query cannot be made.
    pub fn read(
        &self,
        reading: Deserializer,
        fields: u8,
        encoding: Option<&str>,
        body: &[u8],
    ) -> Result<Vec<VarFieldResult>> {
        let mut query = Query::new(&self.array, QueryType::Read)?;
        for (_, field) in
            self.array.schema().fields().iter().enumerate().filter(|(index, _)| fields >> (index % 8) & 1 != 0)
        {
            query.allocate_buffer(&field.name, BufferKind::Data, ROOM)?;
            if field.is_var() {
                query.allocate_buffer(&field.name, BufferKind::Offsets, ROOM)?;
            }
            if field.nullable {
                query.allocate_buffer(&field.name, BufferKind::Validity, ROOM)?;
            }
        }
        let mut frames = FrameReader::new(BodyDecoder::new(body, encoding)?, MOST);
        let mut filled = BufferFill::default();
        while let Ok(Some(frame)) = frames.next() {
            if query::read_on_client(&mut query, reading, &frame, &mut filled).is_err() {
                break;
            }
        }
        if filled.is_empty() {
            return Ok(Vec::new());
        }
        let delivered = query.all_buffers().filter_map(|field| field.offsets.zip(field.data)).map(|(offsets, data)| {
            let start = offsets.start();
            let words = start.as_slice(offsets.stated())?.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
            Ok(VarFieldResult { offsets: words.collect(), bytes: data.stated() })
        });
        delivered.collect()
    }

    /// Reads the response to another request, selected by a number.
    ///
    /// # Errors
    /// If it is none.
    pub fn other(&self, reading: Deserializer, which: u8, encoding: Option<&str>, body: &[u8]) -> Result<()> {
        let mut bytes = Vec::new();
        super::frames::take(&mut BodyDecoder::new(body, encoding)?.take(MOST), MOST, &mut bytes)?;
        let schema = self.array.schema();
        match which % 6 {
            0 => reading.read(&bytes, queries::estimates).map(drop),
            1 => reading.read(&bytes, |view: View<'_, ConsolidationPlanResponse>| fragments::plan_of(view).map(drop)),
            2 => reading.read(&bytes, |view| queries::plan_of("mem://responses", view).map(drop)),
            3 => reading.read(&bytes, |view: View<'_, LoadEnumerationsResponse>| {
                enumeration::of_list(view.items(LoadEnumerationsResponse::ENUMERATIONS)?).map(drop)
            }),
            4 => reading.read(&bytes, |view: View<'_, GroupDetails>| group::details_of(view).map(drop)),
            _ => {
                domain::read_all(reading, &bytes, schema.domain()).map(drop)?;
                reading.read(&bytes, |_: View<'_, RestCapabilities>| Ok(()))
            }
        }
    }
}
