//! Options of every command: configuration parameters, and JSON.

use std::io::Read;
use std::path::PathBuf;

use anstream::ColorChoice;
use clap::{ArgAction, Args, ValueEnum};
use tiledb::{Config, Context};

use crate::model::{Error, Result, in_words_of_the_tool};
use crate::output::{self, HIDDEN, is_secret};
use crate::parameters::{check_name, names_in};

/// Environment variable that names the file of the key, as `--key-file`.
const KEY_FILE_VARIABLE: &str = "TILEDB_RS_KEY_FILE";
/// Bytes of a key.
const KEY_BYTES: u64 = 32;

/// Options of every command.
#[derive(Args)]
pub(crate) struct CommonOptions {
    /// Set a configuration parameter; may be repeated
    #[arg(short = 'c', long, value_name = "KEY=VALUE", global = true)]
    pub set: Vec<String>,
    /// Read configuration parameters from a file with one "key value" pair per line
    #[arg(long, value_name = "FILE", global = true)]
    pub config: Option<String>,
    /// Read the key of encrypted arrays from a file: the 32 bytes of an AES-256 key, with or without a line break behind them
    #[arg(long, value_name = "FILE", global = true)]
    pub key_file: Option<std::path::PathBuf>,
    /// Print no notes, warnings and progress bars, only errors
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Log operations on the standard error; twice also requests to stores and servers
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub verbose: u8,
    /// Print colors and styles
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = Color::Auto, global = true)]
    pub color: Color,
    /// Print the output and errors as JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// When colors and styles are printed.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On terminals, unless the environment variable NO_COLOR is set
    Auto,
    /// Also in files and pipes
    Always,
    /// Nowhere
    Never,
}

impl CommonOptions {
    /// Sets how the process prints.
    pub(crate) fn apply(&self) {
        output::set_quiet(self.quiet);
        match self.color {
            Color::Auto => {}
            Color::Always => ColorChoice::Always.write_global(),
            Color::Never => ColorChoice::Never.write_global(),
        }
    }

    /// The level of the library's log; none where the environment or the configuration says it.
    fn logging_level(&self) -> Option<u32> {
        match (self.quiet, self.verbose) {
            (true, _) => Some(1),
            (false, 1) => Some(3),
            (false, 2..) => Some(5),
            (false, 0) => std::env::var_os("TILEDB_CONFIG_LOGGING_LEVEL").is_none().then_some(2),
        }
    }

    /// Configuration parameters from `--config` and `-c`. Unless they or the environment say otherwise, warnings are shown.
    pub(crate) fn parameters(&self) -> Result<Config> {
        let mut config = Config::new();
        if let Some(level) = self.logging_level() {
            config = config.to_builder().set("config.logging_level", level).build()?;
        }
        if let Some(file) = &self.config {
            if let Some((name, _)) = file.split_once('=')
                && !std::path::Path::new(file).exists()
            {
                // A parameter that was meant for -c may be a credential.
                return Err(Error::usage(format!(
                    "--config {name}={HIDDEN}: there is no such file; parameters are set by -c KEY=VALUE"
                )));
            }
            config = config.to_builder().file(file).build()?;
            let text = std::fs::read(file).map_err(|error| Error::failed(format!("{file}: {error}")))?;
            for name in names_in(String::from_utf8_lossy(&text).trim_start_matches('\u{feff}')) {
                check_name(name).map_err(|why| Error::usage(format!("--config {file}: {why}")))?;
            }
        }
        if let Some(key) = self.key()? {
            config = config.to_builder().encryption_key(&key).build()?;
        }
        for pair in &self.set {
            let (name, value) = pair.split_once('=').ok_or_else(|| {
                // What is no name may be a value, and a credential.
                let name = if check_name(pair).is_ok() { format!("-c {pair}") } else { "-c".to_owned() };
                Error::usage(format!("{name}: there is no '=': write KEY=VALUE, as sm.memory_budget=1000000"))
            })?;
            check_name(name).map_err(|why| Error::usage(format!("-c: {why}")))?;
            config = config.to_builder().set(name, value).build().map_err(|error| {
                Error::usage(match is_secret(name) {
                    true => format!("-c {name}={HIDDEN}: the value is not accepted"),
                    false => format!("-c {pair}: {}", in_words_of_the_tool(error.message())),
                })
            })?;
        }
        Ok(config)
    }

    /// Whether a parameter of `-c` is a credential, which other users of the system see in the list of processes.
    pub(crate) fn warn_of_visible_secrets(&self) {
        let mut names = self.set.iter().filter_map(|pair| pair.split_once('=')).filter(|(_, value)| !value.is_empty());
        if let Some((name, _)) = names.find(|(name, _)| Config::is_secret(name)) {
            let file = if name == "sm.encryption_key" { "--key-file" } else { "--config" };
            output::note(&format!(
                "warning: other users can see the value of -c {name} in the list of processes; set it by {file} FILE or by the \
                 environment variable TILEDB_{}",
                name.to_ascii_uppercase().replace('.', "_")
            ));
        }
    }

    /// The key of encrypted arrays in the file of `--key-file`, or of the environment variable for it.
    fn key(&self) -> Result<Option<String>> {
        let named = std::env::var_os(KEY_FILE_VARIABLE).filter(|file| !file.is_empty()).map(PathBuf::from);
        let Some(file) = self.key_file.clone().or(named) else { return Ok(None) };
        let wrong = |why: &str| Error::usage(format!("--key-file {}: {why}", file.display()));
        // A file of another kind, such as a disk, is not read to its end.
        let mut key = Vec::new();
        let opened = std::fs::File::open(&file).map_err(|error| wrong(&error.to_string()))?;
        opened.take(2 * KEY_BYTES).read_to_end(&mut key).map_err(|error| wrong(&error.to_string()))?;
        let key = String::from_utf8(key).map_err(|_| wrong("the key is no text; parameters are text in UTF-8"))?;
        let key = key.strip_suffix('\n').map_or(key.as_str(), |key| key.strip_suffix('\r').unwrap_or(key));
        match key.len() as u64 {
            KEY_BYTES => Ok(Some(key.to_owned())),
            bytes if bytes < KEY_BYTES => Err(wrong(&format!("the key has {bytes} bytes; AES-256 takes {KEY_BYTES}"))),
            _ => Err(wrong(&format!("the key has more than {KEY_BYTES} bytes"))),
        }
    }

    /// A context with these parameters.
    pub(crate) fn context(&self) -> Result<Context> {
        Ok(Context::with_config(self.parameters()?)?)
    }
}
