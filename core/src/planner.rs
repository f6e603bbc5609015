//! Which bindings of a stage run, and what each of them needs for it: a matcher that matches, a
//! condition that holds, standard input, a launch. A firing asks for one stage after another.

use std::sync::Arc;

use crate::{
    Control, Diagnostic, EventId, Invocation, Occasion, Severity, Skipped, Snapshot, Standing, Stdin, Targets, Why,
    invocation::Ticket, matcher::Tested, snapshot::Entry,
};

/// What the matchers of one vendor's event are tested against, kept for the bindings that follow.
struct View<'p> {
    adapter: usize,
    event: EventId,
    targets: Targets<'p>,
}

/// Standard input of one vendor's event, made when the first of its bindings runs.
struct Written {
    adapter: usize,
    event: EventId,
    stdin: Stdin,
}

/// Decides of each binding of a stage whether it runs.
pub(crate) struct Planner<'p> {
    snapshot: &'p Snapshot,
    occasion: Occasion<'p>,
    explain: bool,
    view: Option<View<'p>>,
    written: Vec<Written>,
    pub(crate) asked: Vec<(Invocation, usize)>,
    pub(crate) background: Vec<Invocation>,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) capped: bool,
    identity: Arc<()>,
    first: usize,
}

impl<'p> Planner<'p> {
    pub(crate) fn new(
        snapshot: &'p Snapshot,
        occasion: Occasion<'p>,
        explain: bool,
        identity: Arc<()>,
        first: usize,
    ) -> Self {
        Planner {
            snapshot,
            occasion,
            explain,
            view: None,
            written: Vec::new(),
            asked: Vec::new(),
            background: Vec::new(),
            skipped: Vec::new(),
            diagnostics: Vec::new(),
            capped: false,
            identity,
            first,
        }
    }

