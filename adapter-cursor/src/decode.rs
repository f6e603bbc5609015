//! What came back from a hook as effects. What an event reads, and what a failure means there, is
//! its row in `events.rs`; the ladder of outcomes is written once, here.

use std::borrow::Cow;

use harness_hooks_core::{
    Asked, Continuation, Control, Diagnostic, Effects, EnvReader, EnvWish, Exit, Extra, FailureMode, Halt, HaltScope,
    InputRewrite, Json, Outcome, Payload, ResultRewrite, Severity, Text, Tool, Unsupported, Verdict, WorkEnd,
    answer::{Answer, Field, Read},
    cleaned,
};

use crate::events::{Ask, Key, Row};

/// Reads an outcome. Total. CUR-OUT-01, CUR-OUT-57
pub(crate) fn decode(row: &Row, asked: Asked<'_>, outcome: &Outcome) -> Effects {
    let hook = Hook { row, asked };
    match &outcome.exit {
        Exit::Cancelled => hook.cancelled(),
        Exit::TimedOut => hook.failed("timed out", None),
        Exit::NotStarted(why) => hook.failed(&format!("could not be started ({why})"), None),
        Exit::Signal(signal) => hook.failed(&format!("was killed by signal {signal}"), None),
        Exit::Code(0) => hook.finished(outcome),
        Exit::Code(2) => hook.exit_2(outcome),
        Exit::Code(code) => hook.failed(&format!("exited with code {code}"), exit_hint(*code)),
        _ => hook.failed("ended in an unknown way", None),
    }
}

/// What a shell means by these codes. CUR-OUT-09
fn exit_hint(code: i32) -> Option<&'static str> {
    match code {
        126 => Some("a shell exits with 126 when it finds a command and may not execute it"),
        127 => Some(
            "a shell exits with 127 when it does not find a command; is it in PATH, and the path right from where the hook runs?",
        ),
        _ => None,
    }
}

/// One hook that was asked about one event.
#[derive(Clone, Copy)]
struct Hook<'a> {
    row: &'a Row,
    asked: Asked<'a>,
}

/// An answer that breaks its event's schema: a clause about the answer.
struct Mismatch(String);

