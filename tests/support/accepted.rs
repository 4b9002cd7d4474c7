//! Where the random tests let the two libraries differ: each difference by name, why, what ours answers, and seeds
//! that show it.

/// A difference that is accepted.
#[derive(Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: &'static str,
    /// What the reference does wrong, and what ours answers.
    pub why: &'static str,
    /// A test and seeds that show it.
    pub seeds: &'static str,
}

macro_rules! entries {
    ($($name:ident: $seeds:literal, $why:literal;)*) => {
        $(#[doc = $why] pub static $name: Entry =
            Entry { name: stringify!($name), why: $why, seeds: $seeds };)*

        /// All of them.
        pub static ALL: &[&Entry] = &[$(&$name),*];

        const _: () = assert!([$($seeds),*].len() <= 40, "too many differences are accepted");
    };
}

entries! {
    // Queries.
    DENSE_CONDITIONS: "queries 197",
        "In dense arrays, where the order of the query is not that of the array, the reference tests conditions and makes \
         aggregates with coordinates and null flags of other cells. Ours answers as in the order of the array.";
    ABSENT_STATISTICS: "queries 1904",
        "The reference refuses aggregates where tiles have no statistics. Ours aggregates the cells; those that are read \
         beside must be equal.";
    AGGREGATES_AGAIN: "queries 0..100",
        "In dense arrays the reference counts cells again with every submit. Ours must be what it counts in one.";
    AGGREGATES_BETWEEN: "queries 0..400",
        "What lies between fragments of a dense array the reference counts as written once they were consolidated. Ours \
         does not.";
    AGGREGATES_OF_RANGES: "queries 0..400",
        "The reference adds up ranges of dense arrays that overlap wrongly: it depends on what lies beside them. Ours \
         aggregates the cells of all ranges.";
    AGGREGATES_OF_DENSE: "aggregates 1137 1384, queries 0..400",
        "In dense arrays the reference takes cells that nobody wrote into means, aggregates of reals and texts, sums of \
         values of 8 bytes and counts of nulls. Ours takes what was written; without conditions and changes of the \
         schema that is checked cell by cell.";
    AGGREGATES_OF_SPARSE: "aggregates 1137 1384",
        "The reference forgets what stood before a NaN, stops sums that overflow, cuts texts and counts cells of ranges \
         that overlap more than once. Ours must be the aggregates of the cells that the reference reads.";
    SET_MEMBER_SIZE: "conditions 225 908",
        "Sets with members of a wrong size the reference refuses at the first cell that it compares with them, if \
         there is one; ours always, in queries and in deletions that the reference let pass.";
    MISSING_MEMBERS: "conditions 40..139",
        "That null cells differ from a value which their enumeration lacks the reference finds in some layouts only; \
         ours in all.";
    ABSENT_ATTRIBUTES: "queries 194 211 523",
        "By a comparison with an attribute that a fragment lacks the reference deletes all its cells, and it refuses \
         conditions on dense arrays with such attributes. Ours deletes none, and compares what is read.";
    UNREADABLE_DELETES: "conditions 40..139",
        "The reference cannot read deletions that were committed: of null cells, by sets of which an enumeration has \
         no member, by attributes that were dropped since, and of some fragments that it consolidated under deletions. \
         Ours reads them.";
    LITTLE_MEMORY: "queries 0..100",
        "The reference refuses to read in memory that ours makes do with.";
    LITTLE_ROOM: "queries 100",
        "The reference makes no progress, never comes back, or loses cells where it cuts ranges, in small buffers that cells fit into. \
         Ours goes on.";
    STRING_RANGES: "interop 0..1200",
        "Of strings as coordinates the reference gives other cells, or another order, than when it reads everything, and \
         loses cells in ranges that overlap. Ours gives the cells that lie in the ranges.";
    RANGES_IN_PARTS: "interop 443",
        "Where ranges overlap the reference may answer part by part of them, each in order. Ours answers all in order.";
    GLOBAL_RANGES: "interop 0..1200",
        "The reference refuses some reads of several ranges in global order. Ours reads them.";
    UNSORTED_RANGES: "interop 0..1200",
        "The reference mixes up variable cells of dense arrays where ranges are not sorted. Ours does not.";
    UNORDERED_DENSE: "queries 5 6 9 10 15",
        "Read in no order, the reference refuses the coordinates of dense arrays without a reason, and leaves cells of \
         all tiles but the first unwritten. Ours gives them in row-major order.";
    CURRENT_DOMAIN_ESTIMATES: "queries 76 78 131 243 254",
        "In dense arrays with a current domain the reference counts the tiles of a fragment from its first cell when it \
         estimates the values of variable cells. Ours counts the tiles that there are.";
    // Writes.
    SMALL_DIMENSIONS: "interop 0..1200",
        "The reference overflows dimensions of 8 and 16 bits in dense writes. Ours takes them.";
    EQUAL_COORDINATES: "interop 0..1200",
        "Of several equal coordinates another pair is named.";
    REFUSALS_OF_FILTERS: "interop 0..1200",
        "Of cells that a filter does not accept or give back ours names the values, or another field; the reference \
         may stumble over its own writers when it clears up.";
    DROPPED_BYTES: "interop 0..1200",
        "The reference drops the bytes behind the last whole value that filters leave, and cannot read the rest. Ours \
         refuses to write them, or reads what was written, as the same array without filters tells.";
    EMPTY_VAR_TILES: "interop 0..1200",
        "The reference cannot read tiles without values that it wrote. Ours reads them.";
    // Files.
    STATISTICS: "interop 0..1200",
        "The reference miscounts nulls of some types, and of some characters mislays the least and the greatest cell of \
         tiles and fragments. Ours states those of the cells.";
    UNDEFINED_BYTES: "interop 0..1200",
        "Filters that reduce the width of integers leave bytes that nobody reads. Ours writes zeros.";
}
