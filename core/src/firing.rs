//! One occurrence under way: a machine without I/O and without a clock, and the only file where
//! everything meets. Whoever drives it runs the invocations.

use std::{borrow::Cow, collections::HashMap, sync::Arc};

use crate::{
    Adapter, Asked, Binding, BindingId, By, Capabilities, Change, Circumstances, Control, Decision, Diagnostic,
    Effects, Envelope, Exit, Invocation, Merged, Misfit, Occasion, Outcome, Payload, SessionState, Severity, Skipped,
    Snapshot, ToolCall, ToolOutput, Unsupported, Vendor, Verdict, Why, cleaned,
    decision::{cap_reached, is_settled, resolve},
    planner::Planner,
    snapshot::Entry,
};

/// The stages of an occurrence as if every hook had nothing to say, and of each binding that is left
/// out why. It looks ahead and decides nothing.
#[derive(Debug)]
pub struct Preview<'e>(Firing<'e>);

impl<'e> Preview<'e> {
    pub(crate) fn new(firing: Firing<'e>) -> Self {
        Preview(firing.explaining())
    }

    /// What the next stage would run.
    pub fn next_stage(&mut self) -> Option<Stage> {
        let stage = self.0.next_stage()?;
        if let Some(open) = &mut self.0.open {
            open.passed = true;
        }
        Some(stage)
    }

    /// The envelope, which nothing changes.
    pub fn envelope(&self) -> &Envelope {
        &self.0.envelope
    }
}

/// One occurrence of a boundary under way.
///
/// ```ignore
/// let mut firing = snapshot.begin(&envelope, state);
/// while let Some(stage) = firing.next_stage() {
///     for invocation in &stage.invocations {
///         firing.report(invocation, &run(invocation));
///     }
/// }
/// let fired = firing.finish();
/// ```
#[derive(Debug)]
pub struct Firing<'e> {
    snapshot: Arc<Snapshot>,
    envelope: Cow<'e, Envelope>, // owned only once a rewrite happened
    state: SessionState,
    explain: bool,
    /// The lowest stage that was not planned yet; `None` once there can be none.
    from: Option<u16>,
    /// The lowest stage that is never planned, because what was said before it refuses.
    refused_from: Option<u16>,
    open: Option<Open>,
    merged: Merged,
    /// The call as each rewrite left it, the first as it came.
    calls: Vec<ToolCall>,
    judged: Judged,
    output: Option<ToolOutput>,
    diagnostics: Vec<Diagnostic>,
    /// What its invocations are known by.
    identity: Arc<()>,
    /// How many invocations were planned.
    tickets: usize,
    /// Hooks that run once in a session, and were started.
    once: Vec<BindingId>,
    /// Hooks were not started because the agent went on as often as the host lets it.
    capped: bool,
}

/// What each hook that can refuse judged, in the order in which they were first asked.
#[derive(Debug, Default)]
struct Judged {
    order: Vec<Judge>,
    places: HashMap<BindingId, usize>,
}

/// A hook that can refuse: the call it judged last, and the one it allowed last, by their places among
/// the calls.
#[derive(Debug)]
struct Judge {
    id: BindingId,
    call: usize,
    allowed: Option<usize>,
}

impl Judged {
    fn set(&mut self, by: &BindingId, call: usize) {
        match self.places.get(by) {
            Some(place) => self.order[*place].call = call,
            None => {
                self.places.insert(by.clone(), self.order.len());
                self.order.push(Judge { id: by.clone(), call, allowed: None });
            }
        }
    }

    /// It allowed what it judged last.
    fn allow(&mut self, by: &BindingId) {
        if let Some(place) = self.places.get(by) {
            let judge = &mut self.order[*place];
            judge.allowed = Some(judge.call);
        }
    }

    fn get(&self, by: &BindingId) -> Option<usize> {
        self.places.get(by).map(|place| self.order[*place].call)
    }
}

