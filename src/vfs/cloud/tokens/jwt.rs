//! Statements that are signed with a private key (JSON Web Tokens, RS256).

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use serde_json::{Value, json};

use super::super::encode::base64;

/// Base64 with the letters that addresses may hold, without an end.
pub(super) fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned()
}

/// The private key in PEM form.
pub(super) fn private_key(pem: &[u8]) -> Result<PKey<Private>, String> {
    PKey::private_key_from_pem(pem).map_err(|error| format!("the private key cannot be read: {error}"))
}

/// A signed statement. `header` are members of its first part beside the usual ones.
pub(super) fn signed(mut header: Value, claims: &Value, key: &PKey<Private>) -> Result<String, String> {
    header["alg"] = json!("RS256");
    header["typ"] = json!("JWT");
    let part = |value: &Value| base64_url(value.to_string().as_bytes());
    let text = format!("{}.{}", part(&header), part(claims));
    let sign = || {
        let mut signer = Signer::new(MessageDigest::sha256(), key)?;
        signer.update(text.as_bytes())?;
        signer.sign_to_vec()
    };
    let signature = sign().map_err(|error| format!("OpenSSL cannot sign: {error}"))?;
    Ok(format!("{text}.{}", base64_url(&signature)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_can_be_verified() {
        let key = PKey::from_rsa(openssl::rsa::Rsa::generate(2048).unwrap()).unwrap();
        let pem = key.private_key_to_pem_pkcs8().unwrap();
        let token = signed(json!({"kid": "k"}), &json!({"iss": "a"}), &private_key(&pem).unwrap()).unwrap();
        let (text, signature) = token.rsplit_once('.').unwrap();
        assert_eq!(text.split('.').next_back().unwrap(), "eyJpc3MiOiJhIn0");
        let mut signature = signature.replace('-', "+").replace('_', "/");
        signature.extend(std::iter::repeat_n('=', (4 - signature.len() % 4) % 4));
        let signature = openssl::base64::decode_block(&signature).unwrap();
        let mut verifier = openssl::sign::Verifier::new(MessageDigest::sha256(), &key).unwrap();
        verifier.update(text.as_bytes()).unwrap();
        assert!(verifier.verify(&signature).unwrap());
        assert!(private_key(b"no key").is_err());
    }
}
