//! Threads: parallel loops over a process-wide pool, cancellation, and reused scratch memory.
//!
//! Nothing here is started before there is work, and nothing breaks in a forked child (`fork`).

mod cancel;
mod chunk_cache;
mod chunk_shard;
mod each;
mod runs;
mod scratch;
mod turns;
mod watch;
mod workers;

pub use cancel::Cancel;
pub use chunk_cache::{ChunkCache, Owner};
pub use chunk_shard::{ChunkKey, GROUP};
pub use each::Pools;
pub use runs::{Run, Runs};
pub use scratch::{Scratch, keep_at_most, scratch, scratch_size, scratch_to_keep};
pub use watch::{Tally, Watch};
