//! What comes back, and what only looks as if it did.

use std::io::Write;

use harness_hooks_core::{Exit, Http};
use harness_hooks_runner::{Cancel, Limits, run};

use crate::{
    asked,
    common::{EVER, text},
    hook,
    server::{Server, answer},
};

#[tokio::test]
async fn an_answer_of_2xx_is_standard_output() {
    let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n";
    for (bytes, body) in [
        (answer("200 OK", "{\"decision\":\"block\"}"), "{\"decision\":\"block\"}"),
        (answer("201 Created", "x"), "x"),
        ("HTTP/1.1 204 No Content\r\n\r\n".to_owned(), ""),
        ("HTTP/1.1 200 OK\r\n\r\nto the end of the connection".to_owned(), "to the end of the connection"),
        ("HTTP/1.1 100 Continue\r\n\r\n".to_owned() + &answer("200 OK", "after all"), "after all"),
        (chunked.to_owned(), "{\"a\":1}"),
    ] {
        let server = Server::answering(bytes);
        let outcome = asked(Http::new(server.url(), "{}")).await;
        assert_eq!((outcome.exit, text(&outcome.stdout)), (Exit::Code(0), body));
        assert!(outcome.stderr.is_empty() && !outcome.stdout_truncated && !outcome.leaked);
    }
}

#[tokio::test]
async fn bytes_are_kept_as_they_came() {
    let mut bytes = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-16\r\n\r\n".to_vec();
    bytes.extend_from_slice(b"\xff\xfe\0a");
    let server = Server::answering(bytes);
    assert_eq!(asked(Http::new(server.url(), "{}")).await.stdout, b"\xff\xfe\0a");
}

#[tokio::test]
async fn any_other_status_is_a_failure_whatever_it_says() {
    for status in
        ["400 Bad Request", "401 Unauthorized", "404 Not Found", "429 Too Many Requests", "500 Internal Server Error"]
    {
        let server = Server::answering(answer(status, "{\"decision\":\"approve\"}"));
        let outcome = asked(Http::new(server.url(), "{}")).await;
        assert_eq!(outcome.exit, Exit::Failed(format!("was answered with status {status}")));
        assert_eq!((&*outcome.stdout, text(&outcome.stderr)), (&b""[..], "{\"decision\":\"approve\"}"));
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_is_a_failure() {
    for bytes in [
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"decision\":",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"dec",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno number\r\n",
    ] {
        let server = Server::answering(bytes);
        let Exit::Failed(why) = asked(Http::new(server.url(), "{}")).await.exit else { panic!("{bytes}") };
        assert!(why.starts_with("was answered with status 200 OK, and the answer broke off: "), "{why}");
    }
}

#[tokio::test]
async fn what_is_no_answer_is_a_failure() {
    for bytes in ["", "HTTP/1.1 2", "SSH-2.0-OpenSSH_9.9\r\n", "\0\u{1}\u{2}", "HTTP/1.1 999999 No\r\n\r\n"] {
        let server = Server::answering(bytes);
        let Exit::Failed(why) = asked(Http::new(server.url(), "{}")).await.exit else { panic!("{bytes:?}") };
        assert!(why.starts_with(&format!("got no answer from the server at {}: ", server.origin())), "{why}");
    }
}

#[tokio::test]
async fn an_answer_is_kept_up_to_a_cap_and_not_read_on() {
    let limits = Limits::default().stdout_bytes(1000).stderr_bytes(10);
    for (length, kept, cut) in [(999, 999, false), (1000, 1000, false), (1001, 1000, true), (9_000_000, 1000, true)] {
        let server = Server::answering(answer("200 OK", &"x".repeat(length)));
        let outcome = run(&hook(Http::new(server.url(), "{}")), &limits, &Cancel::never()).await;
        assert_eq!((outcome.exit, outcome.stdout.len(), outcome.stdout_truncated), (Exit::Code(0), kept, cut));
    }
    let server = Server::answering(answer("500 No", &"x".repeat(9_000_000)));
    let outcome = run(&hook(Http::new(server.url(), "{}")), &limits, &Cancel::never()).await;
    assert_eq!((outcome.stderr.len(), outcome.stdout.len()), (10, 0));
}

/// A server that never ends: it is left as soon as there is enough.
#[tokio::test]
async fn a_flood_is_left() {
    let (sender, left) = std::sync::mpsc::channel();
    let server = Server::new(move |stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
        sender.send(()).unwrap();
    });
    let limits = Limits::default().stdout_bytes(1 << 20);
    let outcome = run(&hook(Http::new(server.url(), "{}")), &limits, &Cancel::never()).await;
    assert_eq!((outcome.exit, outcome.stdout.len(), outcome.stdout_truncated), (Exit::Code(0), 1 << 20, true));
    // the connection ends in a task of its own, which needs this thread
    tokio::task::spawn_blocking(move || left.recv_timeout(EVER).unwrap()).await.unwrap();
}

#[tokio::test]
async fn headers_that_never_end_are_left_too() {
    let server = Server::new(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n");
        while stream.write_all(b"x: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    });
    let Exit::Failed(why) = asked(Http::new(server.url(), "{}")).await.exit else { panic!("it answered") };
    assert!(why.starts_with("got no answer"), "{why}");
}