/// The stage under way.
#[derive(Debug)]
struct Open {
    number: u16,
    round: Round,
    /// The ticket of the first that was asked; the others follow.
    first: usize,
    asked: Vec<(Invocation, usize)>, // with the number of its adapter
    said: Vec<Option<Effects>>,      // one place for each that was asked
    passed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    First,
    /// Once more, with the call as the first round left it.
    Again,
}

/// Invocations to run side by side.
#[derive(Debug)]
#[non_exhaustive]
pub struct Stage {
    /// The stage's number.
    pub number: u16,
    /// Its hooks judge once more, with the call as the first round left it.
    pub rejudging: bool,
    /// What to run.
    pub invocations: Vec<Invocation>,
    /// What to run beside it and not to wait for; what comes back goes to [`Snapshot::afterwards`].
    pub background: Vec<Invocation>,
    /// What does not run, and why. Empty unless asked for with [`Firing::explaining`].
    pub skipped: Vec<Skipped>,
    /// What could not be written to a hook's standard input.
    pub diagnostics: Vec<Diagnostic>,
}

/// What came of an occurrence.
#[derive(Debug)]
#[non_exhaustive]
pub struct Fired {
    /// What the host must do.
    pub decision: Decision,
    /// What every hook asked for.
    pub merged: Merged,
    /// What it leaves behind for later hooks of the session.
    pub change: Change,
}

impl<'e> Firing<'e> {
    pub(crate) fn new(snapshot: Arc<Snapshot>, envelope: &'e Envelope, state: SessionState) -> Self {
        Firing {
            snapshot,
            envelope: Cow::Borrowed(envelope),
            state,
            explain: false,
            from: Some(0),
            refused_from: None,
            open: None,
            merged: Merged::default(),
            calls: Vec::new(),
            judged: Judged::default(),
            output: None,
            diagnostics: Vec::new(),
            identity: Arc::new(()),
            tickets: 0,
            once: Vec::new(),
            capped: false,
        }
    }

    /// Also says of each binding on the boundary why it does not run.
    pub fn explaining(mut self) -> Self {
        self.explain = true;
        self
    }

    /// The envelope as the stages so far left it.
    pub fn envelope(&self) -> &Envelope {
        &self.envelope
    }

    /// Closes the stage under way and plans the next: a second round of it where a rewrite was not
    /// judged by all, else the next one. None after a denial. What was not reported counts as
    /// cancelled.
    pub fn next_stage(&mut self) -> Option<Stage> {
        let again = self.close();
        if is_settled(&self.merged, self.snapshot.host(), self.envelope.boundary()) {
            self.refused_from = self.from.take().or(self.refused_from);
            return None;
        }
        if let Some(number) = again
            && let Some(stage) = self.plan(number, Round::Again)
        {
            return Some(stage);
        }
        loop {
            let from = self.from?;
            let entries = self.snapshot.entries(self.envelope.boundary());
            // sorted by stage, so the first at or above is the lowest
            let number = entries[entries.partition_point(|e| e.moment.stage < from)..].first()?.moment.stage;
            self.from = number.checked_add(1);
            if let Some(stage) = self.plan(number, Round::First) {
                return Some(stage);
            }
        }
    }

    /// The bindings of stages that are never planned because an earlier one refused, in the order in
    /// which they would have been, and why each does not run: for that, or because it would not have
    /// run in any case. Empty until [`next_stage`](Self::next_stage) gave none.
    pub fn never_reached(&self) -> Vec<Skipped> {
        let Some(from) = self.refused_from else { return Vec::new() };
        let entries = self.snapshot.entries(self.envelope.boundary());
        let later = &entries[entries.partition_point(|e| e.moment.stage < from)..];
        let mut never = Vec::with_capacity(later.len());
        for stage in later.chunk_by(|a, b| a.moment.stage == b.moment.stage) {
            let occasion = Occasion::new(&self.envelope, self.snapshot.host(), &self.state);
            let mut planner = Planner::new(&self.snapshot, occasion, true, self.identity.clone(), self.tickets);
            let runs = planner.runs(stage, |_| true);
            let refused = runs.iter().map(|entry| Skipped { binding: entry.binding.clone(), why: Why::EarlierStage });
            let mut here: Vec<_> = planner.skipped.into_iter().chain(refused).collect();
            here.sort_by_key(|skipped| stage.iter().position(|entry| Arc::ptr_eq(&entry.binding, &skipped.binding)));
            never.extend(here);
        }
        never
    }

