//! Accepted differences between the two libraries in the random tests: for each its name, the letter of its reason, what the
//! reference does wrong, what proves that our library is right, and seeds that reproduce it.
//!
//! A difference is only accepted where the reference (a) crashes, hangs, corrupts memory or stores what it cannot read, (b)
//! contradicts itself, (c) opens a security hole, or (d) fails where the right result exists and no client relies on the error.

/// An accepted difference.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: &'static str,
    /// The letter of its reason, as in `docs/differences.md`.
    pub letter: char,
    /// What the reference does wrong, and what our library returns.
    pub why: &'static str,
    /// How the result of our library is verified where the difference occurs.
    pub judge: &'static str,
    /// Seeds that reproduce it, after a short name of the test: `interop` for `differential_roundtrip`, `queries` for
    /// `differential_queries`, `conditions` for `differential_conditions`, `aggregates` for `differential_aggregates`,
    /// `messages` for `differential_serialization`, `crossing` for `differential_serialized_queries`, `arrow` for
    /// `arrow_roundtrip`.
    pub seeds: &'static str,
}

macro_rules! entries {
    ($($name:ident: $letter:literal, $seeds:literal, $judge:expr, $why:literal;)*) => {
        $(#[doc = $why] pub static $name: Entry =
            Entry { name: stringify!($name), letter: $letter, why: $why, judge: $judge, seeds: $seeds };)*

        /// All accepted differences.
        pub static ALL: &[&Entry] = &[$(&$name),*];

        const _: () = assert!([$($seeds),*].len() <= MOST, "too many differences are accepted");
        const _: () = assert!($(matches!($letter, 'a'..='d'))&&*, "a difference is accepted without one of the reasons");
    };
}

/// Maximum number of accepted differences.
const MOST: usize = 30;

/// `differential_conditions/reference_model.rs`: the cells that a query selects, computed from the written cells, in order if
/// the query requests one.
const CELLS: &str = "ours are the cells that were written";
/// `differential_aggregates/model.rs`: aggregates of those cells.
const TOTALS: &str = "ours are the aggregates of the cells that were written";
/// `differential_roundtrip/unfiltered.rs`: the cells in the ranges, taken from the reference's read of the whole
/// array, written without filters (the *twin*).
const TWIN: &str = "ours are the cells in the ranges of all that the reference reads of the array without filters";

