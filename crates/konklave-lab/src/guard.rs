//! Who may ask. The server is for the person in front of this machine: a page of another site, in
//! the same browser, must not get anything out of it.

use crate::ask::{Answer, Asked};

/// The largest body of a request.
pub(crate) const BODY: usize = 8 << 20;

/// Decides who may ask.
#[derive(Clone, Debug)]
pub struct Guard {
    /// The port that the server listens on.
    pub port: u16,
    /// Names by which this machine may be called, beside those of the loopback interface.
    pub hosts: Vec<String>,
}

impl Guard {
    /// Refuses a request of a page of another site. The host is what protects from pages whose name
    /// was made to mean this machine; the origin, from all others.
    pub fn refuse(&self, asked: &Asked) -> Option<Answer> {
        if !asked.host.as_deref().is_some_and(|host| self.is_ours(host)) {
            return Some(Answer::refusal(
                403,
                format!("open the lab as http://127.0.0.1:{}, not by another name", self.port),
            ));
        }
        let is_ours =
            |origin: &str| origin.strip_prefix("http://").is_some_and(|host| self.is_ours(host));
        if asked.origin.as_deref().is_some_and(|origin| !is_ours(origin)) {
            return Some(Answer::refusal(403, "only the lab's own page may ask"));
        }
        let site = asked.fetch_site.as_deref();
        if site.is_some_and(|site| !["same-origin", "none"].contains(&site)) {
            return Some(Answer::refusal(403, "only the lab's own page may ask"));
        }
        if asked.body.len() > BODY {
            let most = BODY >> 20;
            return Some(Answer::refusal(
                413,
                format!("this is too much: {most} MiB are the limit"),
            ));
        }
        let is_json = || {
            let kind = asked.content_type.as_deref().unwrap_or_default();
            kind.split(';').next().unwrap_or_default().trim() == "application/json"
        };
        match asked.method.as_str() {
            "GET" | "HEAD" => None,
            "POST" if is_json() => None,
            "POST" => Some(Answer::refusal(415, "a request has JSON in its body")),
            _ => Some(Answer::refusal(405, "the lab is asked by GET and POST")),
        }
    }

    fn is_ours(&self, host: &str) -> bool {
        let Some((name, port)) = host.rsplit_once(':') else { return false };
        let loopback = ["localhost", "127.0.0.1", "[::1]"];
        let is_known = loopback.contains(&name) || self.hosts.iter().any(|host| host == name);
        is_known && port.parse() == Ok(self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(host: &str) -> Asked {
        let host = Some(host.to_owned());
        Asked { method: "GET".to_owned(), path: "/".to_owned(), host, ..Asked::default() }
    }

    fn status(asked: &Asked) -> Option<u16> {
        let guard = Guard { port: 3000, hosts: vec!["lab.example".to_owned()] };
        guard.refuse(asked).map(|answer| answer.status)
    }

    #[test]
    fn only_this_machine_by_a_name_of_its_own_is_answered() {
        for host in ["localhost:3000", "127.0.0.1:3000", "[::1]:3000", "lab.example:3000"] {
            assert_eq!(status(&asked(host)), None, "{host}");
        }
        for host in ["evil.example:3000", "127.0.0.1:3001", "localhost", "", "127.0.0.1.evil:3000"]
        {
            assert_eq!(status(&asked(host)), Some(403), "{host}");
        }
        assert_eq!(status(&Asked { host: None, ..asked("") }), Some(403));
    }

    #[test]
    fn pages_of_other_sites_get_nothing() {
        let from = |origin: &str| Asked { origin: Some(origin.to_owned()), ..asked("[::1]:3000") };
        assert_eq!(status(&from("http://localhost:3000")), None);
        for origin in ["null", "https://localhost:3000", "http://evil.example", "http://localhost"]
        {
            assert_eq!(status(&from(origin)), Some(403), "{origin}");
        }
        let site = |site: &str| Asked { fetch_site: Some(site.to_owned()), ..asked("[::1]:3000") };
        assert_eq!(status(&site("none")), None);
        assert_eq!(status(&site("cross-site")), Some(403));
    }

    #[test]
    fn what_is_too_much_or_not_json_is_refused() {
        let post = |kind: &str, bytes: usize| Asked {
            method: "POST".to_owned(),
            content_type: Some(kind.to_owned()),
            body: vec![b' '; bytes],
            ..asked("localhost:3000")
        };
        assert_eq!(status(&post("application/json; charset=utf-8", BODY)), None);
        assert_eq!(status(&post("application/json", BODY + 1)), Some(413));
        assert_eq!(status(&post("text/plain", 2)), Some(415));
        assert_eq!(
            status(&Asked { method: "PUT".to_owned(), ..asked("localhost:3000") }),
            Some(405)
        );
    }
}
