//! Options from the parameters `rest.*`, and settings that every request carries.

use std::time::Duration;

use crate::serialization::{Deserializer, SerializationType};
use tiledb_core::config::Config;
use tiledb_core::error::{Error, Result, bail};
use tiledb_core::pool::CancelToken;
use tiledb_storage::http::{Network, Origin, Proxies, RetryPolicy, accepted, encode};

/// Connect timeout.
const CONNECT: Duration = Duration::from_secs(60);
/// Timeout of name resolution.
const RESOLVE: Duration = Duration::from_secs(30);
/// Default read timeout in milliseconds: a server may consolidate for long before it responds.
const SILENCE: u64 = 3_600_000;
/// Maximum retry delay.
const LONGEST: Duration = Duration::from_secs(3600);
/// Range of connection buffer sizes in bytes.
const BUFFERS: std::ops::RangeInclusive<u64> = 16 << 10..=10 << 20;

pub(super) struct RestOptions {
    /// URL of the server, without a trailing slash.
    pub(super) server: String,
    pub(super) reading: Deserializer,
    pub(super) retries: RetryPolicy,
    /// Statuses after which a request is retried.
    pub(super) busy: Vec<u16>,
    /// Whether a request without a response is retried.
    pub(super) retry_errors: bool,
    /// `Accept-Encoding`.
    pub(super) encodings: Option<&'static str>,
    /// Hosts that may receive credentials, in addition to the server.
    pub(super) trusted: Vec<String>,
    /// Maximum size of a message.
    pub(super) most: u64,
    /// Whether the server resubmits incomplete reads.
    pub(super) read_all: bool,
    /// Name and value of the authentication header; `None` fails the first request.
    pub(super) proof: Option<(&'static str, String)>,
    /// The parameter whose absence makes a user name or a password useless.
    pub(super) missing_half: Option<&'static str>,
    /// `rest.custom_headers.*`.
    pub(super) custom: Vec<(String, String)>,
    pub(super) payer: Option<String>,
    /// Name of the credentials with which the server creates arrays.
    pub(super) creator: Option<String>,
    /// Whether requests are logged.
    pub(super) verbose: bool,
}

impl RestOptions {
    /// Options of a configuration.
    ///
    /// # Errors
    /// For values that cannot be understood.
    pub(super) fn new(config: &Config) -> Result<RestOptions> {
        let server = server(&config.str("rest.server_address"))?;
        let non_empty = |name: &str| Some(config.str(name)).filter(|value| !value.is_empty());
        let optional = |name: &str| non_empty(name).map_or(Ok(false), |_| config.bool(name));
        let form = match config.str("rest.server_serialization_format").as_str() {
            "JSON" => SerializationType::Json,
            _ => SerializationType::Capnp,
        };
        Ok(RestOptions {
            server,
            reading: Deserializer::new(form, config)?,
            retries: retries(config)?,
            busy: statuses(&config.str("rest.retry_http_codes"))?,
            retry_errors: config.bool("rest.curl.retry_errors")?,
            encodings: accepted(&config.str("rest.http_compressor"))?,
            trusted: listed(&config.str("rest.redirect_hosts")).map(str::to_owned).collect(),
            most: config.u64("rest.capnp_traversal_limit")?,
            read_all: optional("rest.resubmit_incomplete")?,
            proof: proof(config),
            missing_half: match (non_empty("rest.username"), non_empty("rest.password")) {
                (Some(_), None) => Some("rest.password"),
                (None, Some(_)) => Some("rest.username"),
                _ => None,
            },
            custom: config.entries("rest.custom_headers."),
            payer: non_empty("rest.payer_namespace"),
            creator: non_empty("rest.creation_access_credentials_name"),
            verbose: config.bool("rest.curl.verbose")?,
        })
    }
}

/// Network settings.
///
/// # Errors
/// For values that cannot be understood.
pub(super) fn network(config: &Config, cancel: &CancelToken) -> Result<Network> {
    let network = Network::new(config, "rest.min_throughput")?;
    let silence = match config.get("rest.progress_timeout_ms") {
        Some(_) => config.u64("rest.progress_timeout_ms")?,
        None => SILENCE,
    };
    let ignores = config.get("rest.ignore_ssl_validation").is_some() && config.bool("rest.ignore_ssl_validation")?;
    let buffer = config.u64("rest.curl.buffer_size")?.clamp(*BUFFERS.start(), *BUFFERS.end());
    Ok(Network {
        resolve: RESOLVE,
        connect: CONNECT,
        progress: Duration::from_millis(silence),
        verify: network.verify && !ignores,
        buffer: buffer as usize,
        cancel: Some(cancel.clone()),
        proxies: Proxies::of_environment(),
        keep_alive: config.bool("rest.curl.tcp_keepalive")?,
        ..network
    })
}

fn retries(config: &Config) -> Result<RetryPolicy> {
    let growth = config.f64("rest.retry_delay_factor")?;
    Ok(RetryPolicy {
        max_retries: u32::try_from(config.u64("rest.retry_count")?).unwrap_or(u32::MAX),
        initial_delay: Duration::from_millis(config.u64("rest.retry_initial_delay_ms")?),
        max_delay: LONGEST,
        backoff_factor: if growth.is_finite() { growth.max(0.0) } else { 1.0 },
        ..RetryPolicy::default()
    })
}

/// The token, or user and password. Those of the source of higher precedence are used: program, environment, profile; the
/// token if it is the same. A user and a password of different sources are used only if there is no token.
fn proof(config: &Config) -> Option<(&'static str, String)> {
    let set = |name: &str| config.get(name).filter(|value| !value.is_empty());
    let token = set("rest.token").map(|token| ("X-TILEDB-REST-API-Key", token));
    let basic = set("rest.username").zip(set("rest.password")).map(|(user, password)| {
        ("Authorization", format!("Basic {}", encode::base64(format!("{user}:{password}").as_bytes())))
    });
    let [token_source, user_source, password_source] =
        ["rest.token", "rest.username", "rest.password"].map(|name| config.source(name));
    match user_source == password_source && user_source < token_source {
        true => basic.or(token),
        false => token.or(basic),
    }
}

/// Splits a list at commas and spaces.
fn listed(text: &str) -> impl Iterator<Item = &str> {
    text.split([',', ' ']).filter(|part| !part.is_empty())
}

fn statuses(text: &str) -> Result<Vec<u16>> {
    let status = |part: &str| {
        part.parse().map_err(|_| {
            Error::invalid(format!("Config: Failed to parse config value '{text}' for key 'rest.retry_http_codes'"))
        })
    };
    listed(text).map(status).collect()
}

/// The address of a server, without a slash at the end; one without a scheme is one of HTTP.
fn server(address: &str) -> Result<String> {
    if address.trim_end_matches('/').is_empty() {
        bail!("RestClient: Error initializing rest client; server address is empty.");
    }
    let (scheme, host) = address.split_once("://").unwrap_or(("http", address));
    let server = format!("{scheme}://{}", host.trim_end_matches('/'));
    match Origin::of(&server) {
        Ok(_) => Ok(server),
        Err(error) => bail!("RestClient: Error initializing rest client; 'rest.server_address': {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(set: &[(&str, &str)]) -> Result<RestOptions> {
        let mut config = Config::new();
        set.iter().try_for_each(|(name, value)| config.set(name, value))?;
        RestOptions::new(&config)
    }

    #[test]
    fn token_or_user_and_password_are_required() {
        let proof = |set: &[_]| options(set).unwrap().proof;
        assert_eq!(proof(&[]), None);
        assert_eq!(proof(&[("rest.username", "u")]), None);
        let basic = ("Authorization", "Basic dTpw".to_owned());
        assert_eq!(proof(&[("rest.username", "u"), ("rest.password", "p")]), Some(basic));
        let both = [("rest.username", "u"), ("rest.password", "p"), ("rest.token", "t")];
        assert_eq!(proof(&both), Some(("X-TILEDB-REST-API-Key", "t".to_owned())));
    }

    #[test]
    fn parameters_are_parsed() {
        let set = [
            ("rest.server_address", "https://h:1//"),
            ("rest.retry_count", "18446744073709551615"),
            ("rest.retry_delay_factor", "0"),
            ("rest.retry_http_codes", "503, 429"),
            ("rest.http_compressor", "none"),
            ("rest.custom_headers.a-b", "c"),
            ("rest.server_serialization_format", "JSON"),
        ];
        let options = options(&set).unwrap();
        assert_eq!(
            (options.server.as_str(), options.reading.form(), options.encodings),
            ("https://h:1", SerializationType::Json, None)
        );
        assert_eq!((options.retries.max_retries, options.busy), (u32::MAX, vec![503, 429]));
        assert_eq!(options.custom, [("a-b".to_owned(), "c".to_owned())]);
        assert_eq!(server("h:1/").unwrap(), "http://h:1");
    }

    #[test]
    fn invalid_values_are_refused() {
        for (name, value) in [
            ("rest.retry_http_codes", "x"),
            ("rest.retry_count", "-1"),
            ("rest.server_address", "/"),
            ("rest.server_address", "http://"),
            ("rest.server_address", "https:///"),
            ("rest.server_address", "ftp://h"),
            ("rest.server_address", "https://user:password@h"),
            ("rest.http_compressor", "br"),
        ] {
            assert!(options(&[(name, value)]).is_err(), "{name}");
        }
    }
}
