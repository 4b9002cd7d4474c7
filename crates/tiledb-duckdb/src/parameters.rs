//! The parameters of `read_tiledb`.

use libduckdb_sys as ffi;
use tiledb::{Array, Config, Context, Datatype, Value};

use crate::boundary::LogicalType;
use crate::context::context;
use crate::values::Argument;

/// The array that a call reads, and how.
pub(crate) struct Parameters {
    uri: String,
    as_of: Option<String>,
    config: Vec<(String, String)>,
    /// Cells that are read, in the language of conditions.
    pub(crate) condition: Option<String>,
}

impl Parameters {
    /// Declares the parameters of the function.
    ///
    /// # Safety
    /// `function` is a table function that is not registered yet.
    pub(crate) unsafe fn declare(function: ffi::duckdb_table_function) {
        let text = LogicalType::of(ffi::DUCKDB_TYPE_DUCKDB_TYPE_VARCHAR);
        let map = LogicalType::map(&text, &text);
        // SAFETY: as the caller promises; DuckDB copies names and types.
        unsafe {
            ffi::duckdb_table_function_add_parameter(function, text.as_raw());
            for (name, logical_type) in [(c"as_of", &text), (c"condition", &text), (c"config", &map)] {
                ffi::duckdb_table_function_add_named_parameter(function, name.as_ptr(), logical_type.as_raw());
            }
        }
    }

    /// The arguments of a call.
    ///
    /// # Safety
    /// `info` is that of a call that is bound.
    pub(crate) unsafe fn of_call(info: ffi::duckdb_bind_info) -> Result<Parameters, String> {
        // SAFETY: as the caller promises; the values are the caller's.
        let (uri, [as_of, condition, config]) = unsafe {
            let named =
                |name: &std::ffi::CStr| Argument::take(ffi::duckdb_bind_get_named_parameter(info, name.as_ptr()));
            let uri = Argument::take(ffi::duckdb_bind_get_parameter(info, 0));
            (uri, [c"as_of", c"condition", c"config"].map(named))
        };
        let text = |argument: Option<Argument>| argument.map(|argument| argument.text()).transpose();
        Ok(Parameters {
            uri: text(uri)?.ok_or("read_tiledb: the URI is NULL")?,
            as_of: text(as_of)?,
            condition: text(condition)?,
            config: config.map(|map| map.entries()).transpose()?.unwrap_or_default(),
        })
    }

    /// Opens the array.
    pub(crate) fn open(&self) -> Result<Array, String> {
        let mut options = Array::options();
        if let Some(time) = &self.as_of {
            options = options.at(milliseconds(time)?);
        }
        let opened = if self.config.is_empty() {
            options.open(context()?, &self.uri)
        } else {
            let builder = self.config.iter().fold(Config::builder(), |builder, (name, value)| builder.set(name, value));
            let ctx = builder.build().and_then(Context::with_config).map_err(|error| error.to_string())?;
            options.open(&ctx, &self.uri)
        };
        opened.map_err(|error| error.to_string())
    }
}

/// Milliseconds since 1970 of a number or a date.
fn milliseconds(time: &str) -> Result<u64, String> {
    if let Ok(number) = time.parse() {
        return Ok(number);
    }
    // DuckDB writes timestamps with a space.
    let bytes = Value::from(time.replacen(' ', "T", 1)).to_bytes(Datatype::DatetimeMs);
    let number = bytes.ok().and_then(|bytes| u64::try_from(i64::from_le_bytes(bytes.try_into().ok()?)).ok());
    number.ok_or_else(|| format!("as_of: '{time}' is not a time; write milliseconds since 1970 or 2024-01-31T12:00:00"))
}
