//! C functions that report the features of this build.

use super::boundary::{OutHandle, capi_return_t};
use super::call::make_plain;
use super::handles::tiledb_string_t;
use super::string::Text;
use tiledb_storage::vfs::Vfs;

/// Describes what this build contains, as JSON.
///
/// @param out Receives the text, to be freed with `tiledb_string_free`.
/// @return `TILEDB_OK` for success and `TILEDB_ERR` for error.
#[unsafe(no_mangle)]
pub extern "C" fn tiledb_as_built_dump(out: OutHandle<tiledb_string_t>) -> capi_return_t {
    make_plain(out, || Ok(Text::new(as_built())))
}

fn as_built() -> String {
    let enabled = |yes: bool| serde_json::json!({ "enabled": yes });
    let backends = ["azure", "gcs", "s3"].map(|name| (name.to_owned(), enabled(Vfs::supports(name))));
    let parameters = serde_json::json!({
        "storage_backends": serde_json::Map::from_iter(backends),
        "support": { "serialization": enabled(true) },
    });
    format!("{:#}", serde_json::json!({ "as_built": { "parameters": parameters } }))
}