impl Hook<'_> {
    // ---- the ladder ----

    /// CUR-OUT-10
    fn cancelled(self) -> Effects {
        let effects = if self.row.can_block() {
            self.refuse(&format!("the hook {} was cancelled before it decided", self.label()))
        } else {
            Effects::default()
        };
        self.with(effects, self.note("cancelled", "the hook was cancelled; what it printed is not read"))
    }

    /// A failure kind. Open: nothing. Closed or strict: a refusal, where there is something to
    /// refuse. CUR-OUT-05 to CUR-OUT-08, CUR-OUT-18
    fn failed(self, what: &str, hint: Option<&str>) -> Effects {
        let mut warning = self.warning("hook-failed", &format!("the hook {what}"));
        if let Some(hint) = hint {
            warning = warning.help(hint);
        }
        let clause = format!("the hook {} {what}", self.label());
        self.with(self.undecided(&clause), warning)
    }

    /// CUR-OUT-11 to CUR-OUT-16
    fn finished(self, outcome: &Outcome) -> Effects {
        if outcome.stdout_truncated {
            return self.malformed(Mismatch("was cut off, because it is too long".into()));
        }
        match Answer::read(&outcome.stdout) {
            Read::Blank if self.row.can_block() && outcome.leaked => {
                self.failed("left a child holding its output, and printed nothing", None)
            }
            Read::Blank if self.row.can_block() => self.missing_decision(),
            Read::Blank => self.noting_leak(Effects::default(), outcome),
            Read::NotJson { reason, .. } => self.malformed(Mismatch(format!("is not JSON ({reason})"))),
            Read::NotAnObject(kind) => self.malformed(Mismatch(format!("is not a JSON object but {kind}"))),
            Read::Object(answer) => match Said::read(self, &answer) {
                Ok(said) => self.noting_leak(said.effects(self, &answer), outcome),
                Err(mismatch) => self.malformed(mismatch),
            },
        }
    }

    /// CUR-OUT-13
    fn missing_decision(self) -> Effects {
        let clause = format!("the hook {} printed nothing", self.label());
        let warning = self.warning("missing-decision", "the hook printed nothing where it should decide");
        self.with(self.undecided(&clause), warning.help(format!("print for example `{}`", self.example())))
    }

    /// CUR-OUT-15, CUR-OUT-16
    fn malformed(self, Mismatch(what): Mismatch) -> Effects {
        let clause = format!("what the hook {} printed {what}", self.label());
        let effects =
            if self.row.spec.control == Control::Verdict { self.refuse(&clause) } else { self.undecided(&clause) };
        let warning = self.warning("malformed-output", &format!("what the hook printed {what}"));
        let warning = if self.row.can_block() {
            warning.help(format!("print one JSON object and nothing else, for example `{}`", self.example()))
        } else {
            warning
        };
        self.with(effects, warning)
    }

    /// A denial, or a halted prompt, whatever was printed. CUR-OUT-02 to CUR-OUT-05
    fn exit_2(self, outcome: &Outcome) -> Effects {
        if !self.row.can_block() {
            return self.failed("exited with code 2, which refuses nothing here", None);
        }
        let printed = Answer::read(&outcome.stdout);
        let (messages, diagnostics, raw) = match &printed {
            Read::Object(answer) => {
                let (messages, diagnostics) = self.exit_2_messages(answer);
                (messages, diagnostics, None)
            }
            _ => (Messages::default(), Vec::new(), cleaned(&String::from_utf8_lossy(&outcome.stdout))),
        };
        let prompt = self.row.spec.control == Control::PromptHalt;
        let message = if prompt { messages.for_a_prompt() } else { messages.reason() };
        let said = message.or(raw).or_else(|| cleaned(&String::from_utf8_lossy(&outcome.stderr)));
        let reason = said.unwrap_or_else(|| {
            self.written(&format!("the hook {} exited with code 2 and gave no reason", self.label()))
        });
        let mut effects = self.refuse_because(reason);
        if !prompt {
            effects.notices.extend(messages.notice());
        }
        effects.diagnostics = diagnostics;
        self.noting_leak(effects, outcome)
    }

    /// Only messages are read, and one of another type counts as absent. CUR-OUT-03
    fn exit_2_messages(self, answer: &Answer<'_>) -> (Messages, Vec<Diagnostic>) {
        let old = answer.fields().filter(|field| old_spelling(field.key()).is_some());
        let diagnostics = old.map(|field| self.old_spelling_warning(field.key())).collect();
        let nested = if self.row.reads_key(Key::HookSpecificOutput) {
            answer.get(Key::HookSpecificOutput.name()).and_then(Field::object)
        } else {
            None
        };
        let nested = nested.as_ref().and_then(|nested| nested.get("permissionDecisionReason"));
        let read = |key| message(answer, key).and_then(Field::text).and_then(|text| cleaned(&text));
        let user = read(Key::UserMessage).or_else(|| nested.and_then(Field::text).and_then(|text| cleaned(&text)));
        (Messages { user, agent: read(Key::AgentMessage) }, diagnostics)
    }

    // ---- what a refusal is here ----

    /// A hook that should have decided and did not: refused where it fails closed or the host is
    /// strict, nothing elsewhere.
    fn undecided(self, clause: &str) -> Effects {
        if !self.row.can_block() {
            return Effects::default();
        }
        let Asked { failure, strict, host, .. } = self.asked;
        match (failure, strict) {
            (FailureMode::Closed, _) => self.refuse(&format!("{clause}, and it is set to fail closed")),
            (FailureMode::Open, true) => self.refuse(&format!("{clause}, and {host} is strict")),
            (FailureMode::Open, false) => Effects::undecided(),
        }
    }

    fn refuse(self, clause: &str) -> Effects {
        self.refuse_because(self.written(clause))
    }

    fn refuse_because(self, reason: Text) -> Effects {
        match self.row.spec.control {
            Control::Verdict => Effects::deny(reason),
            _ => Effects::halt(HaltScope::Prompt, reason),
        }
    }

    /// A reason written by us names the host, the thing refused and the hook. CUR-OUT-54
    fn written(self, clause: &str) -> Text {
        format!("{} refused this {}: {clause}.", self.asked.host, self.row.noun).into()
    }

    /// The hook's command, cleaned as its messages are.
    fn label(self) -> String {
        format!("`{}`", cleaned(self.asked.label).as_deref().unwrap_or("(without a name)"))
    }

    /// What a hook of this event may print.
    fn example(self) -> &'static str {
        if self.row.spec.control == Control::PromptHalt { r#"{"continue":true}"# } else { r#"{"permission":"allow"}"# }
    }

    // ---- diagnostics ----

    fn diagnostic(self, severity: Severity, code: &str, message: &str) -> Diagnostic {
        Diagnostic::new(severity, format!("cursor/{code}"), format!("{}: {message}", self.row.name()))
    }

    fn warning(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Warning, code, message)
    }

    fn note(self, code: &str, message: &str) -> Diagnostic {
        self.diagnostic(Severity::Note, code, message)
    }

    fn ignored(self, key: &str) -> Diagnostic {
        self.note("ignored-field", &format!("`{key}` is not read here"))
    }

    fn old_spelling_warning(self, key: &str) -> Diagnostic {
        let new = old_spelling(key).map_or("", Key::name);
        self.warning("old-spelling", &format!("`{key}` is the old spelling of `{new}`"))
            .help(format!("print `{new}`; Cursor reads nothing else"))
    }

    fn with(self, mut effects: Effects, diagnostic: Diagnostic) -> Effects {
        effects.diagnostics.insert(0, diagnostic);
        effects
    }

    /// CUR-OUT-12
    fn noting_leak(self, effects: Effects, outcome: &Outcome) -> Effects {
        if !outcome.leaked {
            return effects;
        }
        let message = "a child of the hook held its output open after it ended; what was printed by then counts";
        self.with(effects, self.note("leaked", message))
    }
}

