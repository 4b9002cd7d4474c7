/**
 * Limits of what is read, whatever an array says: an array is data of others, which may be damaged or made to exhaust a browser.
 */

/** Decoded bytes of the tiles of a picture; a coarser picture is shown above it. */
export const MAX_VIEW_BYTES = 128 << 20;
/** Up to which the user may raise it. */
export const MAX_RAISED_VIEW_BYTES = 1 << 30;
/** Tiles of a picture, most of which cost a request each where they are not adjacent. */
export const MAX_VIEW_TILES = 4_096;
/** Bytes of the blocks that are cached. */
export const MAX_CACHED_BYTES = 96 << 20;
/** Reads of blocks at a time. */
export const MAX_BLOCK_READS = 4;
/** Cells of a line chart. */
export const MAX_SERIES_CELLS = 2_048;
/** Cells and bytes of a density map and of a scatter plot. */
export const MAX_POINTS = 1_000_000;
export const MAX_POINT_BYTES = 64 << 20;
/** Rows of a page of a table, and rows through which pages go back. */
export const PAGE_ROWS = 50;
export const MAX_TABLE_ROWS = 20_000;
/** Bytes of a batch of a table. */
export const MAX_BATCH_BYTES = 64 << 20;
/** Members, fields and values that are listed. */
export const MAX_LISTED = 500;
/** Different texts of a field that are a category each. */
export const MAX_CATEGORIES = 1_000;
