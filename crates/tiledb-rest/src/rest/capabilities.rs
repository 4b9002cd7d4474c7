//! What kind of server there is.

use super::session::{Ask, Repeat, Session};
use super::uri::Place;
use crate::describe::RestCapabilities;
use crate::message::View;
use tiledb_core::error::{ErrorKind, Result};
use tiledb_storage::http::Method;
use tiledb_storage::vfs::Uri;

impl Session {
    /// Where on the server a URI lies.
    ///
    /// # Errors
    /// If the URI is incomplete, or the server does not say of what kind it is.
    pub(super) fn place(&self, uri: &Uri) -> Result<Place> {
        Place::parse(uri, self.is_legacy()?)
    }

    /// Whether the server is one of before, which knows nothing of what it can do; asked once.
    ///
    /// # Errors
    /// If it does not answer, or as no TileDB server does.
    pub(crate) fn is_legacy(&self) -> Result<bool> {
        let known = *self.legacy.lock();
        if let Some(legacy) = known {
            return Ok(legacy);
        }
        let ask = Ask {
            method: Method::Get,
            place: None,
            route: "/v4/capabilities".to_owned(),
            body: &[],
            repeat: Repeat::Freely,
            creates: false,
            names_creator: false,
            what: format!("Cannot ask the server at '{}' what it can do", self.options.server),
        };
        let legacy =
            match self.learn(&ask, |reading, answer| reading.read(answer, |_: View<'_, RestCapabilities>| Ok(()))) {
                Err(error) if error.kind() == ErrorKind::NotFound => true,
                Err(error) => return Err(error),
                Ok(()) => false,
            };
        *self.legacy.lock() = Some(legacy);
        Ok(legacy)
    }
}
