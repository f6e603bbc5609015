//! Servers that prove who they are, and those that do not. What this machine trusts is found out
//! once in a program, so that each case is a program of its own: this one, started again.

use std::{
    env, fs,
    io::Write,
    process::{Command, Output},
    sync::Arc,
};

use harness_hooks_core::{Exit, Http};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer},
};

use crate::{
    asked,
    server::{Request, Server, answer},
};

/// An authority of these tests' own, and a server it vouches for, as `localhost`.
struct Vouched {
    authority: String,
    address: std::net::SocketAddr,
}

fn vouched() -> Vouched {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["localhost".into()]).unwrap().signed_by(&key, &authority).unwrap();
    let (chain, key) = (vec![certificate.der().clone()], key.serialize_der());
    Vouched { authority: pem(authority.der()), address: serve(chain, key) }
}

fn serve(chain: Vec<CertificateDer<'static>>, key: Vec<u8>) -> std::net::SocketAddr {
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let config = config.with_safe_default_protocol_versions().unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(chain, PrivateKeyDer::try_from(key).unwrap()).unwrap());
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = ServerConnection::new(config.clone()).unwrap();
            let mut stream = StreamOwned::new(connection, stream.unwrap());
            if Request::read(&mut stream).is_some() {
                let _ = stream.write_all(answer("200 OK", "{\"who\":\"me\"}").as_bytes());
                stream.conn.send_close_notify();
                let _ = stream.flush();
            }
        }
    });
    address
}

fn pem(der: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let encoded: String = der
        .chunks(3)
        .flat_map(|chunk| {
            let bits = chunk.iter().fold(0, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            let digit = move |n: usize| DIGITS[(bits >> (18 - 6 * n)) as usize & 63] as char;
            let length = chunk.len();
            (0..4).map(move |n| if n <= length { digit(n) } else { '=' })
        })
        .collect();
    format!("-----BEGIN CERTIFICATE-----\n{encoded}\n-----END CERTIFICATE-----\n")
}

/// Asks in a program of its own, with these variables.
fn asked_with(url: &str, variables: &[(&str, &str)]) -> String {
    let mut again = Command::new(env::current_exe().unwrap());
    again.args(["--exact", "tls::asks_what_it_is_told", "--ignored", "--nocapture", "--test-threads=1"]);
    for name in ["SSL_CERT_FILE", "SSL_CERT_DIR", "NO_PROXY", "no_proxy"] {
        again.env_remove(name);
    }
    again.env(URL, url).envs(variables.iter().copied());
    let Output { stdout, stderr, .. } = again.output().unwrap();
    let said = String::from_utf8(stdout).unwrap();
    let line = said.lines().find_map(|line| line.split_once("outcome: ")).unwrap_or_else(|| {
        panic!("{said}{}", String::from_utf8_lossy(&stderr));
    });
    line.1.to_owned()
}

const URL: &str = "HARNESS_HOOKS_URL";

#[tokio::test]
#[ignore = "other tests run it, as a program of its own"]
async fn asks_what_it_is_told() {
    let outcome = asked(Http::new(env::var(URL).unwrap(), "{}")).await;
    println!("\noutcome: {:?} {}", outcome.exit, String::from_utf8_lossy(&outcome.stdout));
}

#[test]
fn who_this_machine_trusts_is_asked() {
    let server = vouched();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("authority.pem");
    fs::write(&file, &server.authority).unwrap();
    let trusting = [("SSL_CERT_FILE", file.to_str().unwrap())];
    let port = server.address.port();
    assert_eq!(asked_with(&format!("https://localhost:{port}/"), &trusting), "Code(0) {\"who\":\"me\"}");

    let other = asked_with(&format!("https://127.0.0.1:{port}/"), &trusting);
    assert!(other.starts_with("Failed(") && other.contains("certificate not valid for name"), "{other}");
}

#[test]
fn who_it_does_not_trust_is_not() {
    let (server, other) = (vouched(), vouched());
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("another.pem");
    fs::write(&file, &other.authority).unwrap();
    let said = asked_with(
        &format!("https://localhost:{}/", server.address.port()),
        &[("SSL_CERT_FILE", file.to_str().unwrap())],
    );
    assert!(said.starts_with("Failed(") && said.contains("invalid peer certificate"), "{said}");
}

#[test]
fn without_any_certificate_plain_requests_are_made_and_others_say_why() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("none.pem");
    fs::write(&file, "").unwrap();
    let nobody = [("SSL_CERT_FILE", file.to_str().unwrap())];
    let server = Server::answering(answer("200 OK", "{}"));
    assert_eq!(asked_with(&server.url(), &nobody), "Code(0) {}");
    let said = asked_with("https://localhost:1/", &nobody);
    assert!(said.starts_with("NotStarted(\"the certificates this machine trusts cannot be read"), "{said}");
}

#[tokio::test]
async fn a_server_that_speaks_plainly_where_it_should_not() {
    let server = Server::answering(answer("200 OK", "{}"));
    let url = server.url().replace("http:", "https:");
    let Exit::Failed(why) = asked(Http::new(url, "{}")).await.exit else { panic!("it answered") };
    assert!(why.starts_with("got no answer from the server at https://127.0.0.1:"), "{why}");
}

/// A proxy is for what is elsewhere.
#[test]
fn no_proxy_is_asked_for_this_machine() {
    let server = Server::answering(answer("200 OK", "{}"));
    let proxy = Server::answering(answer("502 Bad Gateway", ""));
    let through = [("HTTP_PROXY", proxy.origin()), ("http_proxy", proxy.origin()), ("ALL_PROXY", proxy.origin())];
    let through: Vec<_> = through.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(asked_with(&server.url(), &through), "Code(0) {}");
    assert!(proxy.requests().is_empty());
    assert!(asked_with("http://elsewhere.invalid/", &through).contains("502 Bad Gateway"));
}