    /// Says what came of an invocation, in any order, and what it is taken to mean. A second
    /// report of the same invocation is ignored, and so is one of another firing.
    pub fn report(&mut self, invocation: &Invocation, outcome: &Outcome) -> Effects {
        let Some(place) = self.place(invocation) else { return Effects::default() };
        let Some(open) = &self.open else { return Effects::default() };
        if let Some(effects) = &open.said[place] {
            return effects.clone();
        }
        let (invocation, adapter) = &open.asked[place];
        let effects = self.decode(&invocation.binding, *adapter, outcome);
        if let Some(open) = &mut self.open {
            open.said[place] = Some(effects.clone());
        }
        effects
    }

    /// Where an invocation is in the stage under way, if it is of that stage.
    fn place(&self, invocation: &Invocation) -> Option<usize> {
        let open = self.open.as_ref()?;
        let place = invocation.ticket.number.checked_sub(open.first)?;
        let known = Arc::ptr_eq(&invocation.ticket.firing, &self.identity) && place < open.asked.len();
        known.then_some(place)
    }

    /// Closes the stage under way and resolves everything.
    pub fn finish(mut self) -> Fired {
        self.close();
        let envelope = &*self.envelope;
        let rewritten = match self.calls.as_slice() {
            [first, .., last] if first != last => Some((first.clone(), last.clone())),
            _ => None,
        };
        let is_another = |call: usize| self.calls.get(call) != self.calls.last();
        let judges = self.judged.order.iter();
        let circumstances = Circumstances {
            rewritten,
            output: self.output.clone(),
            judged_earlier: judges.clone().filter(|j| is_another(j.call)).map(|j| j.id.clone()).collect(),
            lapsed: judges.filter_map(|j| j.allowed).any(is_another),
            ..Circumstances::new(self.snapshot.host(), envelope.boundary())
                .continued(self.state.continuations.total)
                .refused(self.snapshot.refused(envelope))
        };
        let mut decision = resolve(self.merged.clone(), circumstances);
        decision.diagnostics.extend(self.diagnostics);
        decision.diagnostics.extend(self.snapshot.untrusted(envelope));
        if self.capped {
            decision.diagnostics.push(cap_reached(self.snapshot.host(), self.state.continuations.total));
        }
        let mut change = Change::of(envelope, &decision, |by| vendor_of(&self.snapshot, by));
        change.once = self.once;
        Fired { decision, merged: self.merged, change }
    }

    fn decode(&self, binding: &Binding, adapter: usize, outcome: &Outcome) -> Effects {
        decode(&self.snapshot, adapter, binding, &self.envelope, outcome)
    }

    /// Plans a stage; `None` if there is nothing to run, and nothing to explain.
    fn plan(&mut self, number: u16, round: Round) -> Option<Stage> {
        let snapshot = self.snapshot.clone();
        let entries = snapshot.entries(self.envelope.boundary());
        let start = entries.partition_point(|e| e.moment.stage < number);
        let end = entries.partition_point(|e| e.moment.stage <= number);
        let first = self.tickets;
        let occasion = Occasion::new(&self.envelope, snapshot.host(), &self.state);
        let mut planner = Planner::new(&snapshot, occasion, self.explain, self.identity.clone(), first);
        let concerned = |entry: &Entry| round == Round::First || self.judges_again(&snapshot, entry);
        let runs = planner.runs(&entries[start..end], concerned);
        runs.iter().filter(|entry| concerned(entry)).for_each(|entry| planner.invoke(entry));
        let Planner { asked, background, skipped, diagnostics, capped, .. } = planner;
        self.tickets += asked.len();
        self.capped |= capped;
        for diagnostic in &diagnostics {
            if !self.diagnostics.contains(diagnostic) {
                self.diagnostics.push(diagnostic.clone()); // a second round has the same to say
            }
        }
        if asked.is_empty() && background.is_empty() && (skipped.is_empty() || round == Round::Again) {
            return None;
        }
        self.note_judges(&asked);
        let started = asked.iter().map(|(invocation, _)| invocation).chain(&background);
        self.once.extend(started.filter(|i| i.binding.once).map(|i| i.binding.id.clone()));
        let invocations = asked.iter().map(|(invocation, _)| invocation.clone()).collect();
        let said = asked.iter().map(|_| None).collect();
        self.open = Some(Open { number, round, first, asked, said, passed: false });
        Some(Stage { number, rejudging: round == Round::Again, invocations, background, skipped, diagnostics })
    }

