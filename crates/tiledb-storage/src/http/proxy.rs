//! Proxy selection for requests.

use ureq::Proxy;

use tiledb_core::error::{Error, Result, bail};

/// The proxies for the URLs of a client.
#[derive(Clone, Debug, Default)]
pub struct Proxies {
    /// `scheme://user:password@host:port`, for addresses of HTTP and of HTTPS.
    http: Option<String>,
    https: Option<String>,
    /// Hosts, including their subdomains, that are reached without a proxy; `*` means all.
    without: Vec<String>,
}

impl Proxies {
    /// One for all addresses, if there is one.
    pub fn always(proxy: Option<String>) -> Proxies {
        Proxies { http: proxy.clone(), https: proxy, without: Vec::new() }
    }

    /// Proxies from the environment variables that libcurl follows: `http_proxy`, `https_proxy`, `all_proxy`,
    /// `no_proxy`. All but the first may also be in upper case: web servers pass programs a variable `HTTP_PROXY` whose
    /// value clients choose.
    pub fn of_environment() -> Proxies {
        Proxies::from_variables(|name| std::env::var(name).ok())
    }

    /// The same for all hosts but this machine, to which no proxy leads.
    pub fn except_loopback(mut self) -> Proxies {
        self.without.extend(["localhost", "127.0.0.1", "::1"].map(str::to_owned));
        self
    }

    fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Proxies {
        let first = |names: &[&str]| names.iter().find_map(|name| variable(name)).filter(|value| !value.is_empty());
        let all = || first(&["all_proxy", "ALL_PROXY"]);
        let without = first(&["no_proxy", "NO_PROXY"]).unwrap_or_default().to_ascii_lowercase();
        Proxies {
            http: first(&["http_proxy"]).or_else(all),
            https: first(&["https_proxy", "HTTPS_PROXY"]).or_else(all),
            without: without.split([',', ' ']).map(bare).filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        }
    }

    /// The proxy for an address; none if it is reached directly.
    ///
    /// # Errors
    /// For proxies that are not spoken to.
    pub fn of(&self, url: &str) -> Result<Option<Proxy>> {
        let Some(proxy) = self.named(url) else { return Ok(None) };
        let unusable = |error| Error::invalid(format!("The proxy cannot be used: {error}"));
        let proxy = Proxy::new(proxy).map_err(unusable)?;
        match proxy.protocol() {
            ureq::ProxyProtocol::Http | ureq::ProxyProtocol::Https => Ok(Some(proxy)),
            other => bail!("The proxy cannot be used: {other} is not spoken, HTTP and HTTPS are"),
        }
    }

    fn named(&self, url: &str) -> Option<&str> {
        let (scheme, rest) = url.split_once("://")?;
        let proxy = if scheme.eq_ignore_ascii_case("https") { &self.https } else { &self.http };
        let proxy = proxy.as_deref()?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = host_of(authority).to_ascii_lowercase();
        let is_without = |name: &String| {
            name == "*" || host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
        };
        (!self.without.iter().any(is_without)).then_some(proxy)
    }
}

/// A name of a list without the dot or the brackets around it.
fn bare(name: &str) -> &str {
    name.trim_start_matches('.').trim_start_matches('[').trim_end_matches(']')
}

/// The host of an authority.
fn host_of(authority: &str) -> &str {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match host.strip_prefix('[') {
        Some(address) => address.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)], url: &str) -> Option<String> {
        let variable =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| (*value).to_owned());
        Proxies::from_variables(variable).named(url).map(str::to_owned)
    }

    #[test]
    fn the_environment_names_proxies_by_scheme() {
        let set = [("http_proxy", "http://p:1"), ("HTTPS_PROXY", "http://p:2"), ("all_proxy", "http://p:3")];
        assert_eq!(of(&set, "http://h:8/a").as_deref(), Some("http://p:1"));
        assert_eq!(of(&set, "https://h/a").as_deref(), Some("http://p:2"));
        assert_eq!(of(&set[2..], "https://h/a").as_deref(), Some("http://p:3"));
        assert_eq!(of(&[("HTTP_PROXY", "http://p:1")], "http://h"), None);
        assert_eq!(of(&[("http_proxy", "")], "http://h"), None);
        assert_eq!(Proxies::always(Some("p".to_owned())).named("https://h"), Some("p"));
    }

    #[test]
    fn hosts_may_be_reached_without_one() {
        let without = |list, url| of(&[("all_proxy", "http://p"), ("no_proxy", list)], url).is_none();
        for (list, url) in [
            ("*", "http://h"),
            ("x, H.example", "http://h.EXAMPLE:8/a"),
            (".example", "https://a.h.example"),
            ("example", "http://u:p@example"),
            ("127.0.0.1", "http://127.0.0.1:9/a"),
            ("[::1]", "http://[::1]:9/a"),
        ] {
            assert!(without(list, url), "{list} {url}");
        }
        for (list, url) in [("", "http://h"), ("ample", "http://example"), ("h.example", "http://example")] {
            assert!(!without(list, url), "{list} {url}");
        }
    }

    #[test]
    fn this_machine_is_reached_directly() {
        let proxies = Proxies::always(Some("http://p:1".to_owned())).except_loopback();
        for url in ["http://127.0.0.1:8/a", "http://localhost/a", "http://[::1]:8/a"] {
            assert_eq!(proxies.named(url), None, "{url}");
        }
        assert_eq!(proxies.named("http://h/a"), Some("http://p:1"));
    }

    #[test]
    fn proxies_of_other_protocols_are_refused() {
        let proxies = |proxy: &str| Proxies::always(Some(proxy.to_owned())).of("http://h").map(|proxy| proxy.is_some());
        assert!(proxies("127.0.0.1:3128").unwrap());
        assert!(proxies("socks5://h:1").unwrap_err().text().contains("is not spoken"));
        assert!(proxies("nothing://h:1").is_err());
    }
}
