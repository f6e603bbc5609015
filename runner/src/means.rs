//! What hooks are run with: limits, the environment they inherit, and whoever makes calls for them.

use std::{fmt, sync::Arc};

use crate::{Environment, HostCalls, Limits};

#[derive(Clone, Default)]
pub(crate) struct Means {
    pub(crate) limits: Limits,
    pub(crate) environment: Environment,
    pub(crate) calls: Option<Arc<dyn HostCalls>>,
    #[cfg(feature = "http")]
    pub(crate) web: crate::http::Web,
}

impl Means {
    pub(crate) fn of(limits: &Limits) -> Self {
        Means { limits: limits.clone(), ..Means::default() }
    }
}

impl fmt::Debug for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Means")
            .field("limits", &self.limits)
            .field("environment", &self.environment)
            .field("calls", &self.calls.is_some())
            .finish_non_exhaustive()
    }
}
