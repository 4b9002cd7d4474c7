//! Options from the parameters `vfs.s3.*`.

use std::time::Duration;

use super::super::amazon::AccessKeys;
use super::super::ambient::variable;
use super::super::parameters;
use super::super::store::StoreLimits;
use super::profile::ProfileFiles;
use super::retries;
use super::signer::AssumedRole;
use crate::http::{Network, Proxies, RetryPolicy};
use tiledb_core::config::Config;
use tiledb_core::error::{Result, bail};

/// Default duration of an assumed role's session in seconds.
const DEFAULT_SESSION_SECONDS: u32 = 900;

pub(super) struct S3Options {
    pub(super) network: Network,
    pub(super) retries: RetryPolicy,
    pub(super) limits: StoreLimits,
    pub(super) address: S3Address,
    /// Empty if not set.
    pub(super) region: String,
    /// Headers of every request.
    pub(super) headers: Vec<(String, String)>,
    /// Headers of requests that create objects.
    pub(super) object_headers: Vec<(&'static str, String)>,
    /// Headers of requests that copy objects.
    pub(super) copy_headers: Vec<(&'static str, String)>,
    /// Canned ACL of new buckets, if set.
    pub(super) bucket_acl: Option<String>,
    pub(super) credentials: S3Credentials,
}

/// Address of the store.
pub(super) struct S3Address {
    pub(super) https: bool,
    /// `host:port` of an S3-compatible store; `None` for Amazon's.
    pub(super) endpoint: Option<String>,
    /// Whether the endpoint is from the configuration, not from the environment.
    overridden: bool,
    /// Virtual-hosted-style addressing: the bucket is part of the host name.
    pub(super) virtual_hosts: bool,
}

impl S3Address {
    /// `http` or `https`.
    pub(super) fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }

    /// The URL of an S3-compatible store that the configuration names.
    pub(super) fn foreign(&self) -> Option<String> {
        let host = self.endpoint.as_ref().filter(|host| self.overridden && !host.contains("amazonaws.com"))?;
        Some(format!("{}://{host}", self.scheme()))
    }
}

/// Configured credentials.
pub(super) struct S3Credentials {
    pub(super) anonymous: bool,
    pub(super) keys: Option<AccessKeys>,
    pub(super) role: Option<AssumedRole>,
    /// Where to find keys if none are configured, or those that assume the role.
    pub(super) source: CredentialSource,
}

/// `vfs.s3.config_source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CredentialSource {
    Auto,
    /// The AWS configuration files.
    Files,
    /// The role of a profile in the AWS configuration files.
    Roles,
}

impl S3Options {
    /// Options of a configuration.
    ///
    /// # Errors
    /// For values that cannot be understood or contradict one another.
    pub(super) fn new(config: &Config) -> Result<S3Options> {
        Ok(S3Options {
            network: network(config)?,
            retries: retries::policy(config)?,
            limits: limits(config)?,
            address: address(config)?,
            region: config.str("vfs.s3.region"),
            headers: headers(config)?,
            object_headers: object_headers(config),
            copy_headers: encryption(config),
            bucket_acl: acl(config, "vfs.s3.bucket_canned_acl"),
            credentials: credentials(config)?,
        })
    }
}

fn text(config: &Config, name: &str) -> Option<String> {
    Some(config.str(name)).filter(|value| !value.is_empty())
}

fn network(config: &Config) -> Result<Network> {
    let common = Network::new(config, "vfs.min_throughput")?;
    let proxy = text(config, "vfs.s3.proxy_host").map(|host| {
        let part = |name: &str| crate::http::encode::percent(&config.str(name), false);
        let scheme = if config.str("vfs.s3.proxy_scheme") == "https" { "https" } else { "http" };
        let user = text(config, "vfs.s3.proxy_username")
            .map(|_| format!("{}:{}@", part("vfs.s3.proxy_username"), part("vfs.s3.proxy_password")));
        let port = text(config, "vfs.s3.proxy_port").filter(|port| port != "0").map(|port| format!(":{port}"));
        format!("{scheme}://{}{host}{}", user.unwrap_or_default(), port.unwrap_or_default())
    });
    Ok(Network {
        connect: Duration::from_millis(parameters::count(config, "vfs.s3.connect_timeout_ms")?.into()),
        progress: Duration::from_millis(parameters::count(config, "vfs.s3.request_timeout_ms")?.into()),
        proxies: Proxies::always(proxy),
        // The older parameter names take precedence.
        ca_file: text(config, "vfs.s3.ca_file").or(common.ca_file),
        ca_path: text(config, "vfs.s3.ca_path").or(common.ca_path),
        verify: common.verify && config.bool("vfs.s3.verify_ssl")?,
        ..common
    })
}

fn limits(config: &Config) -> Result<StoreLimits> {
    let read_ahead = usize::try_from(config.u64("vfs.read_ahead_size")?).unwrap_or(usize::MAX);
    Ok(StoreLimits {
        part_size: parameters::size(config, "vfs.s3.multipart_part_size")?,
        in_parts: config.bool("vfs.s3.use_multipart_upload")?,
        most_whole: u64::MAX,
        most_parts: 10_000,
        in_order: false,
        at_once: parameters::at_once(config, "vfs.s3.max_parallel_ops")?,
        read_ahead,
        removed_at_once: 1000,
    })
}