    /// The bindings that run, in binding order: those without an obstacle, and of the same hook the
    /// last. Why others do not is said of those that are concerned.
    pub(crate) fn runs<'s>(&mut self, entries: &'s [Entry], concerned: impl Fn(&Entry) -> bool) -> Vec<&'s Entry> {
        let mut runs: Vec<&Entry> = Vec::new();
        for entry in entries {
            if let Some(obstacle) = self.obstacle(entry) {
                if self.explain && concerned(entry) {
                    let why = obstacle.spelled_out(self, entry);
                    self.skip(entry, why);
                }
                continue;
            }
            let same = entry.binding.duplicate.as_ref().and_then(|key| {
                let same = |run: &&Entry| {
                    run.adapter == entry.adapter
                        && run.binding.event == entry.binding.event
                        && run.binding.duplicate.as_ref() == Some(key)
                };
                runs.iter().position(same)
            });
            if let Some(earlier) = same.map(|place| runs.remove(place))
                && self.explain
                && concerned(earlier)
            {
                self.skip(earlier, Why::Duplicate(entry.binding.id.clone()));
            }
            runs.push(entry);
        }
        runs
    }

    fn skip(&mut self, entry: &Entry, why: Why) {
        self.skipped.push(Skipped { binding: entry.binding.clone(), why });
    }

    /// What keeps a binding from running. Allocates nothing for one whose matcher does not match.
    fn obstacle(&mut self, entry: &Entry) -> Option<Obstacle> {
        let binding = &*entry.binding;
        if binding.standing != Standing::Active {
            return Some(Obstacle::Standing);
        }
        if let Some(facet) = entry.moment.facet
            && self.occasion.envelope.payload.facet() != Some(facet)
        {
            return Some(Obstacle::Facet);
        }
        let targets = self.targets(entry);
        let not_this_event = *targets == Targets::NotThisEvent;
        match binding.matcher.test(targets) {
            Tested::Hit => {}
            Tested::Unevaluated(why) => self.diagnostics.push(binding.diagnostic(
                Severity::Warning,
                "matcher-not-evaluated",
                format!("its matcher could not be evaluated, so it runs: {why}"),
            )),
            Tested::Miss if not_this_event => return Some(Obstacle::NotThisEvent),
            Tested::Miss => return Some(Obstacle::Matcher),
        }
        if binding.condition.as_ref().is_some_and(|condition| !condition.holds(self.occasion)) {
            return Some(Obstacle::Condition);
        }
        if binding.once && self.occasion.state.once.contains(&binding.id) {
            return Some(Obstacle::Once);
        }
        let continuations = &self.occasion.state.continuations;
        if binding.loop_limit.is_some_and(|limit| continuations.of(binding.vendor()) >= limit) {
            return Some(Obstacle::LoopLimit);
        }
        // started, it might hand over what nobody will read
        let spec = &self.snapshot.adapters()[entry.adapter].events()[binding.event.index()];
        let onward = spec.control == Control::Continuation && binding.background.is_none();
        if onward && continuations.total >= self.occasion.host.continuation_cap {
            self.capped = true;
            return Some(Obstacle::Cap);
        }
        None
    }

    /// What a binding's matcher is tested against. Bindings of one event mostly follow each other, so
    /// one place to remember it is enough, and takes no memory of its own.
    fn targets(&mut self, entry: &Entry) -> &Targets<'p> {
        let (adapter, event) = (entry.adapter, entry.binding.event);
        let known = self.view.take().filter(|view| view.adapter == adapter && view.event == event);
        let view = known.unwrap_or_else(|| {
            let targets = self.snapshot.adapters()[adapter].targets(event, self.occasion.envelope);
            View { adapter, event, targets }
        });
        &self.view.insert(view).targets
    }

    fn stdin(&mut self, entry: &Entry) -> Stdin {
        let (adapter, event) = (entry.adapter, entry.binding.event);
        if let Some(written) = self.written.iter().find(|w| w.adapter == adapter && w.event == event) {
            return written.stdin.clone();
        }
        let mut out = Vec::new();
        self.diagnostics.extend(self.snapshot.adapters()[adapter].encode(event, self.occasion, &mut out));
        let stdin = Stdin::from(out);
        self.written.push(Written { adapter, event, stdin: stdin.clone() });
        stdin
    }

    pub(crate) fn invoke(&mut self, entry: &Entry) {
        let stdin = self.stdin(entry);
        let adapter = &self.snapshot.adapters()[entry.adapter];
        let spec = &adapter.events()[entry.binding.event.index()];
        let default = || self.occasion.host.default_timeout(entry.moment.boundary);
        let invocation = Invocation {
            binding: entry.binding.clone(),
            launch: adapter.launch(&entry.binding, self.occasion, &stdin),
            stdin,
            timeout: entry.binding.timeout.or(spec.timeout).unwrap_or_else(default),
            budget: entry.binding.budget,
            ticket: Ticket { firing: self.identity.clone(), number: self.first + self.asked.len() },
        };
        match entry.binding.background {
            Some(_) => self.background.push(invocation),
            None => self.asked.push((invocation, entry.adapter)),
        }
    }
}

/// What keeps a binding from running, before anyone asks for words.
#[derive(Clone, Copy)]
enum Obstacle {
    Standing,
    Facet,
    NotThisEvent,
    Matcher,
    Condition,
    Once,
    LoopLimit,
    Cap,
}

impl Obstacle {
    fn spelled_out(self, planner: &mut Planner<'_>, entry: &Entry) -> Why {
        let binding = &*entry.binding;
        match self {
            Obstacle::Standing => Why::Standing(match &binding.standing {
                Standing::Skipped(why) => why.clone(),
                _ => "the host does not fire its boundary yet".into(),
            }),
            Obstacle::Facet => entry.moment.facet.map_or(Why::NotThisEvent, Why::Facet),
            Obstacle::NotThisEvent => Why::NotThisEvent,
            Obstacle::Matcher => {
                let tested = planner.targets(entry).texts().map(Into::into).collect();
                Why::Matcher { matcher: binding.matcher.to_string().into(), tested }
            }
            Obstacle::Condition => {
                Why::Condition(binding.condition.as_ref().map_or("", |condition| condition.text()).into())
            }
            Obstacle::Once => Why::Once,
            Obstacle::LoopLimit => Why::LoopLimit {
                limit: binding.loop_limit.unwrap_or_default(),
                count: planner.occasion.state.continuations.of(binding.vendor()),
            },
            Obstacle::Cap => Why::ContinuationCap(planner.occasion.host.continuation_cap),
        }
    }
}
