//! Hooks that are requests: one POST, one answer. Where it may go and what stands in its headers
//! the adapter has settled; how long it may take is `run`'s.

use std::{
    error::Error,
    net::IpAddr,
    sync::{Arc, OnceLock},
};

use harness_hooks_core::{Exit, Http, Outcome};
use reqwest::{
    Client, Response, Url,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
    redirect::Policy,
};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio::task::yield_now;

use crate::Limits;

/// What requests share: which certificates this machine trusts, found out once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Web(Arc<OnceLock<Result<ClientConfig, String>>>);

/// Sends a request. An answer of 2xx is an outcome like that of a process that ended well, its
/// body the standard output; the body of any other is told like standard error.
pub(crate) async fn send(request: &Http, limits: &Limits, web: &Web) -> Outcome {
    let (url, headers) = match (address(&request.url), headers(request)) {
        (Ok(url), Ok(headers)) => (url, headers),
        (Err(why), _) | (_, Err(why)) => return Outcome::new(Exit::NotStarted(why)),
    };
    let client = match web.client(&url) {
        Ok(client) => client,
        Err(why) => return Outcome::new(Exit::NotStarted(why)),
    };
    let server = url.origin().ascii_serialization();
    match client.post(url).headers(headers).body(request.body.clone()).send().await {
        Ok(response) => answer(response, limits).await,
        Err(error) => {
            Outcome::new(Exit::Failed(format!("got no answer from the server at {server}: {}", cause(&error))))
        }
    }
}

async fn answer(mut response: Response, limits: &Limits) -> Outcome {
    let status = response.status();
    let well = status.is_success();
    let cap = if well { limits.stdout_bytes } else { limits.stderr_bytes };
    let mut body = Vec::new();
    let (mut cut, mut broke_off) = (false, None);
    while !cut {
        match response.chunk().await {
            Ok(None) => break,
            Ok(Some(chunk)) => {
                let room = cap - body.len();
                body.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                cut = chunk.len() > room; // the rest is not read: the connection ends with the response
            }
            Err(error) => {
                broke_off = Some(cause(&error));
                break;
            }
        }
        yield_now().await; // one that floods shares its task with the others of its stage
    }
    let also = if status.is_redirection() { ", a redirect, and none is followed" } else { "" };
    let why = match broke_off {
        _ if !well => format!("was answered with status {status}{also}"),
        Some(cause) => format!("was answered with status {status}, and the answer broke off: {cause}"),
        None => return Outcome::new(Exit::Code(0)).stdout(body).truncated(cut),
    };
    Outcome::new(Exit::Failed(why)).stderr(body)
}

/// What is wrong with an address is told without the address, which may hold a password.
fn address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).map_err(|error| format!("its address is none that can be asked: {error}"))?;
    match url.scheme() {
        "http" | "https" => Ok(url),
        other => Err(format!("its address begins with `{other}:`, not with `http:` or `https:`")),
    }
}

/// Values may be secrets and are never told.
fn headers(request: &Http) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::from_iter([(CONTENT_TYPE, HeaderValue::from_static("application/json"))]);
    for (name, value) in &request.headers {
        let shown = name.escape_debug();
        let key = HeaderName::try_from(name).map_err(|_| format!("`{shown}` cannot be the name of a header"))?;
        let value = HeaderValue::try_from(value)
            .map_err(|_| format!("the value of the header `{shown}` holds a character no header may hold"))?;
        headers.insert(key, value);
    }
    Ok(headers)
}

impl Web {
    /// A client for one request. It keeps no connection, so that nothing of one runtime is left
    /// when another asks.
    fn client(&self, url: &Url) -> Result<Client, String> {
        let mut builder = Client::builder().redirect(Policy::none()).pool_max_idle_per_host(0);
        builder = builder.tls_backend_preconfigured(self.tls(url)?);
        if is_loopback(url) {
            builder = builder.no_proxy(); // no proxy leads back to this machine
        }
        builder.build().map_err(|error| format!("requests cannot be made here: {}", cause(&error)))
    }

    fn tls(&self, url: &Url) -> Result<ClientConfig, String> {
        match self.0.get_or_init(trusting_this_machine) {
            Ok(config) => Ok(config.clone()),
            // where no certificate is looked at, none need be known
            Err(_) if url.scheme() == "http" => trusting_nobody(),
            Err(why) => Err(why.clone()),
        }
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.ends_with(".localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

fn trusting_this_machine() -> Result<ClientConfig, String> {
    let why = |error: rustls::Error| format!("the certificates this machine trusts cannot be read: {error}");
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(why)?;
    Ok(builder.with_platform_verifier().map_err(why)?.with_no_client_auth())
}

fn trusting_nobody() -> Result<ClientConfig, String> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let builder = builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(RootCertStore::empty()).with_no_client_auth())
}

/// The error below all others: those above it only say that there was one.
fn cause(error: &dyn Error) -> String {
    let mut cause = error;
    while let Some(below) = cause.source() {
        cause = below;
    }
    cause.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback() {
        for (url, loopback) in [
            ("http://localhost:1/a", true),
            ("http://127.0.0.1/", true),
            ("http://127.9.9.9/", true),
            ("http://[::1]:8080/", true),
            ("http://hooks.localhost/", true),
            ("http://localhost.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(url).unwrap()), loopback, "{url}");
        }
    }

    #[test]
    fn where_no_certificate_is_known_plain_requests_are_still_made() {
        let web = Web::default();
        web.0.set(Err("there are none".into())).unwrap();
        assert!(web.client(&Url::parse("http://localhost/").unwrap()).is_ok());
        assert_eq!(web.client(&Url::parse("https://localhost/").unwrap()).unwrap_err(), "there are none");
    }
}
