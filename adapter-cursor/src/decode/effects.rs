//! What an answer comes to: effects, and a word about every key that has none.

use harness_hooks_core::{
    Continuation, Control, Diagnostic, Effects, EnvReader, EnvWish, Extra, Halt, HaltScope, InputRewrite, Payload,
    ResultRewrite, Tool, Unsupported, Verdict, WorkEnd,
    answer::{Answer, Field},
};

use super::{
    Hook,
    messages::old_spelling,
    said::{Followup, Said, Stance},
    view::View,
};
use crate::{
    departures::Way,
    events::{Event, Key},
};

impl Said {
    pub(super) fn effects(self, hook: Hook<'_>, answer: &Answer<'_>, view: &View<'_>) -> Effects {
        let mut effects = self.refusal_of_its_context(hook).unwrap_or_default();
        if effects.verdict.is_none() {
            self.permission(hook, &mut effects);
            self.prompt(hook, &mut effects);
        }
        if hook.row.event == Event::PreCompact {
            effects.notices.extend(self.messages.user.clone()); // CUR-OUT-51
        }
        effects.replacement_input = self.updated_input.clone().map(InputRewrite::Patch);
        effects.context.extend(self.context.clone());
        effects.continuation = self.continuation(hook);
        effects.extras.extend(self.plugin_paths.clone().map(|paths| Extra::PluginPaths { paths }));
        let speaker = Speaker { hook, said: &self, answer, view };
        for field in answer.fields() {
            speaker.field(field, &mut effects);
        }
        effects
    }

    /// Cursor's own program refuses a call whose guard says too much, if the guard fails closed.
    fn refusal_of_its_context(&self, hook: Hook<'_>) -> Option<Effects> {
        let guard = self.context_too_long && hook.row.event == Event::PreToolUse;
        let clause = || format!("the `additional_context` of the hook {} is too long", hook.label());
        guard.then(|| hook.undecided(&clause())).filter(|effects| effects.verdict.is_some())
    }

