//! Calls only the host can make: a tool of an MCP server, a question to a model, work for an agent.

use std::{future::Future, pin::Pin};

use harness_hooks_core::{Exit, HostCall, Invocation, Outcome};

use crate::Limits;

/// What a host answers to a hook's call, sooner or later.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<String, String>> + Send + 'a>>;

/// How a host makes the calls that hooks ask of it.
///
/// ```
/// use harness_hooks_core::{HostCall, Invocation};
/// use harness_hooks_runner::{Answer, HostCalls};
///
/// struct Model;
///
/// impl HostCalls for Model {
///     fn call<'a>(&'a self, call: &'a HostCall, _: &'a Invocation) -> Answer<'a> {
///         Box::pin(async move {
///             match call {
///                 HostCall::Prompt { prompt, .. } => Ok(format!(r#"{{"ok": {}}}"#, prompt.len() < 1000)),
///                 call => Err(format!("is a call of the host's (`{}`), and this host makes none", call.kind())),
///             }
///         })
///     }
/// }
/// ```
pub trait HostCalls: Send + Sync {
    /// Makes a call for a hook. The future is dropped at the hook's timeout, and when the host
    /// gives the hook up; it must not block its thread.
    ///
    /// # Errors
    /// When there is no answer: why, in a clause after "it", as in "it is connected to no such
    /// server". The hook failed then.
    fn call<'a>(&'a self, call: &'a HostCall, invocation: &'a Invocation) -> Answer<'a>;
}

/// What came of a call.
pub(crate) async fn call(
    calls: Option<&dyn HostCalls>,
    call: &HostCall,
    invocation: &Invocation,
    limits: &Limits,
) -> Outcome {
    let Some(calls) = calls else {
        let why = format!("is a call of the host's (`{}`), and this host makes none for hooks", call.kind());
        return Outcome::new(Exit::Failed(why));
    };
    match calls.call(call, invocation).await {
        Ok(answer) => {
            let mut answer = answer.into_bytes();
            let truncated = answer.len() > limits.stdout_bytes;
            answer.truncate(limits.stdout_bytes);
            Outcome::new(Exit::Code(0)).stdout(answer).truncated(truncated)
        }
        Err(why) => Outcome::new(Exit::Failed(why)),
    }
}
