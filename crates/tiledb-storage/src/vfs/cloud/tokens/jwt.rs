//! JSON Web Tokens (JWT), signed with a private key (RS256).

use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::sign::Signer;
use serde_json::{Value, json};

use crate::http::encode::base64;

/// Base64 with the letters that addresses may hold, without an end.
pub(super) fn base64_url(bytes: &[u8]) -> String {
    base64(bytes).replace('+', "-").replace('/', "_").trim_end_matches('=').to_owned()
}

/// The private key in PEM form.
pub(super) fn private_key(pem: &[u8]) -> Result<PKey<Private>, String> {
    PKey::private_key_from_pem(pem).map_err(|error| format!("the private key cannot be read: {error}"))
}

/// A signed token. `header` contains header members in addition to the usual ones.
pub(super) fn signed(mut header: Value, claims: &Value, key: &PKey<Private>) -> Result<String, String> {
    header["alg"] = json!("RS256");
    header["typ"] = json!("JWT");
    joined(header.to_string().as_bytes(), claims.to_string().as_bytes(), key)
}

/// The parts of a statement with their signature.
fn joined(header: &[u8], claims: &[u8], key: &PKey<Private>) -> Result<String, String> {
    let text = format!("{}.{}", base64_url(header), base64_url(claims));
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
    use openssl::bn::BigNum;
    use openssl::rsa::RsaPrivateKeyBuilder;

    use super::*;

    fn number(text: &str) -> BigNum {
        let text = text.replace('-', "+").replace('_', "/");
        let padding = "=".repeat((4 - text.len() % 4) % 4);
        BigNum::from_slice(&openssl::base64::decode_block(&(text + &padding)).unwrap()).unwrap()
    }

    /// The example of RFC 7515, appendix A.2.
    #[test]
    fn published_example() {
        let modulus = "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2\
                       lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTB\
                       EMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kz\
                       k2PAcDTW9gb54h4FRWyuXpoQ";
        let exponent = "Eq5xpGnNCivDflJsRQBXHx1hdR1k6Ulwe2JZD50LpXyWPEAeP88vLNO97IjlA7_GQ5sLKMgvfTeXZx9SE-7YwVol2NXOoAJe46sui395\
                        IW_GO-pWJ1O0BkTGoVEn2bKVRUCgu-GjBVaYLU6f3l9kJfFNS3E0QbVdxzubSu3Mkqzjkn439X0M_V51gfpRLI9JYanrC4D4qAdGcopV\
                        _0ZHHzQlBjudU2QvXt4ehNYTCBr6XCLQUShb1juUO1ZdiYoFaFQT5Tw8bGUl_x_jTj3ccPDVZFD9pIuhLhBOneufuBiB4cS98l2SR_RQ\
                        yGWSeWjnczT0QU91p1DhOVRuOopznQ";
        let key = RsaPrivateKeyBuilder::new(number(modulus), number("AQAB"), number(exponent)).unwrap().build();
        let key = PKey::from_rsa(key).unwrap();
        let claims = b"{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n \"http://example.com/is_root\":true}";
        let token = joined(b"{\"alg\":\"RS256\"}", claims, &key).unwrap();
        assert_eq!(
            token,
            "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVl\
             fQ.cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr\
             7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_dO--xi12\
             jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQ\
             Ge77Rw"
        );
    }

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
