//! TLS settings: certificate verification and trusted certificates.

use std::path::Path;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, TlsProvider, parse_pem};

use super::network::Network;
use tiledb_core::error::{Error, ErrorKind, Result};
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
    Error::new(ErrorKind::Io, format!("Cannot read certificates from '{}': {error}", path.display()))
}
