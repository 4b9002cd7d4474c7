//! What is counted and timed, under the names that libtiledb gives it.

/// An enumeration whose members have texts.
macro_rules! names {
    ($(#[$doc:meta])* $Kind:ident: $($Name:ident = $text:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(usize)]
        pub enum $Kind {
            $(#[doc = $text] $Name,)*
        }

        impl $Kind {
            /// The names, in the order of the members.
            pub const NAMES: &'static [&'static str] = &[$($text),*];
        }
    };
}

names! {
    /// A counter. Those of `Query` belong to a query and to its context, all others to the context alone.
    Counter:
    SchemaRead = "read_array_schema_size",
    SchemaWritten = "write_array_schema_size",
    EnumerationRead = "read_enumeration_size",
    MetadataRead = "read_array_meta_size",
    MetadataWritten = "write_meta_size",
    GroupRead = "read_group_size",
    GroupWritten = "write_group_size",
    GenericFiltered = "write_filtered_byte_num",
    GenericUnfiltered = "read_unfiltered_byte_num",
    ConsolidatedFooters = "consolidated_frag_meta_size",
    FragmentFooterRead = "read_frag_meta_size",
    RtreeRead = "read_rtree_size",
    TileOffsetsRead = "read_tile_offsets_size",
    TileVarOffsetsRead = "read_tile_var_offsets_size",
    TileVarSizesRead = "read_tile_var_sizes_size",
    TileValidityOffsetsRead = "read_tile_validity_offsets_size",
    TileMinRead = "read_tile_min_size",
    TileMaxRead = "read_tile_max_size",
    TileSumRead = "read_tile_sum_size",
    TileNullCountRead = "read_tile_null_count_size",
    FragmentStatsRead = "read_fragment_min_max_sum_null_count_size",
    ConditionsRead = "read_processed_conditions_size",
    RtreeWritten = "write_rtree_size",
    TileOffsetsWritten = "write_tile_offsets_size",
    TileVarOffsetsWritten = "write_tile_var_offsets_size",
    TileVarSizesWritten = "write_tile_var_sizes_size",
    TileValidityOffsetsWritten = "write_tile_validity_offsets_size",
    MinsWritten = "write_mins_size",
    MaxsWritten = "write_maxs_size",
    SumsWritten = "write_sums_size",
    NullCountsWritten = "write_null_counts_size",
    ConditionsWritten = "write_processed_conditions_size",
    FragmentFooterWritten = "write_frag_meta_footer_size",
    VfsFileSizes = "VFS.file_size_num",
    VfsIsObject = "VFS.is_object_num",
    VfsLists = "VFS.ls_num",
    VfsReadBytes = "VFS.read_byte_num",
    VfsReads = "VFS.read_ops_num",
    VfsWrittenBytes = "VFS.write_byte_num",
    VfsWrites = "VFS.write_ops_num",
    ConsolidationSteps = "Consolidator.consolidate_step_num",
    ReaderLoops = "Query.Reader.loop_num",
    ReaderInnerLoops = "Query.Reader.internal_loop_num",
    ReaderAttributes = "Query.Reader.attr_num",
    ReaderAttributesVar = "Query.Reader.attr_var_num",
    ReaderAttributesFixed = "Query.Reader.attr_fixed_num",
    ReaderAttributesNullable = "Query.Reader.attr_nullable_num",
    ReaderDimensions = "Query.Reader.dim_num",
    ReaderDimensionsVar = "Query.Reader.dim_var_num",
    ReaderDimensionsFixed = "Query.Reader.dim_fixed_num",
    ReaderDimensionsZipped = "Query.Reader.dim_zipped_num",
    ReaderSpaceTiles = "Query.Reader.num_tiles",
    ReaderTilesRead = "Query.Reader.num_tiles_read",
    ReaderTilesAllocated = "Query.Reader.tiles_allocated",
    ReaderTilesUnfiltered = "Query.Reader.tiles_unfiltered",
    ReaderUnfiltered = "Query.Reader.read_unfiltered_byte_num",
    ReaderCells = "Query.Reader.cell_num",
    ReaderResults = "Query.Reader.result_num",
    ReaderIgnoredTiles = "Query.Reader.ignored_tiles",
    PartitionRanges = "Query.Reader.SubarrayPartitioner.compute_current_start_end.ranges",
    PartitionFound = "Query.Reader.SubarrayPartitioner.compute_current_start_end.found",
    PartitionNotFound = "Query.Reader.SubarrayPartitioner.compute_current_start_end.not_found",
    PartitionTaken = "Query.Reader.SubarrayPartitioner.compute_current_start_end.adjusted_ranges",
    PartitionFixed = "Query.Reader.SubarrayPartitioner.compute_current_start_end.fixed_result_size_overflow",
    PartitionVar = "Query.Reader.SubarrayPartitioner.compute_current_start_end.var_result_size_overflow",
    PartitionValidity = "Query.Reader.SubarrayPartitioner.compute_current_start_end.validity_result_size_overflow",
    WriterAttributes = "Query.Writer.attr_num",
    WriterAttributesVar = "Query.Writer.attr_var_num",
    WriterAttributesFixed = "Query.Writer.attr_fixed_num",
    WriterAttributesNullable = "Query.Writer.attr_nullable_num",
    WriterDimensions = "Query.Writer.dim_num",
    WriterDimensionsVar = "Query.Writer.dim_var_num",
    WriterDimensionsFixed = "Query.Writer.dim_fixed_num",
    WriterCells = "Query.Writer.cell_num",
    WriterTiles = "Query.Writer.tile_num",
    WriterFiltered = "Query.Writer.write_filtered_byte_num",
}

names! {
    /// A timer: how long a phase took, all calls together, and on average.
    Timer:
    OpenRead = "array_open_READ",
    OpenWrite = "array_open_WRITE",
    OpenDelete = "array_open_DELETE",
    OpenUpdate = "array_open_UPDATE",
    OpenModify = "array_open_MODIFY_EXCLUSIVE",
    ReadDirectory = "array_open_read_load_directory",
    ReadSchemas = "array_open_read_load_schemas_and_fragment_meta",
    WriteDirectory = "array_open_write_load_directory",
    WriteSchemas = "array_open_write_load_schemas",
    Reopen = "array_reopen",
    ReopenDirectory = "array_reopen_directory",
    LoadFragments = "sm_load_fragment_metadata",
    LoadMetadata = "sm_load_array_metadata",
    LoadEnumeration = "sm_load_enumeration",
    WriteMetadata = "write_meta",
    StoreFragment = "write_store_frag_meta",
    GroupOpenRead = "group_open_for_reads",
    GroupOpenWrite = "group_open_for_writes",
    ConsolidateFragments = "Consolidator.consolidate_frags",
    ConsolidateStep = "Consolidator.consolidate_internal",
    ConsolidateArrayMetadata = "Consolidator.consolidate_array_meta",
    ConsolidateGroupMetadata = "Consolidator.consolidate_group_meta",
    ConsolidateFooters = "Consolidator.consolidate_frag_meta",
    ConsolidateCommits = "Consolidator.consolidate_commits",
    Read = "Query.Reader.dowork",
    PartitionNext = "Query.Reader.SubarrayPartitioner.read_next_partition",
    PartitionSplit = "Query.Reader.SubarrayPartitioner.read_split_current_partition",
    ReadCoordinates = "Query.Reader.read_and_unfilter_coords",
    ReadMerge = "Query.Reader.merge_result_cell_slabs",
    ReadCopy = "Query.Reader.process_slabs",
    ReadDense = "Query.Reader.copy_attribute",
    Write = "Query.Writer.dowork",
    Finalize = "Query.Writer.finalize",
    Delete = "Query.Deletes.dowork",
    Estimate = "Query.Subarray.read_compute_est_result_size",
}
