//! Proofs of possession of a key (DPoP, RFC 9449): a JSON Web Token that is signed with ES256.

use std::time::{SystemTime, UNIX_EPOCH};

use openssl::bn::{BigNum, BigNumContext};
use openssl::ec::EcKey;
use openssl::ecdsa::EcdsaSig;
use openssl::error::ErrorStack;
use openssl::nid::Nid;
use openssl::pkey::Private;
use serde_json::{Value, json};

use crate::http::encode::{base64, hex};

/// Bytes of a coordinate, and of each half of a signature.
const SCALAR: i32 = 32;

/// The header `DPoP` of a POST to `url`, signed with an unencrypted private key of P-256 in PEM.
///
/// # Errors
/// If the key cannot be used.
pub(super) fn proof(pem: &str, url: &str) -> Result<String, String> {
    // Without a callback, OpenSSL asks for the password of an encrypted key on the terminal.
    let key = EcKey::private_key_from_pem_callback(pem.as_bytes(), |_| Ok(0));
    let key = key.map_err(|_| "the dpopKey is no unencrypted private key in PEM".to_owned())?;
    if key.group().curve_name() != Some(Nid::X9_62_PRIME256V1) || key.check_key().is_err() {
        return Err("the dpopKey is no valid key of the curve P-256".to_owned());
    }
    signed(&key, url).map_err(|error| format!("OpenSSL cannot sign with the dpopKey: {error}"))
}

fn signed(key: &EcKey<Private>, url: &str) -> Result<String, ErrorStack> {
    let (mut x, mut y, mut context) = (BigNum::new()?, BigNum::new()?, BigNumContext::new()?);
    key.public_key().affine_coordinates(key.group(), &mut x, &mut y, &mut context)?;
    let [x, y] = [x.to_vec_padded(SCALAR)?, y.to_vec_padded(SCALAR)?].map(|bytes| base64_url(&bytes));
    let mut id = [0; 16];
    openssl::rand::rand_bytes(&mut id)?;
    let issued = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let header = json!({ "typ": "dpop+jwt", "alg": "ES256", "jwk": { "kty": "EC", "crv": "P-256", "x": x, "y": y } });
    let claims = json!({ "jti": hex(&id), "htm": "POST", "htu": url, "iat": issued });
    let part = |value: &Value| base64_url(value.to_string().as_bytes());
    let message = format!("{}.{}", part(&header), part(&claims));
    let signature = EcdsaSig::sign(&openssl::sha::sha256(message.as_bytes()), key)?;
    let halves = [signature.r().to_vec_padded(SCALAR)?, signature.s().to_vec_padded(SCALAR)?].concat();
    Ok(format!("{message}.{}", base64_url(&halves)))
}

/// Base64 with the alphabet of URLs, without padding.
fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).trim_end_matches('=').replace('+', "-").replace('/', "_")
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::ec::EcGroup;
    use openssl::symm::Cipher;

    fn key(curve: Nid) -> EcKey<Private> {
        EcKey::generate(&EcGroup::from_curve_name(curve).unwrap()).unwrap()
    }

    fn pem(key: &EcKey<Private>) -> String {
        String::from_utf8(key.private_key_to_pem().unwrap()).unwrap()
    }

    fn decoded(text: &str) -> Vec<u8> {
        let padded = format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4));
        openssl::base64::decode_block(&padded.replace('-', "+").replace('_', "/")).unwrap()
    }

    #[test]
    fn proofs_are_signed_tokens() {
        let key = key(Nid::X9_62_PRIME256V1);
        let [one, other] = [0; 2].map(|_| proof(&pem(&key), "https://h/v1/token").unwrap());
        assert_ne!(one, other);
        let parts: Vec<&str> = one.split('.').collect();
        let [header, claims] = [0, 1].map(|at| serde_json::from_slice::<Value>(&decoded(parts[at])).unwrap());
        assert_eq!((&header["typ"], &header["alg"]), (&json!("dpop+jwt"), &json!("ES256")));
        assert_eq!((&claims["htm"], &claims["htu"]), (&json!("POST"), &json!("https://h/v1/token")));
        let coordinate = |name: &str| BigNum::from_slice(&decoded(header["jwk"][name].as_str().unwrap())).unwrap();
        let public =
            EcKey::from_public_key_affine_coordinates(key.group(), &coordinate("x"), &coordinate("y")).unwrap();
        let halves = decoded(parts[2]);
        let [r, s] = [&halves[..32], &halves[32..]].map(|half| BigNum::from_slice(half).unwrap());
        let signature = EcdsaSig::from_private_components(r, s).unwrap();
        let digest = openssl::sha::sha256(format!("{}.{}", parts[0], parts[1]).as_bytes());
        assert!(signature.verify(&digest, &public).unwrap());
    }

    #[test]
    fn other_keys_are_rejected() {
        let rsa = openssl::rsa::Rsa::generate(1024).unwrap().private_key_to_pem().unwrap();
        let own = key(Nid::X9_62_PRIME256V1);
        let encrypted = own.private_key_to_pem_passphrase(Cipher::aes_128_cbc(), b"secret").unwrap();
        let public = own.public_key_to_pem().unwrap();
        for pem in [Vec::new(), b"text".to_vec(), b"\0".repeat(5000), rsa, encrypted, public] {
            let why = proof(&String::from_utf8(pem).unwrap(), "https://h").unwrap_err();
            assert_eq!(why, "the dpopKey is no unencrypted private key in PEM");
        }
        let why = proof(&pem(&key(Nid::SECP384R1)), "https://h").unwrap_err();
        assert_eq!(why, "the dpopKey is no valid key of the curve P-256");
    }
}
