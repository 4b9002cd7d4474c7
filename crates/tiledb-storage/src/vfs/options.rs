//! Options of the virtual file systems.

use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result};

/// Options of the virtual file systems.
#[derive(Clone, Debug)]
pub struct VfsOptions {
    /// Mode of new local files, subject to the umask (`vfs.file.posix_file_permissions`, octal).
    pub file_mode: u32,
    /// Mode of new local directories, subject to the umask (`vfs.file.posix_directory_permissions`, octal).
    pub directory_mode: u32,
    /// Reads of at least this many bytes are split over threads (`vfs.min_parallel_size`).
    pub min_parallel_size: u64,
    /// Whether local directories are synced whenever an entry is created or removed (`vfs.file.sync_directories`).
    pub sync_directories: bool,
}

impl Default for VfsOptions {
    fn default() -> Self {
        VfsOptions { file_mode: 0o644, directory_mode: 0o755, min_parallel_size: 10 << 20, sync_directories: false }
    }
}

impl VfsOptions {
    /// Options from a configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub fn from_config(config: &Config) -> Result<VfsOptions> {
        Ok(VfsOptions {
            file_mode: mode(config, "vfs.file.posix_file_permissions")?,
            directory_mode: mode(config, "vfs.file.posix_directory_permissions")?,
            min_parallel_size: config.u64("vfs.min_parallel_size")?,
            sync_directories: config.get(SYNC).is_some() && config.bool(SYNC)?,
        })
    }
}

/// A parameter of libtiledb-rs.
const SYNC: &str = "vfs.file.sync_directories";

/// Octal digits, written like a number.
fn mode(config: &Config, name: &str) -> Result<u32> {
    let digits = config.u32(name)?;
    u32::from_str_radix(&digits.to_string(), 8)
        .map_err(|_| Error::invalid(format!("Config: The value '{digits}' of '{name}' is not an octal number")))
}
