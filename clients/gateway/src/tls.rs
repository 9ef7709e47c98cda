//! TLS 1.2 and 1.3 for gateways that listen beyond this machine.
//!
//! Unity's and Mono's `SslStream` know no 1.3. Of 1.2 only suites with forward secrecy and
//! authenticated encryption are taken: rustls has no others.

use rustls::{
    ServerConfig,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Why there is no TLS; the user's fault, as a rule.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct TlsError {
    /// File that does not suit.
    pub path: PathBuf,
    /// Why.
    pub why: String,
}

/// Reads a chain of certificates and its key, both PEM.
///
/// # Errors
/// [`TlsError`] names the file.
pub fn configuration(chain: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let wrong = |path: &Path, why: String| TlsError {
        path: path.to_owned(),
        why,
    };
    let certificates = CertificateDer::pem_file_iter(chain)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| wrong(chain, format!("no certificates: {error}")))?;
    let secret = PrivateKeyDer::from_pem_file(key)
        .map_err(|error| wrong(key, format!("no private key: {error}")))?;
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(chain, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, secret)
        .map_err(|error| wrong(chain, format!("certificate and key are refused: {error}")))?;
    Ok(Arc::new(config))
}
