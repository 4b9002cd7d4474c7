//! A self-signed certificate.

use openssl::asn1::Asn1Time;
use openssl::bn::BigNum;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::x509::extension::{BasicConstraints, SubjectAlternativeName};
use openssl::x509::{X509, X509NameBuilder};

/// A certificate that signed itself, of a server at 127.0.0.1, and its key.
pub struct Certificate {
    pub key: PKey<Private>,
    pub certificate: X509,
}

impl Certificate {
    pub fn new(name: &str) -> Certificate {
        let key = PKey::from_rsa(Rsa::generate(2048).unwrap()).unwrap();
        let mut subject = X509NameBuilder::new().unwrap();
        subject.append_entry_by_text("CN", name).unwrap();
        let subject = subject.build();
        let mut builder = X509::builder().unwrap();
        builder.set_version(2).unwrap();
        builder.set_serial_number(&BigNum::from_u32(1).unwrap().to_asn1_integer().unwrap()).unwrap();
        builder.set_subject_name(&subject).unwrap();
        builder.set_issuer_name(&subject).unwrap();
        builder.set_not_before(&Asn1Time::days_from_now(0).unwrap()).unwrap();
        builder.set_not_after(&Asn1Time::days_from_now(10).unwrap()).unwrap();
        builder.set_pubkey(&key).unwrap();
        builder.append_extension(BasicConstraints::new().critical().ca().build().unwrap()).unwrap();
        let names = SubjectAlternativeName::new().ip("127.0.0.1").build(&builder.x509v3_context(None, None));
        builder.append_extension(names.unwrap()).unwrap();
        builder.sign(&key, MessageDigest::sha256()).unwrap();
        Certificate { key, certificate: builder.build() }
    }

    /// In PEM form.
    pub fn pem(&self) -> Vec<u8> {
        self.certificate.to_pem().unwrap()
    }
}