entries! {
    // Queries.
    DENSE_CONDITIONS: 'b', "queries 79 133 467 728, aggregates 0..80", CELLS,
        "In dense arrays, where the order of the query is not that of the array, the reference tests conditions and makes \
         aggregates with coordinates and null flags of other cells.";
    ABSENT_STATISTICS: 'd', "queries 1904, aggregates 0..80", TOTALS,
        "The reference refuses aggregates where tiles have no statistics.";
    AGGREGATES_AGAIN: 'b', "queries 140..600", TOTALS,
        "In dense arrays the reference counts cells again with every submit.";
    AGGREGATES_BETWEEN: 'b', "aggregates 0..80", TOTALS,
        "What the reference adds up of dense fragments that were consolidated depends on what lies between them.";
    AGGREGATES_OF_RANGES: 'b', "queries 0..60", TOTALS,
        "The reference adds up ranges of dense arrays that overlap wrongly: it depends on what lies beside them.";
    AGGREGATES_OF_DENSE: 'b', "aggregates 1137 1384, queries 0..400", TOTALS,
        "In dense arrays the reference takes cells that nobody wrote into means, aggregates of reals and texts, sums of \
         values of 8 bytes and counts of nulls, no other aggregates.";
    AGGREGATES_OF_SPARSE: 'b', "aggregates 1137 1384", TOTALS,
        "The reference forgets what stood before a NaN, stops sums that overflow, cuts texts and counts cells of ranges \
         that overlap more than once.";
    VALUE_SIZE: 'b', "conditions 101 225 908, aggregates 5", "the condition, or a deletion, has such a set",
        "Sets with members of a wrong size the reference refuses at the first cell that it compares with them, if \
         there is one; ours always.";
    MISSING_MEMBERS: 'b', "conditions 0..300", CELLS,
        "That null cells differ from a value which their enumeration lacks the reference finds in some layouts only; \
         in ours they never do.";
    ABSENT_ATTRIBUTES: 'b', "queries 194 211 523", CELLS,
        "By a comparison with an attribute that a fragment lacks the reference finds no cells, discards what it found before in a \
         disjunction, and refuses dense arrays; once a consolidation has stored the fill value it compares that. In dense arrays it \
         reads older values of it, unless the fragment covers the tile, and dies of aggregates, or leaves these cells out until a \
         consolidation. Ours reads, compares and aggregates the fill value, before and after.";
    CHARACTERS: 'b', "conditions 40..139", CELLS,
        "Of fixed cells of several characters the reference compares the first one by order and equality, all by membership in a set. \
         Ours compares all of a value that has the size of a cell.";
    UNSIGNED_CHARACTERS: 'b', "conditions 69 101, aggregates 10 87 97, on aarch64", CELLS,
        "On aarch64 the reference takes `TILEDB_CHAR` for numbers without a sign: conditions and deletions that compare such \
         characters of 0x80 and more by order select other cells than on x86-64. Ours selects the same everywhere.";
    DROPPED_ATTRIBUTES: 'b', "queries 83", CELLS,
        "As of a time before an attribute was dropped the reference reads its values, but not after a consolidation. Ours reads the \
         past from what was consolidated as long as it is there.";
    UNREADABLE_DELETES: 'a', "conditions 40..139", CELLS,
        "The reference cannot read deletions that were committed: of null cells, by sets of which an enumeration has \
         no member, by attributes that were dropped since, and of some fragments that it consolidated under deletions.";
    LITTLE_MEMORY: 'd', "queries 0..100", CELLS,
        "The reference refuses to read in memory that ours makes do with.";
    LITTLE_ROOM: 'a', "queries 100, interop 0..1200", "ours are the cells that were written, in as many submits as it takes",
        "The reference makes no progress, asks for memory until there is none, or loses cells where it cuts ranges, mostly \
         in small buffers that cells fit into.";
    STRING_RANGES: 'b', "interop 0..1200, queries 140..600", "ours are the cells that were written, in the order asked for",
        "Of strings as coordinates the reference gives other cells, or another order, than when it reads everything, and \
         loses cells in ranges that overlap.";
    UNORDERED_DENSE: 'b', "queries 5 6 9 10 15", CELLS,
        "Read in no order, the reference refuses the coordinates of dense arrays without a reason, and leaves cells of \
         all tiles but the first unwritten.";
    UNSORTED_RANGES: 'a', "interop 330", TWIN,
        "In dense arrays the reference spoils memory when it reads cells of variable length in ranges that do not ascend: \
         their values are other ones from run to run, and sometimes it dies.";
    NULLS_IN_MESSAGES: 'b', "crossing 121 137 139 143 193 213 338 363 389",
        "ours answers what the same condition with the empty text selects",
        "Serializing a condition the reference writes null as an empty value; its own servers, as ours, take it for the \
         empty text of texts and enumerations.";
    CURRENT_DOMAIN_ESTIMATES: 'b', "queries 76 78 131 243 254",
        "ours is what the reference estimates of the same array without a current domain",
        "In dense arrays with a current domain the reference counts the tiles of a fragment from its first cell when it \
         estimates the values of variable cells.";
    // Writes.
    WRITES_IN_MESSAGES: 'a', "messages 14", "ours, the client and the server, write what is written without messages",
        "Of some writes that several messages carry the reference dies, or fails, also where it alone writes and serves.";
    BYTE_DIMENSIONS: 'd', "interop 2321", "ours reads what was written",
        "Of some dense arrays with dimensions of one byte the reference writes nothing: its tiles overflow.";
    EQUAL_COORDINATES: 'b', "interop 0..1200", "the cells that ours names are there twice",
        "Of several equal coordinates another pair is named.";
    REFUSALS_OF_FILTERS: 'a', "interop 0..1200", "both refuse the same write in the same call with the same code",
        "Of cells that a filter does not accept or give back ours names the values, or another field; the reference \
         may stumble over its own writers when it clears up. Double deltas that overflow the reference refuses; ours stores them \
         verbatim, which both read.";
    DROPPED_BYTES: 'a', "interop 0..1200", "what ours reads is the twin's; what it refuses the reference loses",
        "The reference drops the bytes behind the last whole value that filters leave, and cannot read the rest.";
    CRASHES: 'a', "interop 80 88 182", "ours answers all queries, and reads what it wrote to dense arrays",
        "The process of the reference ends: mostly since filters divide by zero (POSITIVE_DELTA, BIT_WIDTH_REDUCTION), after \
         which they lose cells on aarch64, or since it frees memory that is not its own.";
    EMPTY_VAR_TILES: 'a', "interop 0..1200, arrow 667", TWIN,
        "The reference cannot read tiles without values that it wrote.";
    // Files.
    STATISTICS: 'b', "interop 0..1200", "ours are those of the cells, tile by tile",
        "The reference miscounts nulls of some types, and of some characters mislays the least and the greatest cell of \
         tiles and fragments.";
    UNDEFINED_BYTES: 'b', "interop 0..1200", "the files have equal lengths, and both read both",
        "Filters that reduce the width of integers leave bytes that nobody reads. Ours writes zeros.";
}
