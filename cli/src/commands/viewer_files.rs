//! The files of the viewer, a page that shows arrays in a browser.
//!
//! They are in a folder of the installation rather than in the tool: they are the same for all systems, are built by other tools, and
//! would make the tool, which is one file, larger for all who never look at them.

use std::fs;
use std::path::{Path, PathBuf};

use tiledb::Vfs;
use tiledb::uri::check_relative;

use super::serve_files::{Response, media_type};
use crate::args::ViewerFolder;
use crate::model::{Error, Result};

/// The page that loads all other files.
pub(super) const PAGE: &str = "index.html";
/// Where the files are below the prefix of an installation.
const INSTALLED: &str = "share/tiledb-rs/viewer";
/// Folder of the files besides the one that contains the page.
const ENGINE: &str = "engine";

/// The folder of the viewer.
pub(super) struct ViewerFiles {
    folder: PathBuf,
}

impl ViewerFiles {
    /// Finds the folder.
    ///
    /// # Errors
    /// If it is not installed, or the one of the arguments has no viewer.
    pub(super) fn find(arguments: &ViewerFolder) -> Result<ViewerFiles> {
        let is_viewer = |folder: &Path| folder.join(PAGE).is_file() && folder.join("engine/tiledb.wasm").is_file();
        if let Some(folder) = &arguments.viewer_files {
            return if is_viewer(folder) {
                Ok(ViewerFiles { folder: folder.clone() })
            } else {
                Err(Error::usage(format!(
                    "{} has no viewer: name the folder that `make viewer` builds, packages/viewer/dist",
                    folder.display()
                )))
            };
        }
        // Links to the tool are common.
        let tool = std::env::current_exe().and_then(fs::canonicalize)?;
        let mut prefixes = tool.ancestors().skip(1).take(2);
        let installed = prefixes.find_map(|prefix| Some(prefix.join(INSTALLED)).filter(|folder| is_viewer(folder)));
        installed.map(|folder| ViewerFiles { folder }).ok_or_else(|| {
            Error::usage(format!(
                "the viewer is not installed: there is no {INSTALLED} beside {}. Packages of the tool have it; from the sources `make viewer` \
                 builds it, and --viewer-files names its folder",
                tool.display()
            ))
        })
    }

    /// A file of the viewer.
    pub(super) fn response(&self, name: &str) -> Option<Response> {
        check_relative(name).ok()?;
        let file = self.folder.join(name);
        let bytes = fs::read(&file).ok()?;
        Some(Response::bytes(bytes).with("Content-Type", media_type(&file)))
    }

    /// Copies all files into a folder, the page last.
    ///
    /// # Errors
    /// If one cannot be read or written.
    pub(super) fn copy(&self, vfs: &Vfs, target: &str) -> Result<()> {
        let mut names = Vec::new();
        for folder in [ENGINE, ""] {
            for entry in fs::read_dir(self.folder.join(folder))? {
                let entry = entry?;
                let name = entry.file_name().into_string().unwrap_or_default();
                if entry.path().is_file() && name != PAGE {
                    names.push(if folder.is_empty() { name } else { format!("{folder}/{name}") });
                }
            }
        }
        names.sort();
        names.push(PAGE.to_owned());
        // Stores have no folders, and local ones need no files to be created.
        vfs.create_dir(target)?;
        vfs.create_dir(&format!("{target}/{ENGINE}"))?;
        for name in names {
            let file = format!("{target}/{name}");
            if vfs.is_file(&file)? {
                vfs.remove_file(&file)?;
            }
            vfs.write(&file, &fs::read(self.folder.join(&name))?)?;
        }
        Ok(())
    }
}
