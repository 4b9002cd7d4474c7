//! Arguments of `publish`, `serve-files` and `view`.

use std::path::PathBuf;

use clap::Args;

use super::Profile;

#[derive(Args)]
pub(crate) struct Publish {
    /// URI of the array or group; with --index-only and --check of a published one
    pub source: String,
    /// URI of the folder that a web server serves, or of a place in a bucket: it does not exist yet, or is updated
    #[arg(required_unless_present_any = ["index_only", "check"])]
    pub target: Option<String>,
    /// Bring a published array or group up to date: add new files, and replace the index last; nothing is removed
    #[arg(long, conflicts_with_all = ["index_only", "check"])]
    pub update: bool,
    /// Consolidate the fragments, their metadata and the commits of the source before they are copied: readers make fewer requests
    #[arg(long, conflicts_with_all = ["index_only", "check"])]
    pub consolidate: bool,
    /// Write the arrays anew with recommended filters for this objective, and compare all cells; the source is not changed, and with
    /// --consolidate its fragments are merged in the copy only
    #[arg(long, value_enum, conflicts_with_all = ["index_only", "check"])]
    pub profile: Option<Profile>,
    /// Write the arrays anew with tiles for slices with these lengths along each dimension, * for all of it
    #[arg(long, value_name = "LENGTH,...", value_delimiter = ',', value_parser = slice_side, conflicts_with_all = ["index_only", "check"])]
    pub slice: Vec<SliceSide>,
    /// Copy nothing, and write the index of an existing folder
    #[arg(long, conflicts_with_all = ["target", "check"])]
    pub index_only: bool,
    /// Compare a published array or group with its index over the network
    #[arg(long, conflicts_with = "target")]
    pub check: bool,
    /// Address at which it will be served, such as https://example.org/data/flights, for the examples of the page
    #[arg(long, value_name = "URL", conflicts_with = "check")]
    pub url: Option<String>,
    /// Write no index.html
    #[arg(long, conflicts_with = "check")]
    pub no_page: bool,
    /// Add the viewer, to which index.html links: a page that shows the array or group in a browser
    #[arg(long, conflicts_with = "check")]
    pub viewer: bool,
    #[command(flatten)]
    pub viewer_files: ViewerFolder,
    /// Write no digests of the files into the index
    #[arg(long, conflicts_with = "check")]
    pub no_digests: bool,
}

/// The length of a slice along a dimension, `None` for all of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SliceSide(pub Option<f64>);

fn slice_side(text: &str) -> Result<SliceSide, String> {
    match text.trim() {
        "*" => Ok(SliceSide(None)),
        number => match number.parse() {
            Ok(length) if f64::is_finite(length) && length > 0.0 => Ok(SliceSide(Some(length))),
            _ => Err("write a positive number for each dimension, or *".to_owned()),
        },
    }
}

#[derive(Args)]
pub(crate) struct ServeFiles {
    /// Folder whose files are served
    pub folder: PathBuf,
    /// Address to listen at; the default is reachable from this machine only. Port 0 is any free port
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    pub listen: String,
    /// Origin of web pages that may read the files, such as https://viewer.example, or * for all; may be repeated. Pages of this machine
    /// always may
    #[arg(long, value_name = "ORIGIN")]
    pub cors: Vec<String>,
    /// Name of this machine by which the server may be reached, beside localhost and addresses; may be repeated
    #[arg(long, value_name = "NAME")]
    pub allow_host: Vec<String>,
}

/// Where the files of the viewer are.
#[derive(Args)]
pub(crate) struct ViewerFolder {
    /// Folder with the files of the viewer; if omitted, share/tiledb-rs/viewer of the installation
    #[arg(long, value_name = "FOLDER")]
    pub viewer_files: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct View {
    /// URI of the array or group
    pub uri: String,
    /// Print the address of the viewer without opening it in a browser
    #[arg(long)]
    pub no_open: bool,
    /// Port of the loopback address to listen at; 0 is any free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
    #[command(flatten)]
    pub viewer_files: ViewerFolder,
}