/// The spelling of Cursor 1.7. CUR-OUT-41
fn old_spelling(key: &str) -> Option<Key> {
    match key {
        "userMessage" => Some(Key::UserMessage),
        "agentMessage" => Some(Key::AgentMessage),
        _ => None,
    }
}

/// A message under its name, else under its old one.
fn message<'a>(answer: &'a Answer<'_>, key: Key) -> Option<Field<'a>> {
    let old = || answer.fields().find(|field| old_spelling(field.key()) == Some(key));
    answer.get(key.name()).or_else(old)
}

/// What a hook says to people.
#[derive(Clone, Default)]
struct Messages {
    user: Option<Text>,
    agent: Option<Text>,
}

impl Messages {
    /// For the model. CUR-OUT-26
    fn reason(&self) -> Option<Text> {
        self.agent.clone().or_else(|| self.user.clone())
    }

    /// For the user, unless it is the reason already.
    fn notice(&self) -> Option<Text> {
        self.agent.as_ref().and(self.user.clone()).filter(|user| Some(user) != self.agent.as_ref())
    }

    /// Of a halted prompt, which only the user reads. CUR-OUT-43
    fn for_a_prompt(&self) -> Option<Text> {
        self.user.clone().or_else(|| self.agent.clone())
    }
}

/// What `permission` comes to on its event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stance {
    Allow,
    Deny,
    Ask,
    /// An ask the event accepts and does not enforce.
    AskForNothing,
    /// An ask that is a denial.
    AskIsDenial,
}

/// An answer that fits its event's schema, every field read.
#[derive(Default)]
struct Said {
    stance: Option<Stance>,
    messages: Messages,
    updated_input: Option<Json>,
    result: Option<Json>,
    context: Option<Text>,
    env: Vec<(String, String)>,
    go_on: Option<bool>,
    followup: Followup,
    plugin_paths: Option<Vec<String>>,
}

/// How a follow-up event is answered.
#[derive(Default)]
enum Followup {
    #[default]
    None,
    /// `followup_message`.
    Message(Option<Text>),
    /// Claude's `decision` and `reason`.
    Block(Option<Text>),
}

impl Said {
    /// Reads the keys of the event's row. CUR-OUT-24
    fn read(hook: Hook<'_>, answer: &Answer<'_>) -> Result<Said, Mismatch> {
        let nested = nested(hook, answer)?;
        let mut said = Said::default();
        for key in hook.row.reads {
            let flat = match key {
                Key::UserMessage | Key::AgentMessage => message(answer, *key),
                key => answer.get(key.name()),
            };
            let field = flat.or_else(|| nested.as_ref().and_then(|nested| nested.get(claude_name(*key)?)));
            match key {
                Key::Permission => said.stance = Some(stance(hook, field)?),
                Key::UserMessage => said.messages.user = text(field)?.and_then(|text| cleaned(&text)),
                Key::AgentMessage => said.messages.agent = text(field)?.and_then(|text| cleaned(&text)),
                Key::UpdatedInput => said.updated_input = object(field)?.map(|field| Json::from(field.json())),
                Key::UpdatedMcpToolOutput => said.result = field.map(|field| field.json().into()),
                Key::AdditionalContext => said.context = text(field)?.and_then(|text| trimmed(&text)),
                Key::Env => said.env = env(field)?,
                Key::Continue => said.go_on = go_on(hook, field)?,
                Key::PluginPaths => said.plugin_paths = plugin_paths(field)?,
                Key::FollowupMessage => said.followup = followup(answer, nested.as_ref())?,
                Key::HookSpecificOutput | Key::Decision => {} // stand in for the others
            }
        }
        Ok(said)
    }

