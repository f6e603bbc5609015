//! Addresses of http hooks: what is one, and which a list of allowed ones admits.

/// An address of http or https, in parts.
struct Address<'u> {
    scheme: &'u str,
    /// The host and its port, without a user's name before it.
    host: &'u str,
    /// From the path on.
    rest: &'u str,
}

impl<'u> Address<'u> {
    /// As JavaScript's `URL` takes it apart: any number of slashes of either kind stands before the
    /// host, and the last `@` ends the user's name.
    fn of(url: &'u str) -> Option<Self> {
        let (scheme, rest) = url.split_once(':')?;
        if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
            return None;
        }
        let rest = rest.trim_start_matches(['/', '\\']);
        let (authority, rest) = rest.split_at(rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()));
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        Some(Address { scheme, host, rest })
    }

    fn has_valid_host(&self) -> bool {
        let literal = self.host.strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let (name, port, good) = match literal {
            Some((literal, port)) => {
                let digits = |c: char| c.is_ascii_hexdigit() || c == ':' || c == '.';
                (literal, port.strip_prefix(':').unwrap_or(port), digits as fn(char) -> bool)
            }
            None => {
                let (name, port) = self.host.split_once(':').unwrap_or((self.host, ""));
                let letters = |c: char| !c.is_whitespace() && !c.is_control() && !"<>[]^|%:\"`{}".contains(c);
                (name, port, letters as fn(char) -> bool)
            }
        };
        let numbered = port.is_empty() || port.bytes().all(|b| b.is_ascii_digit()) && port.parse::<u16>().is_ok();
        !name.is_empty() && name.chars().all(good) && numbered
    }

    /// A path that leads elsewhere than it says: `/hooks/../other`.
    fn wanders(&self) -> bool {
        let path = self.rest.split(['?', '#']).next().unwrap_or_default();
        path.split(['/', '\\']).any(|step| {
            let step = step.replace("%2e", ".").replace("%2E", ".");
            step == "." || step == ".."
        })
    }
}

/// Whether a hook can be sent there. CLA-CFG-13
pub(crate) fn is_valid(url: &str) -> bool {
    let address = Address::of(url).filter(|_| !url.chars().any(char::is_control));
    address.is_some_and(|address| address.has_valid_host())
}

/// Whether an entry of a list of allowed addresses admits this one. `*` stands for any text, but no
/// `*` of a host reaches beyond the host; hosts are compared without regard to case. CLA-RUN-13
pub(crate) fn admits(allowed: &str, url: &str) -> bool {
    let Some(address) = Address::of(url).filter(|address| !address.wanders()) else { return false };
    let (scheme, rest) = match allowed.split_once("://") {
        Some((scheme, rest)) => (scheme, rest),
        None if allowed.starts_with('*') => ("*", allowed),
        None => return false,
    };
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let path = match path {
        "" if host.ends_with('*') => "*",
        "" => "/",
        path => path,
    };
    let own_path = if address.rest.is_empty() { "/" } else { address.rest };
    fits(&scheme.to_ascii_lowercase(), &address.scheme.to_ascii_lowercase())
        && fits(&host.to_lowercase(), &address.host.to_lowercase())
        && fits(path, own_path)
}

/// Whether the text is the pattern, in which `*` stands for any text.
fn fits(pattern: &str, text: &str) -> bool {
    let Some((start, pattern)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(start) else { return false };
    let (middle, end) = pattern.rsplit_once('*').unwrap_or(("", pattern));
    for part in middle.split('*') {
        let Some(at) = text.find(part) else { return false };
        text = &text[at + part.len()..];
    }
    text.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// CLA-CFG-13: what JavaScript takes as the address of a request.
    #[test]
    fn addresses() {
        for url in [
            "https://example.com",
            "https://example.com/hooks?x=1#y",
            "HTTP://localhost:8080/hook",
            "http://127.0.0.1:9",
            "http://[::1]:3000/",
            "https://user:word@example.com/",
            "https:example.com",
            "https://bücher.example/",
        ] {
            assert!(is_valid(url), "{url}");
        }
        for url in [
            "",
            "not a url",
            "example.com/hooks",
            "localhost:8080/hook",
            "ftp://example.com/",
            "https://",
            "https:///?x",
            "http://exa mple.com/",
            "http://example.com:port/",
            "http://example.com:70000/",
            "http://[::1/",
            "https://$HOST:$PORT/",
            "https://user@/",
            "http://example.com/\n",
        ] {
            assert!(!is_valid(url), "{url}");
        }
    }

    /// CLA-RUN-13
    #[test]
    fn a_list_admits_what_it_names_and_nothing_else() {
        for (allowed, url, admitted) in [
            ("https://hooks.example.com/*", "https://hooks.example.com/a/b?c", true),
            ("https://hooks.example.com/*", "https://HOOKS.example.com/a", true),
            ("https://hooks.example.com/a", "https://hooks.example.com/A", false),
            ("https://hooks.example.com/a", "https://hooks.example.com/a/b", false),
            ("https://hooks.example.com/*", "http://hooks.example.com/a", false),
            ("https://hooks.example.com", "https://hooks.example.com/", true),
            ("https://hooks.example.com/", "https://hooks.example.com", true),
            ("https://hooks.example.com*", "https://hooks.example.com/a", true),
            ("http://localhost:*", "http://localhost:8080/hook", true),
            ("http://localhost:*/hook", "http://localhost:8080/hook", true),
            ("https://*.example.com/*", "https://a.example.com/x", true),
            ("https://*.example.com/*", "https://evil.net/x.example.com/", false),
            ("https://*.example.com/*", "https://evil.net?x.example.com/", false),
            ("https://*.example.com/*", "https://evil.net\\x.example.com/", false),
            ("https://hooks.example.com*", "https://hooks.example.com@evil.net/", false),
            ("https://hooks.example.com/in/*", "https://hooks.example.com/in/../out", false),
            ("https://hooks.example.com/in/*", "https://hooks.example.com/in/%2E%2e/out", false),
            ("*", "https://anywhere.net/", true),
            ("*.example.com/*", "https://a.example.com/x", true),
            ("hooks.example.com/*", "https://hooks.example.com/a", false),
            ("", "https://example.com/", false),
            ("https://a*b*c/", "https://axbxc/", true),
            ("https://a*b*c/", "https://abc/", true),
            ("https://a*b*c/", "https://acb/", false),
            ("https://aba*aba/", "https://aba/", false),
        ] {
            assert_eq!(admits(allowed, url), admitted, "{allowed} for {url}");
        }
    }
}
