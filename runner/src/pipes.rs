//! The three pipes of a hook: what it is told, and what it prints. Each can be left at any moment
//! and taken up again, since all progress is in the values here. No clocks: how long to go on is
//! `run`'s.

use std::{convert::Infallible, future::pending, sync::Arc};

use harness_hooks_core::Stdin;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    join,
    process::{ChildStderr, ChildStdin, ChildStdout},
    select,
    task::yield_now,
};

/// What is read at once: what a pipe holds on Linux.
const CHUNK: usize = 64 * 1024;
/// The longest first line anybody is told.
const LINE: usize = 4096;

/// Who is told the first line of an output, its end included, as soon as it is there.
pub(crate) type FirstLine = Arc<dyn Fn(&[u8]) + Send + Sync>;

pub(crate) struct Pipes {
    pub(crate) stdin: Feed,
    pub(crate) stdout: Kept<ChildStdout>,
    pub(crate) stderr: Kept<ChildStderr>,
}

impl Pipes {
    /// Keeps all three going for as long as it is polled.
    pub(crate) async fn flow(&mut self) -> Infallible {
        join!(self.stdin.write(), self.stdout.drain(), self.stderr.drain());
        pending().await
    }

    /// Both outputs were read to their end. Goes on writing as long as it reads.
    pub(crate) async fn emptied(&mut self) {
        let writing = async {
            self.stdin.write().await;
            pending::<()>().await;
        };
        select! {
            biased;
            _ = async { join!(self.stdout.drain(), self.stderr.drain()) } => {}
            () = writing => {}
        }
    }
}

/// Standard input: written, then closed at once.
pub(crate) struct Feed {
    pipe: Option<ChildStdin>,
    bytes: Stdin,
    written: usize,
}

impl Feed {
    pub(crate) fn new(pipe: Option<ChildStdin>, bytes: Stdin) -> Self {
        Feed { pipe, bytes, written: 0 }
    }

    /// A hook need not read it: an error here is no failure of the hook's.
    async fn write(&mut self) {
        while let Some(pipe) = &mut self.pipe {
            match &self.bytes[self.written..] {
                [] => {
                    let _ = pipe.shutdown().await; // Windows writes behind our back
                    self.pipe = None;
                }
                rest => match pipe.write(&rest[..rest.len().min(CHUNK)]).await {
                    Ok(0) | Err(_) => self.pipe = None,
                    Ok(n) => self.written += n,
                },
            }
            yield_now().await; // see `Kept::drain`
        }
    }
}

/// An output: read to its end, kept up to a cap.
pub(crate) struct Kept<R> {
    pipe: Option<R>,
    pub(crate) bytes: Vec<u8>,
    cap: usize,
    first_line: Option<FirstLine>,
    /// There was more than the cap.
    pub(crate) cut: bool,
}

impl<R: AsyncRead + Unpin> Kept<R> {
    pub(crate) fn new(pipe: Option<R>, cap: usize) -> Self {
        Kept { pipe, bytes: Vec::new(), cap, first_line: None, cut: false }
    }

    pub(crate) fn first_line(mut self, told: Option<FirstLine>) -> Self {
        self.first_line = told;
        self
    }

    async fn drain(&mut self) {
        let mut chunk = Vec::new();
        while let Some(pipe) = &mut self.pipe {
            chunk.resize(CHUNK, 0); // only now, so that a closed pipe costs nothing
            match pipe.read(&mut chunk).await {
                Ok(0) | Err(_) => self.pipe = None,
                Ok(n) => self.keep(&chunk[..n]),
            }
            // One that floods must not keep the others of its stage, or its own clock, from their
            // turn: they share a task.
            yield_now().await;
        }
    }

    fn keep(&mut self, read: &[u8]) {
        let room = self.cap - self.bytes.len();
        self.bytes.extend_from_slice(&read[..read.len().min(room)]);
        self.cut |= read.len() > room;
        self.tell();
    }

    /// Once: of the first line as soon as it is whole, of one that is too long never.
    fn tell(&mut self) {
        let Some(told) = &self.first_line else { return };
        let start = &self.bytes[..self.bytes.len().min(LINE)];
        let end = start.iter().position(|byte| *byte == b'\n');
        if let Some(end) = end {
            told(&start[..=end]);
        }
        if end.is_some() || start.len() == LINE {
            self.first_line = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::{io::repeat, task::coop::unconstrained, time::timeout};

    use super::Kept;

    #[tokio::test]
    async fn what_never_ends_leaves_others_their_turn() {
        let mut kept = Kept::new(Some(repeat(b'y')), 100_000);
        let drained = unconstrained(timeout(Duration::from_millis(50), kept.drain())).await;
        assert!(drained.is_err() && kept.cut);
        assert_eq!(kept.bytes, [b'y'; 100_000]);
    }
}