    fn effects(self, hook: Hook<'_>, answer: &Answer<'_>) -> Effects {
        let mut effects = Effects::default();
        self.permission(hook, &mut effects);
        self.prompt(hook, &mut effects);
        if self.stance.is_none() && self.go_on.is_none() && hook.row.spec.control == Control::Observe {
            effects.notices.extend(self.messages.user.clone()); // preCompact. CUR-OUT-51
        }
        effects.replacement_input = self.updated_input.clone().map(InputRewrite::Patch);
        effects.context.extend(self.context.clone());
        effects.continuation = self.continuation(hook);
        effects.extras.extend(self.plugin_paths.clone().map(|paths| Extra::PluginPaths { paths }));
        for field in answer.fields() {
            self.field(hook, answer, field, &mut effects);
        }
        effects
    }

    /// CUR-OUT-26 to CUR-OUT-30
    fn permission(&self, hook: Hook<'_>, effects: &mut Effects) {
        let Some(stance) = self.stance else { return };
        let said = self.messages.reason();
        match stance {
            Stance::Allow => {
                effects.verdict = Some(Verdict::Allow);
                effects.notices.extend(self.messages.user.clone().filter(|_| hook.row.notice_on_allow));
            }
            Stance::Deny => {
                effects.verdict = Some(Verdict::Deny);
                let written = || hook.written(&format!("the hook {} denied it and gave no reason", hook.label()));
                effects.reasons.push(said.unwrap_or_else(written));
                effects.notices.extend(self.messages.notice());
            }
            Stance::Ask => {
                effects.verdict = Some(Verdict::Ask);
                let written = || {
                    let (host, noun, label) = (hook.asked.host, hook.row.noun, hook.label());
                    format!("The hook {label} wants the user of {host} to decide about this {noun}.").into()
                };
                effects.reasons.push(said.unwrap_or_else(written));
                effects.notices.extend(self.messages.notice());
            }
            Stance::AskForNothing => effects.undecided = true,
            Stance::AskIsDenial => {
                effects.verdict = Some(Verdict::Deny);
                effects.reasons.extend(said);
                effects
                    .reasons
                    .push(hook.written(&format!("the hook {} asked, and an ask is a denial here", hook.label())));
                effects.notices.extend(self.messages.notice());
            }
        }
    }

    /// CUR-OUT-42 to CUR-OUT-44
    fn prompt(&self, hook: Hook<'_>, effects: &mut Effects) {
        if hook.row.spec.control != Control::PromptHalt {
            return;
        }
        if self.go_on == Some(false) {
            let written = || hook.written(&format!("the hook {} stopped it and gave no reason", hook.label()));
            let reason = self.messages.user.clone().unwrap_or_else(written);
            effects.halt = Some(Halt::new(HaltScope::Prompt, reason));
        } else {
            effects.notices.extend(self.messages.user.clone());
        }
    }

    /// CUR-OUT-45, CUR-OUT-46
    fn continuation(&self, hook: Hook<'_>) -> Option<Continuation> {
        let (Followup::Message(Some(message)) | Followup::Block(Some(message))) = &self.followup else { return None };
        ended_well(hook).then(|| Continuation { message: message.clone(), limit: hook.asked.loop_limit })
    }

    /// What one key of the answer leaves to say, and the effects that are entries of lists.
    fn field(&self, hook: Hook<'_>, answer: &Answer<'_>, field: Field<'_>, effects: &mut Effects) {
        let name = field.key();
        let old = old_spelling(name).filter(|key| hook.row.reads_key(*key));
        if old.is_some() {
            effects.diagnostics.push(hook.old_spelling_warning(name));
        }
        match old.or_else(|| Key::by_name(name)) {
            Some(key) if hook.row.reads_key(key) => self.read_field(hook, answer, key, field, effects),
            Some(key) if key.controls() => unread_control(hook, name, field, effects),
            None if name == "reason" && answer.get(Key::Decision.name()).is_some() => {}
            _ => effects.diagnostics.push(hook.ignored(name)),
        }
    }

