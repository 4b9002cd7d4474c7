//! TLS settings: certificate verification and trusted certificates.

use std::path::Path;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use super::network::Network;
use tiledb_core::error::{Error, Result};
use tiledb_core::plain_file::without_bom;

/// TLS settings for the linked OpenSSL.
///
/// # Errors
/// If a certificate file cannot be read, or no certificates are found.
pub(super) fn build(network: &Network) -> Result<TlsConfig> {
    let mut config = TlsConfig::builder().provider(TlsProvider::NativeTls).disable_verification(!network.verify);
    let mut certificates = Vec::new();
    if let Some(file) = &network.ca_file {
        read(Path::new(file), &mut certificates)?;
    }
    if let Some(folder) = &network.ca_path {
        let entries = std::fs::read_dir(folder).map_err(|error| unreadable(Path::new(folder), &error))?;
        for entry in entries.flatten().filter(|entry| entry.path().is_file()) {
            read(&entry.path(), &mut certificates)?;
        }
    }
    if network.ca_file.is_some() || network.ca_path.is_some() {
        if certificates.is_empty() {
            return Err(Error::invalid("'ssl.ca_file' and 'ssl.ca_path' name no certificates in PEM form"));
        }
        config = config.root_certs(RootCerts::new_with_certs(&certificates));
    } else {
        config = config.root_certs(RootCerts::PlatformVerifier);
    }
    Ok(config.build())
}

/// Adds the certificates of a file; other items are ignored.
fn read(file: &Path, certificates: &mut Vec<Certificate<'static>>) -> Result<()> {
    let bytes = std::fs::read(file).map(without_bom).map_err(|error| unreadable(file, &error))?;
    for item in parse_pem(&bytes).flatten() {
        if let PemItem::Certificate(certificate) = item {
            certificates.push(certificate);
        }
    }
    Ok(())
}

#[cold]
fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    // Not an error of input or output: those of a request are retried, and this one stays.
    Error::invalid(format!("Cannot read certificates from '{}': {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_certificates_are_no_error_of_a_request() {
        let network = Network { ca_file: Some("/no/such/file.pem".to_owned()), ..Network::default() };
        let error = build(&network).err().unwrap();
        assert_ne!(error.kind(), tiledb_core::error::ErrorKind::Io, "it would be retried");
        assert!(error.to_string().contains("'/no/such/file.pem'"), "{error}");
    }
}
