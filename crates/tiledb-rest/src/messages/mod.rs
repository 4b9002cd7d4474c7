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

pub(crate) use array::{Array, ArrayCreateRequest, ArrayDirectory, ArrayOpen, ConditionLocation, TimestampedUri};
pub(crate) use condition::{ASTNode, Condition, ConditionClause};
pub(crate) use filters::{Filter, FilterPipeline, FloatScaleConfig, WebpConfig};
pub(crate) use fragment::{
    FragmentInfo, FragmentInfoRequest, FragmentMetadata, GenericTileOffsets, SingleFragmentInfo,
};
pub(crate) use generic::{Map, MapEntry, ObjectType};
pub(crate) use group::{
    Group, GroupCreate, GroupCreateDetails, GroupDetails, GroupMember, GroupMetadata, GroupUpdate, GroupUpdateDetails,
};
pub(crate) use metadata::{ArrayMetadata, MetadataEntry};
pub(crate) use query::{
    Aggregate, AttributeBufferHeader, Delete, EstimatedResultSize, MemorySize, Query, QueryChannel, QueryPlanRequest,
    QueryPlanResponse, ResultSize,
};
pub(crate) use ranges::{CurrentDomain, LabelSubarrayRanges, NDRectangle, Subarray, SubarrayRanges};
pub(crate) use reader::{
    AttributeBufferSize, FragmentIndex, PartitionInfo, PartitionerState, QueryReader, ReadState, ReadStateIndex,
    ReaderIndex, ResultCellSlab, SubarrayPartitioner,
};
pub(crate) use requests::{
    ArrayConsolidationRequest, ArrayDeleteFragmentsListRequest, ArrayDeleteFragmentsTimestampsRequest,
    ArrayVacuumRequest, ConsolidationPlanRequest, ConsolidationPlanResponse, LoadArraySchemaRequest,
    LoadArraySchemaResponse, LoadEnumerationsRequest, LoadEnumerationsResponse, ObjectInfoResponse, RestCapabilities,
    TileDBVersion,
};
pub(crate) use schema::{
    ArraySchema, ArraySchemaEvolution, Attribute, Dimension, DimensionLabel, Domain, Enumeration, MapEnumeration,
    MapEnumerationEntry,
};
pub(crate) use values::{
    Config, DomainArray, KV, MapFloat64, MapFloat64Entry, MapInt64, MapInt64Entry, MapUInt32, MapUInt32Entry,
    MapUInt64, MapUInt64Entry, NonEmptyDomain, NonEmptyDomainList, ServerError, Stats,
};
pub(crate) use writer::{
    BufferedChunk, CompletedPart, GlobalWriteState, MultiPartUploadState, SingleCoord, UnorderedWriterState, Writer,
    WrittenFragmentInfo,
};

#[cfg(test)]
pub(crate) mod tests;
