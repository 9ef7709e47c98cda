//! Who may connect: the host names, origins and token that a request must show.
//!
//! Three layers, none enough alone. A name that was made to lead here (DNS rebinding) shows in
//! `Host`, a foreign page in `Origin`, and another user of this machine lacks the token.

use crate::token::Token;
use std::net::SocketAddr;

/// What a request is compared with. Everything is compared exactly.
#[derive(Clone, Debug)]
pub struct Access {
    hosts: Vec<String>,
    origins: Vec<String>,
    token: Token,
}

impl Access {
    /// Makes the rules of a gateway that listens at `address`, with TLS or without.
    ///
    /// On loopback the hosts are `127.0.0.1`, `localhost` and `[::1]` with the port; elsewhere the
    /// address, unless it stands for all addresses. `names` are more hosts, with the gateway's port
    /// where they have none. The origins are those of the hosts, and `origins`.
    pub fn new(
        address: SocketAddr,
        tls: bool,
        names: &[String],
        origins: &[String],
        token: Token,
    ) -> Self {
        let port = address.port();
        let mut bare: Vec<String> = if address.ip().is_loopback() {
            ["127.0.0.1", "localhost", "[::1]"]
                .map(str::to_owned)
                .into()
        } else if address.ip().is_unspecified() {
            Vec::new()
        } else {
            let text = address.to_string();
            vec![text[..text.rfind(':').unwrap_or(text.len())].to_owned()]
        };
        let has_port = |name: &str| name.rsplit(':').next().is_some_and(is_port) && !ends_v6(name);
        let (whole, more): (Vec<String>, Vec<String>) =
            names.iter().cloned().partition(|name| has_port(name));
        bare.extend(more);
        let (scheme, default_port) = if tls { ("https", 443) } else { ("http", 80) };
        let mut hosts: Vec<String> = bare.iter().map(|name| format!("{name}:{port}")).collect();
        if port == default_port {
            hosts.extend(bare);
        }
        hosts.extend(whole);
        let mut all: Vec<String> = hosts
            .iter()
            .map(|host| format!("{scheme}://{host}"))
            .collect();
        all.extend(origins.iter().cloned());
        Self {
            hosts,
            origins: all,
            token,
        }
    }

    /// Returns whether a request may name this host.
    pub fn allows_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known == host)
    }

    /// Returns whether a page of this origin may connect. `null` is the origin of no page.
    pub fn allows_origin(&self, origin: &str) -> bool {
        origin != "null" && self.origins.iter().any(|known| known == origin)
    }

    /// Returns whether this is the token; in constant time.
    pub fn allows_token(&self, token: &str) -> bool {
        self.token.is(token)
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a name is a bare IPv6 address, which ends with `]`.
fn ends_v6(name: &str) -> bool {
    name.ends_with(']')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(address: &str, tls: bool, names: &[&str], origins: &[&str]) -> Access {
        let owned = |list: &[&str]| {
            list.iter()
                .map(|text| (*text).to_owned())
                .collect::<Vec<_>>()
        };
        let token = Token::random().unwrap();
        Access::new(
            address.parse().unwrap(),
            tls,
            &owned(names),
            &owned(origins),
            token,
        )
    }

    #[test]
    fn loopback_has_three_names_and_no_other() {
        let access = access("127.0.0.1:8127", false, &[], &[]);
        for host in ["127.0.0.1:8127", "localhost:8127", "[::1]:8127"] {
            assert!(access.allows_host(host), "{host}");
            assert!(access.allows_origin(&format!("http://{host}")), "{host}");
            assert!(!access.allows_origin(&format!("https://{host}")), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:81270",
            "127.0.0.2:8127",
            "LOCALHOST:8127",
            "localhost.:8127",
            "evil.example:8127",
            "localhost:8127.evil.example",
            "user@localhost:8127",
            "",
        ] {
            assert!(!access.allows_host(host), "{host}");
            assert!(!access.allows_origin(&format!("http://{host}")), "{host}");
        }
        for origin in [
            "null",
            "",
            "file://",
            "http://localhost:8127/",
            "http://evil.example",
        ] {
            assert!(!access.allows_origin(origin), "{origin}");
        }
    }

    #[test]
    fn elsewhere_the_names_are_given() {
        let all = access(
            "0.0.0.0:443",
            true,
            &["arm.example", "other:9"],
            &["https://app.example"],
        );
        for host in ["arm.example:443", "arm.example", "other:9"] {
            assert!(all.allows_host(host), "{host}");
            assert!(all.allows_origin(&format!("https://{host}")), "{host}");
        }
        assert!(all.allows_origin("https://app.example"));
        for host in ["0.0.0.0:443", "app.example", "localhost:443"] {
            assert!(!all.allows_host(host), "{host}");
        }
        let one = access("[2001:db8::1]:8127", true, &[], &[]);
        assert!(one.allows_host("[2001:db8::1]:8127"));
        let one = access("192.0.2.1:8127", true, &["[2001:db8::2]"], &[]);
        assert!(one.allows_host("192.0.2.1:8127") && one.allows_host("[2001:db8::2]:8127"));
    }
}
