//! A server as plain as can be, so that it can do whatever a server should not.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, mpsc},
    thread,
};

/// A request as it came.
#[derive(Debug)]
pub(crate) struct Request {
    /// `POST /path HTTP/1.1`
    pub(crate) line: String,
    /// Names in lower case.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Request {
    pub(crate) fn read(stream: &mut impl Read) -> Option<Request> {
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim_end().split_once(':') else { break };
            headers.push((name.to_lowercase(), value.trim().to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.map_or(Some(0), |(_, length)| length.parse().ok())?;
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Request { line: line.trim_end().to_owned(), headers, body })
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| &**value)
    }
}

/// What a server says on a connection, once it has read the request.
type Saying = dyn Fn(&mut TcpStream) + Send + Sync;

pub(crate) struct Server {
    address: SocketAddr,
    requests: mpsc::Receiver<Request>,
}

impl Server {
    /// Answers each request with these bytes and closes the connection.
    pub(crate) fn answering(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Server::new(move |stream| {
            let _ = stream.write_all(&bytes);
        })
    }

    /// Answers each request in its own thread, which may take as long as it likes.
    pub(crate) fn new(say: impl Fn(&mut TcpStream) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, requests) = mpsc::channel();
        let say: Arc<Saying> = Arc::new(say);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, sender, say) = (stream.unwrap(), sender.clone(), say.clone());
                thread::spawn(move || {
                    if let Some(request) = Request::read(&mut stream) {
                        let _ = sender.send(request);
                        say(&mut stream);
                    }
                });
            }
        });
        Server { address, requests }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The requests that came.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.try_iter().collect()
    }
}

/// An answer with a body.
pub(crate) fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}", body.len())
}

/// Waits until the other side is gone.
pub(crate) fn wait_for_the_end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    let _ = stream.read_to_end(&mut rest);
}