fn address(config: &Config) -> Result<S3Address> {
    let endpoint_text = text(config, "vfs.s3.endpoint_override");
    let overridden = endpoint_text.is_some();
    let endpoint_text = endpoint_text.or_else(endpoint_around);
    let (scheme, endpoint) = match endpoint_text.as_deref().and_then(|endpoint_text| endpoint_text.split_once("://")) {
        Some((scheme, host)) => (scheme.to_owned(), Some(host.trim_end_matches('/').to_owned())),
        None => (config.str("vfs.s3.scheme"), endpoint_text),
    };
    let virtual_hosts = config.bool("vfs.s3.use_virtual_addressing")?;
    Ok(S3Address { https: scheme != "http", endpoint, overridden, virtual_hosts })
}

/// The endpoint from the environment or the profile.
fn endpoint_around() -> Option<String> {
    if variable("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return None;
    }
    let named = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
    named.or_else(|| ProfileFiles::load().chosen().text("endpoint_url"))
}

fn acl(config: &Config, name: &str) -> Option<String> {
    text(config, name).filter(|acl| acl != "NOT_SET").map(|acl| acl.trim_end_matches('_').replace('_', "-"))
}

fn headers(config: &Config) -> Result<Vec<(String, String)>> {
    let custom = config.entries("vfs.s3.custom_headers.").into_iter();
    let mut headers: Vec<(String, String)> = custom.map(|(name, value)| (name.to_ascii_lowercase(), value)).collect();
    if config.bool("vfs.s3.requester_pays")? {
        headers.push(("x-amz-request-payer".to_owned(), "requester".to_owned()));
    }
    Ok(headers)
}

fn encryption(config: &Config) -> Vec<(&'static str, String)> {
    match config.str("vfs.s3.sse").as_str() {
        "aes256" => vec![("x-amz-server-side-encryption", "AES256".to_owned())],
        "kms" => vec![
            ("x-amz-server-side-encryption", "aws:kms".to_owned()),
            ("x-amz-server-side-encryption-aws-kms-key-id", config.str("vfs.s3.sse_kms_key_id")),
        ],
        _ => Vec::new(),
    }
}

/// Storage classes; any other value leaves the choice to the store.
const CLASSES: [&str; 11] = [
    "STANDARD",
    "REDUCED_REDUNDANCY",
    "STANDARD_IA",
    "ONEZONE_IA",
    "INTELLIGENT_TIERING",
    "GLACIER",
    "DEEP_ARCHIVE",
    "OUTPOSTS",
    "GLACIER_IR",
    "SNOW",
    "EXPRESS_ONEZONE",
];

fn object_headers(config: &Config) -> Vec<(&'static str, String)> {
    let mut headers = encryption(config);
    let class = config.str("vfs.s3.storage_class");
    if CLASSES.contains(&class.as_str()) {
        headers.push(("x-amz-storage-class", class));
    }
    headers.extend(acl(config, "vfs.s3.object_canned_acl").map(|acl| ("x-amz-acl", acl)));
    headers
}

/// # Errors
/// For ways of signing in that exclude one another, in the words of libtiledb.
fn credentials(config: &Config) -> Result<S3Credentials> {
    let named = config.str("vfs.s3.config_source");
    let source = match named.as_str() {
        "auto" => CredentialSource::Auto,
        "config_files" => CredentialSource::Files,
        "sts_profile_with_web_identity" => CredentialSource::Roles,
        _ => bail!(
            "S3: Unknown 'vfs.s3.config_source' config value {named}; supported values are 'auto', 'config_files' and \
             'sts_profile_with_web_identity'"
        ),
    };
    let anonymous = config.bool("vfs.s3.no_sign_request")?;
    let (id, secret) = (text(config, "vfs.s3.aws_access_key_id"), text(config, "vfs.s3.aws_secret_access_key"));
    let token = text(config, "vfs.s3.aws_session_token");
    let (keys, role) = match (id, secret, text(config, "vfs.s3.aws_role_arn"), source) {
        _ if anonymous => (None, None),
        (None, None, None, _) => (None, None),
        (Some(id), Some(secret), None, CredentialSource::Auto) => (Some(AccessKeys { id, secret, token }), None),
        (None, None, Some(arn), CredentialSource::Auto) => (None, Some(role(config, arn)?)),
        (Some(_), None, None, CredentialSource::Auto) | (None, Some(_), None, CredentialSource::Auto) => {
            bail!("S3: Insufficient authentication credentials; Both access key id and secret key are needed")
        }
        (Some(_), Some(_), Some(_), CredentialSource::Auto) => bail!(
            "S3: Ambiguous authentication credentials; both permanent and temporary authentication credentials are configured"
        ),
        _ => bail!(
            "S3: Ambiguous authentification options; Setting vfs.s3.config_source is mutually exclusive with providing \
             either permanent or temporary credentials"
        ),
    };
    Ok(S3Credentials { anonymous, keys, role, source })
}

fn role(config: &Config, arn: String) -> Result<AssumedRole> {
    let name = "vfs.s3.aws_load_frequency";
    let seconds = if text(config, name).is_some() { parameters::count(config, name)? } else { DEFAULT_SESSION_SECONDS };
    Ok(AssumedRole {
        arn,
        session: text(config, "vfs.s3.aws_session_name"),
        external_id: text(config, "vfs.s3.aws_external_id"),
        seconds: Some(seconds),
    })
}