    fn read_field(&self, hook: Hook<'_>, answer: &Answer<'_>, key: Key, field: Field<'_>, effects: &mut Effects) {
        match key {
            Key::Permission => effects.diagnostics.extend(self.unenforced(hook)),
            Key::UserMessage | Key::AgentMessage => {
                let superseded = old_spelling(field.key()).is_some() && answer.get(key.name()).is_some();
                effects.diagnostics.extend(self.dropped(hook, key).filter(|_| !superseded));
            }
            Key::Env => {
                for (name, value) in &self.env {
                    match forbidden(name, hook.asked.allowed_env) {
                        None => effects.session_env.push(EnvWish {
                            name: name.clone(),
                            value: value.clone(),
                            reader: EnvReader::Hooks,
                        }),
                        Some(why) => {
                            let message = format!("the variable `{}` is not set: {why}", name.escape_debug());
                            effects.diagnostics.push(hook.warning("session-env-name", &message));
                        }
                    }
                }
            }
            Key::UpdatedMcpToolOutput => match &self.result {
                Some(value) if about_mcp(hook) => {
                    effects.replacement_result = Some(ResultRewrite { value: value.clone() });
                }
                _ => unsupported(hook, key.name(), effects),
            },
            Key::FollowupMessage => effects.diagnostics.extend(self.too_late(hook, key)),
            Key::Decision => effects.diagnostics.extend(self.decision(hook, answer, Some(field))),
            Key::HookSpecificOutput => self.nested_fields(hook, answer, field, effects),
            _ => {}
        }
    }

    /// CUR-OUT-29
    fn unenforced(&self, hook: Hook<'_>) -> Option<Diagnostic> {
        let message = "an ask is accepted here and not enforced; print `deny` to refuse";
        (self.stance == Some(Stance::AskForNothing)).then(|| hook.note("ask-not-enforced", message))
    }

    /// A message nobody gets to see. CUR-OUT-27, CUR-OUT-29
    fn dropped(&self, hook: Hook<'_>, key: Key) -> Option<Diagnostic> {
        let user = key == Key::UserMessage;
        let said = if user { &self.messages.user } else { &self.messages.agent };
        let shown = match self.stance? {
            Stance::Allow => user && hook.row.notice_on_allow,
            Stance::AskForNothing => false,
            _ => true,
        };
        let note = || hook.note("dropped-message", &format!("`{}` is shown only beside a denial", key.name()));
        (said.is_some() && !shown).then(note)
    }

    /// A continuation of work that did not end by itself. CUR-OUT-46
    fn too_late(&self, hook: Hook<'_>, key: Key) -> Option<Diagnostic> {
        let wanted = matches!(self.followup, Followup::Message(Some(_)) | Followup::Block(Some(_)));
        let note =
            || hook.note("ignored-field", &format!("`{}` counts only after work that was completed", key.name()));
        (wanted && !ended_well(hook)).then(note)
    }

    /// CUR-OUT-36, CUR-OUT-37
    fn decision(&self, hook: Hook<'_>, answer: &Answer<'_>, decision: Option<Field<'_>>) -> Option<Diagnostic> {
        if answer.get(Key::FollowupMessage.name()).is_some() {
            return Some(hook.ignored(Key::Decision.name()));
        }
        match self.followup {
            Followup::Block(Some(_)) => self.too_late(hook, Key::Decision),
            _ => decision.map(|_| hook.note("asks-nothing", "only `\"block\"` with a `reason` asks for a follow-up")),
        }
    }