    /// A second round is for those that can refuse and have not judged the call as it is now.
    fn judges_again(&self, snapshot: &Snapshot, entry: &Entry) -> bool {
        let spec = &snapshot.adapters()[entry.adapter].events()[entry.binding.event.index()];
        let current = self.calls.len().checked_sub(1);
        let awaited = entry.binding.background.is_none();
        awaited && spec.control == Control::Verdict && self.judged.get(&entry.binding.id) != current
    }

    /// Remembers which call those that can refuse are about to judge.
    fn note_judges(&mut self, asked: &[(Invocation, usize)]) {
        let Some(call) = self.envelope.payload.call() else { return };
        if self.calls.is_empty() {
            self.calls.push(call.clone());
        }
        let current = self.calls.len() - 1;
        for (invocation, adapter) in asked {
            let events = self.snapshot.adapters()[*adapter].events();
            if events[invocation.binding.event.index()].control == Control::Verdict {
                self.judged.set(&invocation.binding.id, current);
            }
        }
    }

    /// Decodes what was not reported, applies rewrites in binding order, and merges. Gives the
    /// stage's number where its hooks should judge once more.
    fn close(&mut self) -> Option<u16> {
        let Open { number, round, asked, said: reported, passed, .. } = self.open.take()?;
        let before = self.calls.len();
        let mut said = Vec::with_capacity(asked.len());
        for ((invocation, adapter), effects) in asked.into_iter().zip(reported) {
            if passed && effects.is_none() {
                continue;
            }
            let cancelled = || self.decode(&invocation.binding, adapter, &Outcome::new(Exit::Cancelled));
            let mut effects = effects.unwrap_or_else(cancelled);
            let adapter = self.snapshot.adapters()[adapter].clone();
            self.rewrite_input(&*adapter, round, &invocation.binding, &mut effects);
            self.rewrite_result(&*adapter, &mut effects);
            if effects.verdict == Some(Verdict::Allow) {
                self.judged.allow(&invocation.binding.id);
            }
            if round == Round::Again {
                self.merged.leave_out_said(&invocation.binding.id, &mut effects);
            }
            said.push(By::new(invocation.binding.id.clone(), effects));
        }
        self.merged = std::mem::take(&mut self.merged).then(Merged::all(said));
        let changed = self.calls.len() > before;
        (changed && round == Round::First && self.snapshot.host().rejudge).then_some(number)
    }

