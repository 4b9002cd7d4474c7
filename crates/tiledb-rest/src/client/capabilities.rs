//! Detection of the server's version.

use super::session::{Idempotency, RestRequest, Session};
use super::uri::RemoteUri;
use crate::encoding::View;
use crate::messages::RestCapabilities;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_storage::http::Method;
use tiledb_storage::vfs::Uri;

impl Session {
    /// Resolves a URI.
    ///
    /// # Errors
    /// If the URI is incomplete, or the version of the server cannot be determined.
    pub(super) fn remote_uri(&self, uri: &Uri) -> Result<RemoteUri> {
        RemoteUri::parse(uri, self.is_legacy()?)
    }

    /// Whether the server predates TileDB 3 and has no capabilities request; requested once.
    ///
    /// # Errors
    /// If there is no response, or it is not one of a TileDB server.
    pub(crate) fn is_legacy(&self) -> Result<bool> {
        let known = *self.legacy.lock();
        if let Some(legacy) = known {
            return Ok(legacy);
        }
        let request = RestRequest {
            method: Method::Get,
            remote_uri: None,
            route: "/v4/capabilities".to_owned(),
            body: &[],
            idempotency: Idempotency::Idempotent,
            creates: false,
            names_creator: false,
            what: format!("Cannot ask the server at '{}' what it can do", self.options.server),
        };
        let legacy = match self
            .fetch(&request, |reading, answer| reading.read(answer, |_: View<'_, RestCapabilities>| Ok(())))
        {
            Err(error) if error.kind() == ErrorKind::NotFound => true,
            Err(error) => return Err(error),
            Ok(()) => false,
        };
        *self.legacy.lock() = Some(legacy);
        Ok(legacy)
    }
}