    /// The keys of Claude's object where it is read. CUR-OUT-34 to CUR-OUT-37
    fn nested_fields(&self, hook: Hook<'_>, answer: &Answer<'_>, field: Field<'_>, effects: &mut Effects) {
        let Some(nested) = field.object() else { return };
        let mut lost = false;
        for field in nested.fields() {
            let name = field.key();
            let Some(key) = flat_twin(hook, name) else {
                if name != "hookEventName" {
                    effects.diagnostics.push(hook.ignored(name));
                }
                continue;
            };
            if flat_wins(answer, name, key) {
                lost = true;
                continue;
            }
            effects.diagnostics.extend(match (key, name) {
                (Key::Permission, _) => self.unenforced(hook),
                (Key::UserMessage, _) => self.dropped(hook, key),
                (Key::Decision, "decision") => self.decision(hook, answer, Some(field)),
                _ => None,
            });
        }
        if lost {
            effects.diagnostics.push(hook.ignored(Key::HookSpecificOutput.name()));
        }
    }
}

/// Claude's object, where the event reads it. What lost against a flat field is not checked.
fn nested<'a>(hook: Hook<'_>, answer: &'a Answer<'_>) -> Result<Option<Answer<'a>>, Mismatch> {
    let key = Key::HookSpecificOutput;
    if !hook.row.reads_key(key) {
        return Ok(None);
    }
    object(answer.get(key.name()))?.map_or(Ok(None), |field| Ok(field.object()))
}

/// What Claude calls a key, inside its object. CUR-OUT-35
fn claude_name(key: Key) -> Option<&'static str> {
    match key {
        Key::Permission => Some("permissionDecision"),
        Key::UserMessage => Some("permissionDecisionReason"),
        Key::UpdatedInput => Some("updatedInput"),
        _ => None,
    }
}

/// The key a nested one stands in for on this event.
fn flat_twin(hook: Hook<'_>, nested: &str) -> Option<Key> {
    if hook.row.reads_key(Key::Decision) {
        return matches!(nested, "decision" | "reason").then_some(Key::Decision);
    }
    Key::ALL.iter().copied().find(|key| claude_name(*key) == Some(nested))
}

fn flat_wins(answer: &Answer<'_>, nested: &str, key: Key) -> bool {
    match key {
        Key::Decision => answer.get(Key::FollowupMessage.name()).is_some() || answer.get(nested).is_some(),
        Key::UserMessage | Key::AgentMessage => message(answer, key).is_some(),
        key => answer.get(key.name()).is_some(),
    }
}

/// `permission`, one of the event's words, compared exactly. CUR-OUT-23, CUR-OUT-25, CUR-OUT-31
fn stance(hook: Hook<'_>, field: Option<Field<'_>>) -> Result<Stance, Mismatch> {
    let Some(field) = field else {
        return Err(Mismatch("has no `permission`; print `{\"permission\":\"allow\"}` to let it run".into()));
    };
    let text = field.text();
    match (text.as_deref(), hook.row.ask, hook.asked.strict) {
        (Some("allow"), _, _) => Ok(Stance::Allow),
        (Some("deny"), _, _) => Ok(Stance::Deny),
        (Some("ask"), Ask::Honoured, _) | (Some("ask"), Ask::NotEnforced, true) => Ok(Stance::Ask),
        (Some("ask"), Ask::NotEnforced, false) => Ok(Stance::AskForNothing),
        (Some("ask"), Ask::Denies, _) => Ok(Stance::AskIsDenial),
        (_, ask, _) => {
            let words = if ask == Ask::NotAWord { "\"allow\" or \"deny\"" } else { "\"allow\", \"ask\" or \"deny\"" };
            Err(wrong(field, words))
        }
    }
}

/// CUR-OUT-42
fn go_on(hook: Hook<'_>, field: Option<Field<'_>>) -> Result<Option<bool>, Mismatch> {
    match field {
        None if hook.row.spec.control == Control::PromptHalt => {
            Err(Mismatch("has no `continue`; print `{\"continue\":true}` to let it be sent".into()))
        }
        None => Ok(None),
        Some(field) => field.flag().map(Some).ok_or_else(|| wrong(field, "true or false")),
    }
}

fn text<'a>(field: Option<Field<'a>>) -> Result<Option<Cow<'a, str>>, Mismatch> {
    field.map(|field| field.text().ok_or_else(|| wrong(field, "text"))).transpose()
}

fn object(field: Option<Field<'_>>) -> Result<Option<Field<'_>>, Mismatch> {
    match field {
        Some(field) if field.object().is_none() => Err(wrong(field, "an object")),
        field => Ok(field),
    }
}

fn wrong(field: Field<'_>, what: &str) -> Mismatch {
    Mismatch(format!("has a `{}` that must be {what}, not {}", field.key(), brief(field)))
}

/// A value as it was printed, cut where it is long.
fn brief(field: Field<'_>) -> String {
    const MOST: usize = 40;
    let raw = field.raw();
    match raw.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &raw[..end]),
        None => raw.to_owned(),
    }
}

