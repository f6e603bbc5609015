//! What a tool output of 10 MiB costs: it is escaped twice, once as the tool's output and once as
//! the text that holds it, and never held twice.

use std::{path::PathBuf, sync::Arc};

use divan::{AllocProfiler, Bencher, black_box, counter::BytesCount};
use harness_hooks_core::{
    Adapter, Boundary, Envelope, Host, Occasion, Session, SessionState, Shell, ShellOutput, ToolCall, ToolOutput,
    ToolResult,
};
use harness_hooks_cursor::Cursor;
use serde::Serialize;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

const LARGE: usize = 10 << 20;

fn large() -> Envelope {
    let output = ShellOutput::new().stdout("line of output, 32 bytes long.\n\"".repeat(LARGE / 32)).exit_code(0);
    let session = Arc::new(Session::new("c-7f3a", PathBuf::from("/home/dev/project")));
    let call = ToolCall::new("call_1", "terminal", Shell::new("cargo test"));
    Envelope::new("e1", 0, session, ToolResult::new(call, ToolOutput::Shell(output)))
}

/// "max alloc" is the document itself.
#[divan::bench(sample_count = 20)]
fn encode_large(bencher: Bencher<'_, '_>) {
    let host = Host::new("Acme", "1.2.3").fires(Boundary::ALL.iter().copied());
    let (state, envelope) = (SessionState::new(), large());
    let event = Cursor::new().event("postToolUse").expect("one of the 21");
    let occasion = Occasion::new(&envelope, &host, &state);
    bencher.counter(BytesCount::new(LARGE)).bench_local(|| {
        let mut out = Vec::new();
        Cursor::new().encode(event, black_box(occasion), &mut out);
        out
    });
}

/// The text of the output first, then the text that holds it.
#[divan::bench(sample_count = 20)]
fn encode_large_floor(bencher: Bencher<'_, '_>) {
    #[derive(Serialize)]
    struct Output<'a> {
        kind: &'a str,
        output: &'a str,
    }
    let envelope = large();
    let Some(ToolOutput::Shell(shell)) = envelope.payload.output() else { unreachable!("it is a shell's") };
    bencher.counter(BytesCount::new(LARGE)).bench_local(|| {
        let inner = serde_json::to_string(&Output { kind: "shell", output: black_box(&shell.stdout) });
        serde_json::to_vec(&inner.expect("plain fields")).expect("text")
    });
}
