//! TLS by Windows (schannel).

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};

use native_tls::{Certificate, HandshakeError};

/// Makes TLS connections of one configuration.
pub struct TlsConnector(native_tls::TlsConnector);

impl TlsConnector {
    /// A connector that trusts the certificates in `roots` (DER), else those of the system, and that verifies certificates and
    /// host names if `is_verifying` is set. A root that is not a certificate is ignored: collections of roots contain such.
    ///
    /// # Errors
    /// If Windows refuses the settings.
    pub fn new(roots: Option<&[&[u8]]>, is_verifying: bool) -> Result<TlsConnector, TlsError> {
        let mut builder = native_tls::TlsConnector::builder();
        builder.danger_accept_invalid_certs(!is_verifying).danger_accept_invalid_hostnames(!is_verifying);
        builder.disable_built_in_roots(roots.is_some());
        for root in roots.unwrap_or_default().iter().flat_map(|root| Certificate::from_der(root)) {
            builder.add_root_certificate(root);
        }
        Ok(TlsConnector(builder.build().map_err(TlsError::Failed)?))
    }

    /// Runs the handshake with `host` over `stream`, which waits as long as it takes or fails.
    ///
    /// # Errors
    /// If the handshake fails, or the certificate is rejected.
    pub fn connect<S: Read + Write>(&self, host: &str, stream: S) -> Result<TlsStream<S>, TlsError> {
        self.0.connect(host, stream).map(TlsStream).map_err(|error| match error {
            HandshakeError::Failure(error) => TlsError::Failed(error),
            HandshakeError::WouldBlock(_) => TlsError::WouldBlock,
        })
    }
}

/// A TLS connection.
pub struct TlsStream<S>(native_tls::TlsStream<S>);

impl<S: Read + Write> TlsStream<S> {
    /// The stream that transports it.
    pub fn get_mut(&mut self) -> &mut S {
        self.0.get_mut()
    }
}

impl<S: Read + Write> Read for TlsStream<S> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl<S: Read + Write> Write for TlsStream<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Why there is no TLS connection.
#[derive(Debug)]
pub enum TlsError {
    Failed(native_tls::Error),
    /// The stream did not wait.
    WouldBlock,
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::Failed(error) => error.fmt(f),
            TlsError::WouldBlock => io::Error::from(io::ErrorKind::WouldBlock).fmt(f),
        }
    }
}

impl Error for TlsError {}
