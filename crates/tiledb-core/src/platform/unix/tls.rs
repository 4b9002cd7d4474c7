//! TLS by OpenSSL, which every Unix has the same of: the library contains it.

use std::error::Error;
use std::fmt;
use std::io::{self, Read, Write};
use std::path::Path;

use openssl::error::ErrorStack;
use openssl::ssl::{self, HandshakeError, SslConnector, SslMethod, SslStream, SslVerifyMode, SslVersion};
use openssl::x509::store::X509StoreBuilder;
use openssl::x509::{X509, X509VerifyResult};

use super::kernel;

/// Makes TLS connections of one configuration.
pub struct TlsConnector {
    connector: SslConnector,
    is_verifying: bool,
}

impl TlsConnector {
    /// A connector that trusts the certificates in `roots` (DER), else those of the system, and that verifies certificates and
    /// host names if `is_verifying` is set. A root that is not a certificate is ignored: collections of roots contain such.
    ///
    /// # Errors
    /// If OpenSSL has no memory.
    pub fn new(roots: Option<&[&[u8]]>, is_verifying: bool) -> Result<TlsConnector, TlsError> {
        let mut connector = SslConnector::builder(SslMethod::tls())?;
        connector.set_min_proto_version(Some(SslVersion::TLS1_2))?;
        if let Some(roots) = roots {
            connector.set_cert_store(X509StoreBuilder::new()?.build());
            for root in roots.iter().flat_map(|root| X509::from_der(root)) {
                // A certificate that the store has already would be an error of older versions.
                let _ = connector.cert_store_mut().add_cert(root);
            }
        } else {
            // OpenSSL's own places are those of the machine where it was compiled. One place without certificates is no reason
            // not to look at the others.
            let probed = openssl_probe::probe();
            let file = probed.cert_file.as_deref().or(kernel::CERTIFICATES.map(Path::new));
            let _ = file.map(|file| connector.load_verify_locations(Some(file), None));
            for folder in &probed.cert_dir {
                let _ = connector.load_verify_locations(None, Some(folder));
            }
        }
        Ok(TlsConnector { connector: connector.build(), is_verifying })
    }

    /// Runs the handshake with `host` over `stream`, which waits as long as it takes or fails.
    ///
    /// # Errors
    /// If the handshake fails, or the certificate is rejected.
    pub fn connect<S: Read + Write>(&self, host: &str, stream: S) -> Result<TlsStream<S>, TlsError> {
        let mut session = self.connector.configure()?.verify_hostname(self.is_verifying);
        if !self.is_verifying {
            session.set_verify(SslVerifyMode::NONE);
        }
        Ok(TlsStream(session.connect(host, stream)?))
    }
}

/// A TLS connection.
pub struct TlsStream<S>(SslStream<S>);

impl<S> TlsStream<S> {
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
    Setup(ErrorStack),
    Handshake(ssl::Error, X509VerifyResult),
}

impl fmt::Display for TlsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TlsError::Setup(error) => error.fmt(f),
            TlsError::Handshake(error, X509VerifyResult::OK) => error.fmt(f),
            TlsError::Handshake(error, reason) => write!(f, "{error} ({reason})"),
        }
    }
}

impl Error for TlsError {}

impl From<ErrorStack> for TlsError {
    fn from(error: ErrorStack) -> TlsError {
        TlsError::Setup(error)
    }
}

impl<S> From<HandshakeError<S>> for TlsError {
    fn from(error: HandshakeError<S>) -> TlsError {
        match error {
            HandshakeError::SetupFailure(error) => TlsError::Setup(error),
            HandshakeError::Failure(handshake) | HandshakeError::WouldBlock(handshake) => {
                let reason = handshake.ssl().verify_result();
                TlsError::Handshake(handshake.into_error(), reason)
            }
        }
    }
}
