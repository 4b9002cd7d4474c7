//! Validation of a configuration when a context is created.

use super::Config;
use crate::error::{Result, bail};

/// Numbers and truth values of the storage and REST clients, and those without effect. They are checked with the context,
/// whether or not it uses them, so that a slip does not wait for the first array in the cloud.
const NUMBERS: [&str; 9] = [
    "vfs.azure.block_list_block_size",
    "vfs.azure.max_parallel_ops",
    "vfs.azure.max_retries",
    "vfs.azure.max_retry_delay_ms",
    "vfs.azure.retry_delay_ms",
    "vfs.gcs.max_direct_upload_size",
    "vfs.gcs.max_parallel_ops",
    "vfs.gcs.multi_part_size",
    "vfs.gcs.request_timeout_ms",
];
const BOOLEANS: [&str; 6] = [
    "rest.resubmit_incomplete",
    "vfs.azure.use_block_list_upload",
    "vfs.gcs.use_multi_part_upload",
    "vfs.log_operations",
    "vfs.s3.install_sigpipe_handler",
    "vfs.s3.skip_init",
];

impl Config {
    /// Validates parameters that are otherwise parsed lazily.
    ///
    /// # Errors
    /// For the first invalid value, and if an explicitly configured profile cannot be loaded.
    pub fn check_for_context(&self) -> Result<()> {
        self.check_profile()?;
        for name in NUMBERS.into_iter().filter(|name| self.is_set(name)) {
            self.u64(name)?;
        }
        for name in BOOLEANS.into_iter().filter(|name| self.is_set(name)) {
            self.bool(name)?;
        }
        self.write_format_version()?;
        if self.is_set("vfs.s3.proxy_port") {
            self.u32("vfs.s3.proxy_port")?;
        }
        let sse = if self.is_set("vfs.s3.sse") { self.str("vfs.s3.sse") } else { String::new() };
        if !matches!(&*sse, "" | "aes256" | "kms") {
            bail!("S3: Unknown 'vfs.s3.sse' config value {sse}; supported values are 'aes256' and 'kms'.");
        }
        if self.is_set("rest.server_address") && self.str("rest.server_address").is_empty() {
            bail!("RestClient: Error initializing rest client; server address is empty.");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_that_libtiledb_never_checks_take_any_value() {
        for name in ["sm.max_tile_overlap_size", "sm.mem.malloc_trim"] {
            let mut config = Config::new();
            config.set(name, "x").unwrap();
            config.check_for_context().unwrap();
        }
    }

    #[test]
    fn late_values_are_checked() {
        let wrong = [
            ("sm.write_format_version", "17"),
            ("vfs.s3.proxy_port", "-1"),
            ("vfs.s3.sse", "x"),
            ("rest.server_address", ""),
            ("profile_name", "none"),
        ];
        let names = NUMBERS.into_iter().chain(BOOLEANS).map(|name| (name, "x"));
        for (name, value) in names.chain(wrong) {
            let mut config = Config::new();
            config.check_for_context().unwrap();
            config.set(name, value).unwrap();
            config.check_for_context().unwrap_err();
        }
    }
}
