//! TLS: settings, certificate verification and trusted certificates, and connections through the TLS of the platform.

use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};

use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject;
use ureq::unversioned::transport::time::Duration;
use ureq::unversioned::transport::{
    Buffers, ConnectionDetails, Connector, Either, LazyBuffers, NextTimeout, Transport, TransportAdapter,
};

use super::network::Network;
use tiledb_core::error::{Error, Result};
use tiledb_core::plain_file::without_bom;
use tiledb_core::platform::tls::{TlsConnector, TlsStream};

/// Settings of the TLS connections of a client.
pub(super) struct TlsSettings {
    /// The trusted certificates; those of the system if there are none.
    roots: Option<Vec<CertificateDer<'static>>>,
    is_verifying: bool,
}

impl TlsSettings {
    /// Reads the trusted certificates.
    ///
    /// # Errors
    /// If a certificate file cannot be read, or no certificates are found.
    pub(super) fn new(network: &Network) -> Result<TlsSettings> {
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
        let has_own = network.ca_file.is_some() || network.ca_path.is_some();
        if has_own && certificates.is_empty() {
            return Err(Error::invalid("'ssl.ca_file' and 'ssl.ca_path' name no certificates in PEM form"));
        }
        Ok(TlsSettings { roots: has_own.then_some(certificates), is_verifying: network.verify })
    }
}

/// Adds the certificates of a file; other items are ignored.
fn read(file: &Path, certificates: &mut Vec<CertificateDer<'static>>) -> Result<()> {
    let bytes = std::fs::read(file).map(without_bom).map_err(|error| unreadable(file, &error))?;
    certificates.extend(CertificateDer::pem_slice_iter(&bytes).flatten());
    Ok(())
}

#[cold]
fn unreadable(path: &Path, error: &io::Error) -> Error {
    // Not an error of input or output: those of a request are retried, and this one stays.
    Error::invalid(format!("Cannot read certificates from '{}': {error}", path.display()))
}

/// Adds TLS to the connections of `https`.
pub(super) struct SecureConnector {
    settings: TlsSettings,
    /// Made for the first connection, as the certificates of a system are many.
    connector: OnceLock<TlsConnector>,
}

impl SecureConnector {
    pub(super) fn new(settings: TlsSettings) -> SecureConnector {
        SecureConnector { settings, connector: OnceLock::new() }
    }

    fn connector(&self) -> std::result::Result<&TlsConnector, ureq::Error> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }
        let TlsSettings { roots, is_verifying } = &self.settings;
        // Without verification nothing needs a root.
        let roots = roots.as_ref().filter(|_| *is_verifying);
        let roots = roots.map(|roots| roots.iter().map(AsRef::as_ref).collect::<Vec<&[u8]>>());
        let made = TlsConnector::new(roots.as_deref(), *is_verifying).map_err(failed)?;
        Ok(self.connector.get_or_init(|| made))
    }
}

impl fmt::Debug for SecureConnector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecureConnector").finish_non_exhaustive()
    }
}

#[cold]
fn failed(error: impl std::error::Error + Send + Sync + 'static) -> ureq::Error {
    ureq::Error::Other(Box::new(error))
}

impl<In: Transport> Connector<In> for SecureConnector {
    type Out = Either<In, SecureTransport>;

    fn connect(
        &self,
        details: &ConnectionDetails<'_>,
        chained: Option<In>,
    ) -> std::result::Result<Option<Self::Out>, ureq::Error> {
        let Some(chained) = chained else { return Ok(None) };
        if !details.needs_tls() || chained.is_tls() {
            return Ok(Some(Either::A(chained)));
        }
        let connector = self.connector()?;
        let host = details.uri.host().unwrap_or_default();
        // Addresses of IPv6 have brackets in a URI only.
        let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);

        let mut adapter = TransportAdapter::new(chained.boxed(), details.current_time.clone());
        adapter.set_timeout(left(details));
        let failure = Arc::new(Mutex::new(None));
        let stream = connector
            .connect(host, RecordingStream { stream: adapter, failure: failure.clone() })
            .map_err(|error| take(&failure).unwrap_or_else(|| failed(error)))?;
        let buffers = LazyBuffers::new(details.config.input_buffer_size(), details.config.output_buffer_size());
        Ok(Some(Either::B(SecureTransport { buffers, stream, failure })))
    }
}

/// What is left of the time for connecting, which began before the stream was there.
fn left(details: &ConnectionDetails<'_>) -> NextTimeout {
    use ureq::unversioned::transport::time::Instant;
    let mut timeout = details.timeout;
    if let (Duration::Exact(limit), Instant::Exact(begun), Instant::Exact(now)) =
        (timeout.after, details.now, (details.current_time)())
    {
        timeout.after = Duration::Exact(limit.saturating_sub(now.saturating_duration_since(begun)));
    }
    timeout
}

/// The failure of a transport, which a library of TLS would replace by one of its own, without a timeout or cancellation.
type Failure = Arc<Mutex<Option<ureq::Error>>>;

fn take(failure: &Failure) -> Option<ureq::Error> {
    failure.lock().ok()?.take()
}

/// A stream that records its failure.
struct RecordingStream {
    stream: TransportAdapter,
    failure: Failure,
}

impl RecordingStream {
    #[cold]
    fn record(&self, error: io::Error) -> io::Error {
        if let Ok(mut failure) = self.failure.lock() {
            *failure = Some(error.into());
        }
        io::Error::other("the connection failed")
    }
}

impl Read for RecordingStream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.stream.read(out).map_err(|error| self.record(error))
    }
}

impl Write for RecordingStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes).map_err(|error| self.record(error))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush().map_err(|error| self.record(error))
    }
}

/// A connection with TLS.
pub(super) struct SecureTransport {
    buffers: LazyBuffers,
    stream: TlsStream<RecordingStream>,
    failure: Failure,
}

impl fmt::Debug for SecureTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecureTransport").finish_non_exhaustive()
    }
}

impl Transport for SecureTransport {
    fn buffers(&mut self) -> &mut dyn Buffers {
        &mut self.buffers
    }

    fn transmit_output(&mut self, amount: usize, timeout: NextTimeout) -> std::result::Result<(), ureq::Error> {
        self.stream.get_mut().stream.set_timeout(timeout);
        let output = self.buffers.output().get(..amount).unwrap_or_default();
        let sent = self.stream.write_all(output);
        take(&self.failure).map_or(Ok(()), Err)?;
        Ok(sent?)
    }

    fn await_input(&mut self, timeout: NextTimeout) -> std::result::Result<bool, ureq::Error> {
        self.stream.get_mut().stream.set_timeout(timeout);
        let count = match self.stream.read(self.buffers.input_append_buf()) {
            Ok(count @ 1..) => count,
            // OpenSSL reports some failures as the end.
            ended => {
                take(&self.failure).map_or(Ok(()), Err)?;
                ended?
            }
        };
        self.buffers.input_appended(count);
        Ok(count > 0)
    }

    fn is_open(&mut self) -> bool {
        self.stream.get_mut().stream.get_mut().is_open()
    }

    fn is_tls(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_certificates_are_no_error_of_a_request() {
        let network = Network { ca_file: Some("/no/such/file.pem".to_owned()), ..Network::default() };
        let error = TlsSettings::new(&network).err().unwrap();
        assert_ne!(error.kind(), tiledb_core::error::ErrorKind::Io, "it would be retried");
        assert!(error.to_string().contains("'/no/such/file.pem'"), "{error}");
    }
}