    /// Applies a wish for another input to the call as it is now. One that does not fit, or comes
    /// in a second round, is a denial that says so.
    fn rewrite_input(&mut self, adapter: &dyn Adapter, round: Round, binding: &Binding, effects: &mut Effects) {
        let Some(wish) = &effects.replacement_input else { return };
        let host = self.snapshot.host();
        if !host.honours.has(Capabilities::REWRITE_INPUT) || effects.verdict == Some(Verdict::Deny) {
            return;
        }
        let Some(current) = self.envelope.payload.pending_call() else {
            let event = binding.event_name.to_string();
            let message = format!("nothing is about to be called at {event}, so its input cannot be another");
            effects.diagnostics.push(binding.diagnostic(Severity::Warning, "unsupported-effect", message));
            effects.unsupported.push(Unsupported { field: "another input".into(), event });
            effects.replacement_input = None;
            return;
        };
        let why = match adapter.rewrite(current, wish) {
            Ok(call) if call == *current => return,
            Ok(_) if round == Round::Again => {
                "wants yet another input although it was shown the one another hook made".to_owned()
            }
            Ok(call) => {
                if let Some(pending) = self.envelope.to_mut().payload.pending_call_mut() {
                    *pending = call.clone();
                    self.calls.push(call);
                    self.judged.set(&binding.id, self.calls.len() - 1);
                }
                return;
            }
            Err(Misfit(why)) => format!("wants an input that does not fit: {why}"),
        };
        let label = cleaned(label(binding)).unwrap_or_default();
        effects.verdict = Some(Verdict::Deny);
        effects.reasons.push(format!("{} refused this call: the hook `{label}` {why}.", host.name).into());
    }

    /// Applies a wish for another result. One that does not fit is reported and the result kept.
    fn rewrite_result(&mut self, adapter: &dyn Adapter, effects: &mut Effects) {
        let Some(wish) = &effects.replacement_result else { return };
        let Payload::ToolResult(payload) = &self.envelope.payload else { return };
        let current = self.output.as_ref().unwrap_or(&payload.output);
        match adapter.rewrite_result(&payload.call, current, &wish.value) {
            Ok(output) => self.output = Some(output),
            Err(Misfit(why)) => effects.diagnostics.push(Diagnostic::warning(
                format!("{}/result-misfit", adapter.vendor()),
                format!("the result the hook wants does not fit, so the tool's own is kept: {why}"),
            )),
        }
    }
}

impl Snapshot {
    /// Whether a hook whose first line on standard output is this wants nobody to wait for it any
    /// longer.
    pub fn detaches(&self, invocation: &Invocation, line: &[u8]) -> bool {
        let binding = &*invocation.binding;
        let mut adapters = self.adapters().iter().filter(|adapter| adapter.vendor() == *binding.vendor());
        binding.background.is_none() && adapters.any(|adapter| adapter.detaches(binding.event, line))
    }

    /// What a hook of [`Stage::background`], or one that [detached](Self::detaches), asked for, as far as it still means something now that
    /// what it was asked about is over.
    pub fn afterwards(&self, invocation: &Invocation, envelope: &Envelope, outcome: &Outcome) -> By<Effects> {
        let binding = &*invocation.binding;
        let adapter = self.adapters().iter().position(|adapter| adapter.vendor() == *binding.vendor());
        let effects = adapter.map(|adapter| decode(self, adapter, binding, envelope, outcome)).unwrap_or_default();
        let wakes = binding.background.is_some_and(|background| background.wakes);
        By::new(binding.id.clone(), effects.after_the_fact(wakes))
    }
}

fn decode(snapshot: &Snapshot, adapter: usize, binding: &Binding, envelope: &Envelope, outcome: &Outcome) -> Effects {
    let host = snapshot.host();
    let asked = Asked::new(binding.event, &host.name, label(binding))
        .failure(binding.failure)
        .strict(host.strict)
        .loop_limit(binding.loop_limit)
        .allowed_env(&host.allowed_env)
        .handler(&binding.handler)
        .envelope(envelope);
    snapshot.adapters()[adapter].decode(asked, outcome)
}

fn vendor_of(snapshot: &Snapshot, by: &BindingId) -> Vendor {
    let vendors = snapshot.adapters().iter().map(|adapter| adapter.vendor());
    vendors.into_iter().find(|vendor| vendor.as_str() == by.vendor()).unwrap_or(Vendor::new("host"))
}

/// What a person knows a hook by: its command, or its id where nothing of the command can be shown.
fn label(binding: &Binding) -> &str {
    let text = binding.handler.text();
    let shows = text.chars().any(|c| !c.is_control() && !c.is_whitespace());
    if shows { text } else { binding.id.as_str() }
}
