//! Where arrays and groups are: on storage, where this library works on their files, or on a TileDB server, which does it.
//!
//! Every operation that differs is here: a method of [`Location`], or a function on handles, which know where their array
//! is. The public interface and the C interface call them and do not look at URIs. For these two alone: the arguments are
//! those of the engine.

mod arrays;
mod groups;
mod handles;
pub mod server;

use crate::error::AtUri as _;
use crate::name::check_text;
use tiledb_core::error::{Result, bail};
use tiledb_storage::vfs::Uri;

pub use arrays::opening_key;
pub use groups::{consolidate_group_metadata, create_group, group, vacuum_group_metadata};
pub use handles::{
    RemoteQueryState, consolidation_plan, estimate, finalize, load_fragments, maintain_after_write, open, query_plan,
    reopen, submit, submit_and_finalize,
};

/// A URI, and who works on what is there.
#[derive(Clone, Copy, Debug)]
pub enum Location<'a> {
    /// This library, on files or objects.
    Stored(&'a Uri),
    /// A server at a `tiledb://` URI.
    #[cfg(feature = "rest")]
    Server(&'a Uri),
}

/// One call by the location: of this library, or of the client of servers.
macro_rules! at_location {
    ($location:expr, $uri:ident => $stored:expr, $server:expr $(,)?) => {
        match $location {
            $crate::location::Location::Stored($uri) => $stored,
            #[cfg(feature = "rest")]
            $crate::location::Location::Server($uri) => $server,
        }
    };
}
use at_location;

impl<'a> Location<'a> {
    /// The error of consolidations that a server does not do.
    const NO_CONSOLIDATION: &'static str = "Consolidator: Consolidation is not supported for remote arrays";

    /// Where the object of a URI is. A build without the client of servers finds no storage for `tiledb://`.
    pub fn of(uri: &'a Uri) -> Location<'a> {
        #[cfg(feature = "rest")]
        if uri.is_tiledb() {
            return Location::Server(uri);
        }
        Location::Stored(uri)
    }

    /// The URI of something whose files an operation accesses.
    ///
    /// # Errors
    /// If it is on a server.
    pub fn stored(self, operation: &str) -> Result<&'a Uri> {
        let uri = self.uri();
        if uri.is_tiledb() {
            bail!(
                Unsupported,
                "{operation}: '{uri}' is on a TileDB server, which shows no files; call it where the array is stored"
            );
        }
        Ok(uri)
    }

    /// The URI, for what a server does not do; in builds without its client, too.
    ///
    /// # Errors
    /// `refusal`, if it is on a server.
    fn unless_on_server(self, refusal: &str) -> Result<&'a Uri> {
        let uri = self.uri();
        if uri.is_tiledb() {
            bail!("{refusal}: '{uri}' is on a TileDB server");
        }
        Ok(uri)
    }

    fn uri(self) -> &'a Uri {
        at_location!(self, uri => uri, uri)
    }
}

/// The URI of a text.
///
/// # Errors
/// If it is not a URI or path.
pub(crate) fn parse(text: &str) -> crate::Result<Uri> {
    check_text(text)?;
    Uri::parse(text).at(text)
}

/// The URI of something whose files an operation accesses.
///
/// # Errors
/// If it is on a server.
pub(crate) fn stored<'a>(uri: &'a Uri, operation: &str) -> crate::Result<&'a Uri> {
    Location::of(uri).stored(operation).at(uri.as_str())
}