    /// CUR-OUT-26 to CUR-OUT-30
    fn permission(&self, hook: Hook<'_>, effects: &mut Effects) {
        let Some(stance) = self.stance else { return };
        let said = self.messages.reason(hook.row);
        match stance {
            Stance::Allow => {
                effects.verdict = Some(Verdict::Allow);
                effects.notices.extend(self.messages.user.clone().filter(|_| hook.row.notice_on_allow));
            }
            Stance::Deny => {
                effects.verdict = Some(Verdict::Deny);
                let written = || hook.written(&format!("the hook {} denied it and gave no reason", hook.label()));
                effects.reasons.push(said.unwrap_or_else(written));
                effects.notices.extend(self.messages.notice(hook.row));
            }
            Stance::Ask => {
                effects.verdict = Some(Verdict::Ask);
                let written = || {
                    let (host, noun, label) = (hook.asked.host, hook.row.noun, hook.label());
                    format!("The hook {label} wants the user of {host} to decide about this {noun}.").into()
                };
                effects.reasons.push(said.unwrap_or_else(written));
                effects.notices.extend(self.messages.notice(hook.row));
            }
            Stance::AskForNothing => effects.undecided = true,
            Stance::AskIsDenial => {
                effects.verdict = Some(Verdict::Deny);
                effects.reasons.extend(said);
                effects
                    .reasons
                    .push(hook.written(&format!("the hook {} asked, and an ask is a denial here", hook.label())));
                effects.notices.extend(self.messages.notice(hook.row));
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
}

/// Accounts for each key of an answer, in its order. CUR-OUT-56
struct Speaker<'a> {
    hook: Hook<'a>,
    said: &'a Said,
    answer: &'a Answer<'a>,
    view: &'a View<'a>,
}

impl Speaker<'_> {
    /// What one key leaves to say, and the effects that are entries of lists.
    fn field(&self, field: Field<'_>, effects: &mut Effects) {
        let (hook, name) = (self.hook, field.key());
        let key = self.view.key_of(name);
        if old_spelling(hook.row, name).is_some_and(|key| hook.row.reads_key(key)) {
            effects.diagnostics.push(hook.old_spelling_warning(name));
        }
        match key {
            Some(key) if hook.row.reads_key(key) => self.read_field(key, field, effects),
            Some(key) if key.controls() => self.unread_control(field, effects),
            None if name == "reason" && self.answer.get(Key::Decision.name()).is_some() => {}
            _ => effects.diagnostics.push(hook.ignored(name)),
        }
    }

    fn read_field(&self, key: Key, field: Field<'_>, effects: &mut Effects) {
        let superseded = field.key() != key.name() && self.answer.get(key.name()).is_some();
        match key {
            _ if superseded => {}
            Key::Permission => effects.diagnostics.extend(self.unenforced()),
            Key::UserMessage | Key::AgentMessage => effects.diagnostics.extend(self.dropped(key)),
            Key::AdditionalContext => effects.diagnostics.extend(self.too_long()),
            Key::Env => self.env(effects),
            Key::UpdatedMcpToolOutput => match &self.said.result {
                Some(value) if about_mcp(self.hook) => {
                    effects.replacement_result = Some(ResultRewrite { value: value.clone() });
                }
                _ => self.unsupported(key.name(), effects),
            },
            Key::FollowupMessage => effects.diagnostics.extend(self.too_late(key)),
            Key::Decision if self.view.is_covered() => effects.diagnostics.push(self.hook.ignored(key.name())),
            Key::Decision => effects.diagnostics.extend(self.decision()),
            Key::HookSpecificOutput => self.nested_fields(field, effects),
            Key::UpdatedInput | Key::Continue | Key::PluginPaths => {}
        }
    }

    /// CUR-OUT-48
    fn env(&self, effects: &mut Effects) {
        let mut room = ENV_LIMIT;
        for (name, value) in &self.said.env {
            let why = forbidden(self.hook, name).or_else(|| unusable(value, room));
            let Some(why) = why else {
                room -= value.len();
                let (name, value) = (name.clone(), value.clone());
                effects.session_env.push(EnvWish { name, value, reader: EnvReader::Hooks });
                continue;
            };
            let message = format!("the variable `{}` is not set: {why}", name.escape_debug());
            effects.diagnostics.push(self.hook.warning("session-env-name", &message));
        }
    }

    /// CUR-OUT-29
    fn unenforced(&self) -> Option<Diagnostic> {
        let message = "an ask is accepted here and not enforced; print `deny` to refuse";
        (self.said.stance == Some(Stance::AskForNothing)).then(|| self.hook.note("ask-not-enforced", message))
    }

    /// A message nobody gets to see. CUR-OUT-27, CUR-OUT-29
    fn dropped(&self, key: Key) -> Option<Diagnostic> {
        if self.hook.row.spec.control != Control::Verdict {
            return None;
        }
        let user = key == Key::UserMessage;
        let said = if user { &self.said.messages.user } else { &self.said.messages.agent };
        let shown = match self.said.stance {
            Some(Stance::Allow) => user && self.hook.row.notice_on_allow,
            Some(Stance::AskForNothing) | None => false,
            Some(Stance::Deny | Stance::Ask | Stance::AskIsDenial) => user || !self.hook.row.ways.cursors(Way::Reason),
        };
        let note = || self.hook.note("dropped-message", &format!("nobody is shown this `{}`", key.name()));
        (said.is_some() && !shown).then(note)
    }

    fn too_long(&self) -> Option<Diagnostic> {
        let message = "a context of more than 10 000 characters is dropped whole";
        self.said.context_too_long.then(|| self.hook.note("dropped-context", message))
    }

    /// A continuation of work that did not end by itself. CUR-OUT-46
    fn too_late(&self, key: Key) -> Option<Diagnostic> {
        let wanted = matches!(self.said.followup, Followup::Message(Some(_)) | Followup::Block(Some(_)));
        let message = || format!("`{}` counts only after work that was completed", key.name());
        (wanted && !ended_well(self.hook)).then(|| self.hook.note("ignored-field", &message()))
    }

    /// CUR-OUT-36, CUR-OUT-37
    fn decision(&self) -> Option<Diagnostic> {
        if self.view.has_followup() {
            return Some(self.hook.ignored(Key::Decision.name()));
        }
        let nothing = || self.hook.note("asks-nothing", "only `\"block\"` with a `reason` asks for a follow-up");
        match self.said.followup {
            Followup::Block(Some(_)) => self.too_late(Key::Decision),
            _ => Some(nothing()),
        }
    }

    /// The keys of Claude's object where it is read. CUR-OUT-34 to CUR-OUT-37
    fn nested_fields(&self, field: Field<'_>, effects: &mut Effects) {
        let Some(nested) = field.object() else { return };
        let mut lost = false;
        for field in nested.fields() {
            let name = field.key();
            let Some(key) = self.view.twin_of(name) else {
                if name != "hookEventName" {
                    effects.diagnostics.push(self.hook.ignored(name));
                }
                continue;
            };
            if self.view.is_lost(name, key) {
                lost = true;
                effects.undecided |= key == Key::Permission && field.text().as_deref() != Some("allow");
                continue;
            }
            effects.diagnostics.extend(match key {
                Key::Permission => self.unenforced(),
                Key::UserMessage => self.dropped(key),
                Key::AdditionalContext => self.too_long(),
                Key::Decision if name == "decision" => self.decision(),
                _ => None,
            });
        }
        if lost {
            effects.diagnostics.push(self.hook.ignored(Key::HookSpecificOutput.name()));
        }
    }

    /// A key that is read elsewhere and would control something. CUR-OUT-38, CUR-OUT-39
    fn unread_control(&self, field: Field<'_>, effects: &mut Effects) {
        let name = field.key();
        if asks_for_nothing(field) {
            let message = format!("`{name}` is not read here, and asks for nothing");
            effects.diagnostics.push(self.hook.note("asks-nothing", &message));
        } else {
            self.unsupported(name, effects);
        }
    }

    fn unsupported(&self, name: &str, effects: &mut Effects) {
        if self.hook.row.ways.cursors(Way::ControlElsewhere) {
            return effects.diagnostics.push(self.hook.ignored(name));
        }
        let event = self.hook.row.name();
        effects.unsupported.push(Unsupported { field: name.to_owned(), event: event.to_owned() });
        let message = format!("`{name}` is not read here, so what it asks for is not done");
        effects.diagnostics.push(self.hook.warning("unsupported-effect", &message));
    }
}

fn asks_for_nothing(field: Field<'_>) -> bool {
    let text = field.text();
    let nothing = match field.key() {
        "permission" => text.as_deref() == Some("allow"),
        "continue" => field.flag() == Some(true),
        "decision" => text.as_deref() != Some("block"),
        "followup_message" => text.is_some_and(|text| text.trim().is_empty()),
        _ => false,
    };
    nothing || field.is_null()
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

/// How many bytes of values one answer may set. Every later hook is started with them, and a system
/// starts none whose variables are too large.
const ENV_LIMIT: usize = 32 << 10;

/// Variables that say what a process loads or runs before its own first line.
const STEERING: [&str; 6] = ["PATH", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4"];
const STEERING_STARTS: [&str; 5] = ["LD_", "DYLD_", "CURSOR_", "CLAUDE_", "BASH_FUNC_"];

/// Why a variable may not be set for later hooks. Case does not count, as on Windows. CUR-OUT-48
fn forbidden(hook: Hook<'_>, name: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains(['=', '\0']) {
        return Some("it is no name of a variable");
    }
    if hook.row.ways.cursors(Way::EnvNames) || hook.asked.allowed_env.iter().any(|known| known == name) {
        return None;
    }
    let name = name.to_ascii_uppercase();
    let steers = STEERING.contains(&&*name) || STEERING_STARTS.iter().any(|start| name.starts_with(start));
    steers.then_some("it would steer how later hooks run")
}

/// Why no process could be started with this value. CUR-OUT-48
fn unusable(value: &str, room: usize) -> Option<&'static str> {
    if value.contains('\0') {
        Some("its value holds a NUL, with which no hook could be started")
    } else if value.len() > room {
        Some("it and those before it hold more than 32 KiB")
    } else {
        None
    }
}
