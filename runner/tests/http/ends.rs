//! Servers that are not there, do not answer, or take their time; and hooks that are given up.

use std::{io::Write, net::TcpListener, thread, time::Instant};

use harness_hooks_core::{Exit, Http};
use harness_hooks_runner::{Cancel, Limits, run};

use crate::{
    asked,
    common::{EVER, ms, soon, within},
    hook,
    server::{Server, answer, wait_for_the_end},
};

#[tokio::test]
async fn a_server_that_is_not_there() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap(); // dropped right here
    let outcome = asked(Http::new(format!("http://u:hush@{closed}/?key=hush"), "{}")).await;
    let said = format!("got no answer from the server at http://{closed}: Connection refused (os error 111)");
    assert_eq!(outcome.exit, Exit::Failed(said));

    let Exit::Failed(why) = asked(Http::new("http://nobody.invalid/", "{}")).await.exit else { panic!("it answered") };
    assert!(why.starts_with("got no answer from the server at http://nobody.invalid: "), "{why}");
}

/// One timeout over the whole exchange, wherever it stands still.
#[tokio::test]
async fn a_server_that_takes_its_time() {
    let silent = Server::new(wait_for_the_end);
    let half = Server::new(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{").unwrap();
        wait_for_the_end(stream);
    });
    let headers = Server::new(|stream| {
        while stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").is_ok() {
            thread::sleep(ms(10));
        }
    });
    let drip = Server::new(|stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        while stream.write_all(b" ").is_ok() {
            thread::sleep(ms(10));
        }
    });
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap(); // connects, and nobody reads
    let deaf_url = format!("http://{}/", deaf.local_addr().unwrap());
    for (url, body) in [(silent.url(), 2), (half.url(), 2), (headers.url(), 2), (drip.url(), 2), (deaf_url, 20 << 20)] {
        let (hook, began) = (within(hook(Http::new(url.clone(), vec![b'x'; body])), ms(300)), Instant::now());
        let outcome = run(&hook, &Limits::default(), &Cancel::never()).await;
        assert_eq!(outcome.exit, Exit::TimedOut, "{url}");
        assert!((ms(300)..EVER).contains(&began.elapsed()) && outcome.elapsed_ms >= 300, "{}", outcome.elapsed_ms);
    }
}

/// The server notices that nobody waits any longer.
#[tokio::test]
async fn cancelled_or_dropped() {
    let (came, mut coming) = tokio::sync::mpsc::unbounded_channel();
    let (gone, mut going) = tokio::sync::mpsc::unbounded_channel();
    let server = Server::new(move |stream| {
        came.send(()).unwrap();
        wait_for_the_end(stream);
        gone.send(()).unwrap();
    });
    let (hook, limits) = (hook(Http::new(server.url(), "{}")), Limits::default());

    let cancel = Cancel::new();
    let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
        soon(coming.recv()).await.unwrap();
        cancel.cancel();
    });
    assert_eq!(outcome.exit, Exit::Cancelled);
    soon(going.recv()).await.unwrap();

    let never = Cancel::never();
    tokio::select! {
        _ = run(&hook, &limits, &never) => panic!("it ended"),
        _ = soon(coming.recv()) => {}
    }
    soon(going.recv()).await.unwrap();

    assert_eq!(run(&hook, &limits, &cancel).await.exit, Exit::Cancelled, "before it starts");
    assert!(coming.try_recv().is_err());
}

#[tokio::test]
async fn cancelled_at_any_moment() {
    let server = Server::new(|stream| {
        for part in answer("200 OK", "0123456789").as_bytes().chunks(8) {
            if stream.write_all(part).is_err() {
                return;
            }
            thread::sleep(ms(3));
        }
    });
    let (hook, limits) = (hook(Http::new(server.url(), vec![b'x'; 200_000])), Limits::default());
    for delay in (0..40).step_by(2) {
        let cancel = Cancel::new();
        let (outcome, ()) = tokio::join!(run(&hook, &limits, &cancel), async {
            tokio::time::sleep(ms(delay)).await;
            cancel.cancel();
        });
        match outcome.exit {
            Exit::Cancelled => {}
            Exit::Code(0) => assert_eq!(outcome.stdout, b"0123456789"),
            exit => panic!("{exit:?} after {delay} ms"),
        }
    }
}

/// Nothing of one runtime is left for the next.
#[test]
fn asked_from_one_runtime_after_another() {
    let server = Server::answering(answer("200 OK", "{}"));
    for _ in 0..3 {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let outcome = runtime.block_on(asked(Http::new(server.url(), "{}")));
        assert_eq!(outcome.exit, Exit::Code(0));
    }
}
