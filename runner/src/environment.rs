//! Which of the host's variables hooks inherit. What an adapter sets for them comes on top.

use std::{
    collections::BTreeSet,
    env,
    ffi::{OsStr, OsString},
};

use harness_hooks_core::Process;

/// Which of the host's variables hooks inherit. What their vendor sets for them, and what earlier
/// hooks of the session left, comes on top in any case.
///
/// ```
/// use harness_hooks_runner::Environment;
/// assert!(!Environment::WithoutSecrets.admits("GITHUB_TOKEN"));
/// assert!(Environment::WithoutSecrets.admits("SSH_AUTH_SOCK"));
/// assert!(Environment::only(["PATH", "HOME"]).admits("PATH"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Environment {
    /// All of them.
    #[default]
    Inherit,
    /// All but those whose names look like secrets: a word of the name is or ends with `TOKEN`,
    /// `SECRET`, `PASSWORD`, `PASSPHRASE`, `CREDENTIAL`, `APIKEY` or their like, or is `KEY`,
    /// `PASS`, `PAT`, `DSN`, or the like. What is in them is not looked at.
    WithoutSecrets,
    /// These. Without `PATH`, programs are found only where the system looks anyway; on Windows few
    /// start without `SystemRoot`.
    Only(BTreeSet<String>),
}

impl Environment {
    /// Only the variables of these names.
    pub fn only(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Environment::Only(names.into_iter().map(Into::into).collect())
    }

    /// Whether hooks inherit a variable of this name.
    pub fn admits(&self, name: impl AsRef<OsStr>) -> bool {
        let name = name.as_ref();
        match self {
            Environment::Inherit => true,
            Environment::WithoutSecrets => !looks_secret(&name.to_string_lossy()),
            Environment::Only(names) if cfg!(windows) => names.iter().any(|known| name.eq_ignore_ascii_case(known)),
            Environment::Only(names) => names.iter().any(|known| name == OsStr::new(known)),
        }
    }

    /// What is inherited, where it is not everything.
    pub(crate) fn selection(&self) -> Option<Vec<(OsString, OsString)>> {
        let some = *self != Environment::Inherit;
        some.then(|| env::vars_os().filter(|(name, _)| self.admits(name)).collect())
    }

    /// A variable as a process will have it.
    pub(crate) fn variable(&self, process: &Process, name: &str) -> Option<OsString> {
        let inherited = || env::var_os(name).filter(|_| self.admits(name));
        process.env.get(name).map(Into::into).or_else(inherited)
    }
}

/// Ends of words that say what a variable holds.
const SECRET_ENDS: [&str; 15] = [
    "TOKEN",
    "TOKENS",
    "SECRET",
    "SECRETS",
    "PASSWORD",
    "PASSWORDS",
    "PASSWD",
    "PASSPHRASE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "APIKEY",
    "ACCESSKEY",
    "PRIVATEKEY",
    "SECRETKEY",
];
/// Words that say it alone.
const SECRET_WORDS: [&str; 9] = ["KEY", "KEYS", "PASS", "PWD", "PAT", "JWT", "BEARER", "COOKIE", "DSN"];
/// Names that hold a password in the middle of something else.
const SECRET_NAMES: [&str; 2] = ["DATABASE_URL", "CONNECTION_STRING"];
/// The working directory, in which `PWD` is no password.
const NO_SECRETS: [&str; 2] = ["PWD", "OLDPWD"];

fn looks_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    if NO_SECRETS.contains(&&*name) {
        return false;
    }
    let secret = |word: &str| SECRET_WORDS.contains(&word) || SECRET_ENDS.iter().any(|end| word.ends_with(end));
    name.split(|c: char| !c.is_ascii_alphanumeric()).any(secret) || SECRET_NAMES.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_a_secret() {
        for name in [
            "GITHUB_TOKEN",
            "GITHUBTOKEN",
            "npm_config__authToken",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_ACCESS_KEY_ID",
            "ANTHROPIC_API_KEY",
            "OPENAI_APIKEY",
            "PGPASSWORD",
            "MYSQL_PWD",
            "SSH_KEY_PASSPHRASE",
            "DOCKER_PASS",
            "GITLAB_PAT",
            "GOOGLE_APPLICATION_CREDENTIALS",
            "SENTRY_DSN",
            "PROD_DATABASE_URL",
        ] {
            assert!(looks_secret(name), "{name}");
        }
        for name in [
            "PATH",
            "HOME",
            "PWD",
            "OLDPWD",
            "SSH_AUTH_SOCK",
            "TOKENIZERS_PARALLELISM",
            "KEYBOARD",
            "COMPASS_DIR",
            "PATIENCE",
            "MONKEY",
            "LC_ALL",
            "XDG_RUNTIME_DIR",
            "",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }
}
