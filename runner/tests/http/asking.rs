//! What is sent, where it is sent, and what is not sent at all.

use harness_hooks_core::{Exit, Http};

use crate::{
    asked,
    server::{Server, answer},
};

#[tokio::test]
async fn a_post_of_the_body_with_its_headers() {
    let server = Server::answering(answer("200 OK", "{}"));
    let body = b"{\"a\":\"\xc3\xa9\"}".to_vec();
    let request = Http::new(format!("{}?a=b", server.url()), body.clone())
        .header("Authorization", "Bearer t")
        .header("x-many", "a, b");
    assert_eq!(asked(request).await.exit, Exit::Code(0));
    let [request] = <[_; 1]>::try_from(server.requests()).unwrap();
    assert_eq!((&*request.line, &request.body), ("POST /hook?a=b HTTP/1.1", &body));
    for (name, value) in [
        ("content-type", Some("application/json")),
        ("authorization", Some("Bearer t")),
        ("x-many", Some("a, b")),
        ("content-length", Some("10")),
        ("cookie", None),
        ("referer", None),
    ] {
        assert_eq!(request.header(name), value, "{name}");
    }
}

#[tokio::test]
async fn a_body_of_any_size_and_a_type_of_its_own() {
    let server = Server::answering(answer("200 OK", ""));
    for length in [0, 1, 10 << 20] {
        let request = Http::new(server.url(), vec![b'x'; length]).header("Content-Type", "text/x");
        assert_eq!(asked(request).await.exit, Exit::Code(0));
        let [request] = <[_; 1]>::try_from(server.requests()).unwrap();
        assert_eq!((request.body.len(), request.header("content-type")), (length, Some("text/x")));
    }
}

#[tokio::test]
async fn what_cannot_be_sent_is_not() {
    let server = Server::answering(answer("200 OK", "{}"));
    let to = |url: &str| Http::new(url, "{}");
    for (request, said) in [
        (to(""), "its address is none that can be asked: relative URL without a base"),
        (to("/hook"), "its address is none that can be asked: relative URL without a base"),
        (to("http://"), "its address is none that can be asked: empty host"),
        (to("http://u:hush@h:99999/"), "its address is none that can be asked: invalid port number"),
        (to("ftp://h/"), "its address begins with `ftp:`, not with `http:` or `https:`"),
        (to("file:///etc/passwd"), "its address begins with `file:`, not with `http:` or `https:`"),
        (to(&server.url()).header("a b", "hush"), "`a b` cannot be the name of a header"),
        (to(&server.url()).header("", "hush"), "`` cannot be the name of a header"),
        (
            to(&server.url()).header("a", "hush\r\nx: y"),
            "the value of the header `a` holds a character no header may hold",
        ),
        (to(&server.url()).header("a", "hush\0"), "the value of the header `a` holds a character no header may hold"),
    ] {
        assert_eq!(asked(request).await.exit, Exit::NotStarted(said.into()));
    }
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn no_redirect_is_followed() {
    let elsewhere = Server::answering(answer("200 OK", "{}"));
    for status in
        ["301 Moved Permanently", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]
    {
        let location = format!("HTTP/1.1 {status}\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n", elsewhere.url());
        let server = Server::answering(location);
        let why = format!("was answered with status {status}, a redirect, and none is followed");
        assert_eq!(asked(Http::new(server.url(), "{}")).await.exit, Exit::Failed(why));
        assert_eq!(server.requests().len(), 1);
    }
    assert!(elsewhere.requests().is_empty());
}