fn trimmed(text: &str) -> Option<Text> {
    let trimmed = text.trim();
    (!trimmed.is_empty()).then(|| trimmed.into())
}

/// CUR-OUT-47
fn env(field: Option<Field<'_>>) -> Result<Vec<(String, String)>, Mismatch> {
    let Some(field) = field else { return Ok(Vec::new()) };
    let texts = |object: &Answer<'_>| -> Option<Vec<(String, String)>> {
        object.fields().map(|entry| Some((entry.key().to_owned(), entry.text()?.into_owned()))).collect()
    };
    field.object().as_ref().and_then(texts).ok_or_else(|| wrong(field, "an object of texts"))
}

/// CUR-OUT-52
fn plugin_paths(field: Option<Field<'_>>) -> Result<Option<Vec<String>>, Mismatch> {
    let Some(field) = field else { return Ok(None) };
    let path = |item: Field<'_>| item.text().filter(|path| !path.trim().is_empty()).map(Cow::into_owned);
    let paths = field.list().and_then(|items| items.into_iter().map(path).collect());
    paths.map(Some).ok_or_else(|| wrong(field, "a list of paths"))
}

/// `followup_message`, else Claude's `decision` and `reason`, flat before nested. CUR-OUT-36
fn followup(flat: &Answer<'_>, nested: Option<&Answer<'_>>) -> Result<Followup, Mismatch> {
    if let Some(field) = flat.get(Key::FollowupMessage.name()) {
        return Ok(Followup::Message(text(Some(field))?.and_then(|text| trimmed(&text))));
    }
    let pick = |key| flat.get(key).or_else(|| nested.and_then(|nested| nested.get(key)));
    let Some(decision) = text(pick("decision"))? else { return Ok(Followup::None) };
    let reason = text(pick("reason"))?.and_then(|text| trimmed(&text));
    Ok(Followup::Block(reason.filter(|_| decision == "block")))
}

/// The turn or subagent did what it was for, as far as is known.
fn ended_well(hook: Hook<'_>) -> bool {
    match hook.asked.envelope.map(|envelope| &envelope.payload) {
        Some(Payload::TurnStop(payload)) => payload.end == WorkEnd::Completed,
        Some(Payload::SubagentStop(payload)) => payload.end == WorkEnd::Completed,
        _ => true,
    }
}

/// The call is an MCP tool's, as far as is known. CUR-OUT-50
fn about_mcp(hook: Hook<'_>) -> bool {
    let call = hook.asked.envelope.and_then(|envelope| envelope.payload.call());
    call.is_none_or(|call| matches!(call.tool, Tool::Mcp(_)))
}

/// A key that is read elsewhere and would control something. CUR-OUT-38, CUR-OUT-39
fn unread_control(hook: Hook<'_>, name: &str, field: Field<'_>, effects: &mut Effects) {
    let text = field.text();
    let nothing = match name {
        "permission" => text.as_deref() == Some("allow"),
        "continue" => field.flag() == Some(true),
        "decision" => text.as_deref() != Some("block"),
        "followup_message" => text.is_some_and(|text| text.trim().is_empty()),
        _ => false,
    };
    if nothing || field.is_null() {
        let message = format!("`{name}` is not read here, and asks for nothing");
        effects.diagnostics.push(hook.note("asks-nothing", &message));
    } else {
        unsupported(hook, name, effects);
    }
}

fn unsupported(hook: Hook<'_>, name: &str, effects: &mut Effects) {
    let event = hook.row.name();
    effects.unsupported.push(Unsupported { field: name.to_owned(), event: event.to_owned() });
    let message = format!("`{name}` is not read here, so what it asks for is not done");
    effects.diagnostics.push(hook.warning("unsupported-effect", &message));
}

/// Why a variable may not be set for later hooks. CUR-OUT-48
fn forbidden(name: &str, allowed: &[String]) -> Option<&'static str> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some("it is no name of a variable");
    }
    let steers = name == "PATH" || ["LD_", "DYLD_", "CURSOR_", "CLAUDE_"].iter().any(|start| name.starts_with(start));
    (steers && !allowed.iter().any(|known| known == name)).then_some("it would steer how later hooks run")
}
