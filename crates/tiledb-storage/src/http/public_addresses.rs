//! Addresses of the public Internet, and a resolver that returns no others.
//!
//! A server of the public Internet that redirects to a private address makes the client reach services that trust their
//! network: metadata services of clouds, routers, databases (server-side request forgery).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

/// Whether an address is reached over the public Internet (the special-purpose registries of IANA, RFC 6890).
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224.., ..)
            | (100, 64..128, _)
            | (169, 254, _)
            | (172, 16..32, _)
            | (192, 0, 0 | 2)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    let [.., high, low] = segments;
    let embedded = || {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        Ipv4Addr::new(a, b, c, d)
    };
    match segments {
        // IPv4-mapped addresses, those of translation (NAT64) and the loopback address among the IPv4-compatible ones.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => is_public_v4(embedded()),
        // 6to4 embeds an IPv4 address after its prefix.
        [0x2002, a, b, ..] => {
            let ([a, b], [c, d]) = (a.to_be_bytes(), b.to_be_bytes());
            is_public_v4(Ipv4Addr::new(a, b, c, d))
        }
        // Global unicast without documentation and Teredo; all else is local, multicast or reserved.
        [0x2001, 0 | 0xdb8, ..] => false,
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

/// A resolver that fails for a host that has any address outside of the public Internet.
#[derive(Debug, Default)]
pub(super) struct PublicResolver(DefaultResolver);

impl Resolver for PublicResolver {
    fn resolve(&self, uri: &Uri, config: &Config, timeout: NextTimeout) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let addresses = self.0.resolve(uri, config, timeout)?;
        if addresses.iter().all(|address| is_public(address.ip())) {
            return Ok(addresses);
        }
        let text = "a host of a private network, to which no public server may redirect";
        Err(ureq::Error::BadUri(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::{Client, Method, Network, Request};

    #[test]
    fn clients_of_public_servers_connect_to_no_private_address() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let public = Client::new(Network { public_only: true, ..Network::default() });
        for host in ["127.0.0.1", "localhost"] {
            let request = Request::new(Method::Get, format!("http://{host}:{port}/"), Vec::new(), &[]);
            let failure = public.send_pieces(&request, &[]).err().unwrap();
            assert!(failure.error.text().contains("private network"), "{}", failure.error);
            assert!(failure.is_permanent && !failure.was_sent);
        }
        listener.set_nonblocking(true).unwrap();
        assert!(listener.accept().is_err(), "nothing has connected");
    }

    #[test]
    fn addresses_of_private_networks_are_not_public() {
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "64:ff9b::7f00:1",
            "2002:7f00:1::1",
            "fe80::1",
            "fc00::1",
            "fd12:3456::1",
            "ff02::1",
            "2001:db8::1",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
        for address in ["1.1.1.1", "172.32.0.1", "100.128.0.1", "::ffff:1.1.1.1", "64:ff9b::101:101", "2606:4700::1111"]
        {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
    }
}
