//! Stands in for the filter pipeline until it lands.
#![allow(missing_docs)]
use crate::error::Result;
use crate::types::{Datatype, FormatVersion};
use crate::wire::{Reader, Writer};

#[derive(Clone, Debug, PartialEq, Default)]
pub struct Pipeline {
    max_chunk_size: Option<u32>,
    filters: Vec<(u8, Vec<u8>)>,
}
pub struct Shape {
    pub datatype: Datatype,
    pub cell_size: usize,
    pub version: FormatVersion,
}
impl Pipeline {
    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }
    pub fn read(r: &mut Reader, _: FormatVersion) -> Result<Pipeline> {
        let max_chunk_size = Some(r.u32()?);
        let count = r.count32(5)?;
        let mut filters = Vec::new();
        for _ in 0..count {
            let id = r.u8()?;
            let len = r.count32(1)?;
            filters.push((id, r.bytes(len)?.to_vec()));
        }
        Ok(Pipeline { max_chunk_size, filters })
    }
    pub fn write(&self, w: &mut Writer, _: FormatVersion) {
        w.u32(self.max_chunk_size.unwrap_or(65536)).u32(self.filters.len() as u32);
        for (id, options) in &self.filters {
            w.u8(*id).u32(options.len() as u32).bytes(options);
        }
    }
}
