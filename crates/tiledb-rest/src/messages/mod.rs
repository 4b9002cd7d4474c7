//! Schema definitions of the messages that clients and servers exchange.
//!
//! The binary form contains no names: a field is defined by its position and type, and by its name in JSON.
#![allow(unused_imports, reason = "the description of what is exchanged is whole")]

mod array;
mod condition;
mod filters;
mod fragment;
mod generic;
mod group;
mod metadata;
mod query;
mod ranges;
mod reader;
mod requests;
mod schema;
mod values;
mod writer;

pub use array::{Array, ArrayCreateRequest, ArrayDirectory, ArrayOpen, ConditionLocation, TimestampedUri};
pub use condition::{ASTNode, Condition, ConditionClause};
pub use filters::{Filter, FilterPipeline, FloatScaleConfig, WebpConfig};
pub use fragment::{FragmentInfo, FragmentInfoRequest, FragmentMetadata, GenericTileOffsets, SingleFragmentInfo};
pub use generic::{Map, MapEntry, ObjectType};
pub use group::{
    Group, GroupCreate, GroupCreateDetails, GroupDetails, GroupMember, GroupMetadata, GroupUpdate, GroupUpdateDetails,
};
pub use metadata::{ArrayMetadata, MetadataEntry};
pub use query::{
    Aggregate, AttributeBufferHeader, Delete, EstimatedResultSize, MemorySize, Query, QueryChannel, QueryPlanRequest,
    QueryPlanResponse, ResultSize,
};
pub use ranges::{CurrentDomain, LabelSubarrayRanges, NDRectangle, Subarray, SubarrayRanges};
pub use reader::{
    AttributeBufferSize, FragmentIndex, PartitionInfo, PartitionerState, QueryReader, ReadState, ReadStateIndex,
    ReaderIndex, ResultCellSlab, SubarrayPartitioner,
};
pub use requests::{
    ArrayConsolidationRequest, ArrayDeleteFragmentsListRequest, ArrayDeleteFragmentsTimestampsRequest,
    ArrayVacuumRequest, ConsolidationPlanRequest, ConsolidationPlanResponse, LoadArraySchemaRequest,
    LoadArraySchemaResponse, LoadEnumerationsRequest, LoadEnumerationsResponse, ObjectInfoResponse, RestCapabilities,
    TileDBVersion,
};
pub use schema::{
    ArraySchema, ArraySchemaEvolution, Attribute, Dimension, DimensionLabel, Domain, Enumeration, MapEnumeration,
    MapEnumerationEntry,
};
pub use values::{
    Config, DomainArray, KV, MapFloat64, MapFloat64Entry, MapInt64, MapInt64Entry, MapUInt32, MapUInt32Entry,
    MapUInt64, MapUInt64Entry, NonEmptyDomain, NonEmptyDomainList, ServerError, Stats,
};
pub use writer::{
    BufferedChunk, CompletedPart, GlobalWriteState, MultiPartUploadState, SingleCoord, UnorderedWriterState, Writer,
    WrittenFragmentInfo,
};

#[cfg(test)]
pub(crate) mod tests;
