//! The steps of a change, in their order.

use std::collections::BTreeMap;

use super::{Msg, Next, Stage, Standing, Update};
use crate::NodeId;
use crate::batched::service::Service;
use crate::batched::{self, Batched, Cell};
use crate::object::Event;
use crate::overlay::ldb::{Change, Kind, Ldb, Spot, middle};
use crate::protocol::{Env, Hosts};

type GroupMsg<S> = Msg<<S as Service>::Key, S>;

impl<S: Service> Batched<S> {
    fn tell_group(&mut self, to: NodeId, msg: GroupMsg<S>, env: &mut impl Env<Self>) {
        env.send(to, batched::Msg::Group(msg));
    }

    pub(in crate::batched) fn join(&mut self, contact: NodeId, env: &mut impl Env<Self>) {
        if self.group.standing == Standing::Outside {
            self.group.standing = Standing::Joining(Vec::new());
            self.tell_group(contact, Msg::Join(self.ldb.me()), env);
        }
    }

    pub(in crate::batched) fn leave(&mut self, env: &mut impl Env<Self>) {
        if self.group.standing == Standing::Member {
            self.group.standing = Standing::Leaving;
            self.want(env);
        }
    }

    fn on_join(&mut self, process: NodeId, env: &mut impl Env<Self>) {
        if let Standing::Left(heir) = self.group.standing {
            return self.tell_group(heir, Msg::Join(process), env);
        }
        self.group.guests.push(process);
        if self.is_member() {
            self.want(env);
        } // Else it will, as soon as it is one.
    }

    /// Lets the anchor know that somebody wants a change. If there is one now, that is in time for
    /// it, or waits for its end.
    fn want(&mut self, env: &mut impl Env<Self>) {
        if self.group.update.is_some() {
            return;
        }
        match self.ldb.parent() {
            Some(parent) => self.tell_group(parent, Msg::Wanted, env),
            None => {
                self.waves.hold();
                self.halt_if_held(env);
            }
        }
    }

    /// The anchor begins a change as soon as all have taken part in a wave.
    pub(in crate::batched) fn halt_if_held(&mut self, env: &mut impl Env<Self>) {
        if self.waves.is_held() && self.is_member() && self.group.update.is_none() {
            self.halt(env);
        }
    }

    fn halt(&mut self, env: &mut impl Env<Self>) {
        let children: Vec<_> = self.ldb.children().collect();
        for &child in &children {
            self.tell_group(child, Msg::Halt, env);
        }
        let update = Update {
            stage: Stage::Quieting,
            parent: self.ldb.parent(),
            missing: children.clone(),
            children,
            change: Change::default(),
            unarrived: 0,
            next: Next::Nothing,
        };
        self.group.update = Some(Box::new(update));
        self.report_if_quiet(env);
    }

    pub(in crate::batched) fn report_if_quiet(&mut self, env: &mut impl Env<Self>) {
        let is_quiet = self.travelling.is_empty();
        let Some(update) = self.group.in_stage(Stage::Quieting) else { return };
        if !is_quiet || !update.missing.is_empty() {
            return;
        }
        let (mut change, parent) = (std::mem::take(&mut update.change), update.parent);
        let guests = std::mem::take(&mut self.group.guests);
        change.joining.extend(guests.into_iter().map(|it| (it, middle(self.mixer, it))));
        if self.group.standing == Standing::Leaving && self.waves.is_idle() {
            change.leaving.push(self.ldb.clone());
        }
        if let Some(parent) = parent {
            return self.tell_group(parent, Msg::Quiet(Box::new(change)), env);
        }
        if change.leaving.len() == self.ldb.processes() as usize {
            change.leaving.retain(|ldb| ldb.me() != self.ldb.me()); // Somebody has to stay.
        }
        self.update(change, env);
    }

    /// The change is known: everything goes where it belongs.
    fn update(&mut self, change: Change, env: &mut impl Env<Self>) {
        let Some(update) = self.group.in_stage(Stage::Quieting) else { return };
        let mut children = update.children.clone();
        for &child in &children {
            self.tell_group(child, Msg::Update(Box::new(change.clone())), env);
        }
        if !change.is_leaving(self.ldb.me()) {
            let (processes, wave) = (self.ldb.after(&change).processes(), self.waves.wave());
            for spot in self.ldb.gaps(&change) {
                if spot.at.kind == Kind::Left {
                    children.push(spot.at.node);
                }
                let place = Msg::Place { spot: Box::new(spot), processes, wave };
                self.tell_group(spot.at.node, place, env);
            }
        }
        let unarrived = self.move_elements(&change, env) + self.move_anchor(&change, env);
        if let Some(update) = self.group.in_stage(Stage::Quieting) {
            update.missing = children.clone();
            (update.stage, update.children) = (Stage::Moving, children);
            (update.unarrived, update.change) = (unarrived, change);
        }
        self.report_if_ready(env);
    }

    /// Sends elements to those that are responsible from now on; returns to how many.
    fn move_elements(&mut self, change: &Change, env: &mut impl Env<Self>) -> u32 {
        let mut moves: BTreeMap<NodeId, Vec<(S::Key, u64)>> = BTreeMap::new();
        for (&key, cell) in &self.cells {
            let heir = self.ldb.heir(S::point(self.mixer, key), change);
            if let Cell::Element(element) = *cell
                && heir != self.ldb.me()
            {
                moves.entry(heir).or_default().push((key, element));
            }
        }
        let sent = moves.len() as u32;
        for (heir, elements) in moves {
            for (key, _) in &elements {
                self.cells.remove(key);
            }
            self.tally.handed_over += elements.len() as u64;
            self.tell_group(heir, Msg::Elements(elements), env);
        }
        sent
    }

    /// Sends what the anchor knows to the next anchor; returns to how many.
    fn move_anchor(&mut self, change: &Change, env: &mut impl Env<Self>) -> u32 {
        let Some(service) = self.waves.resign().map(Box::new) else { return 0 };
        match self.ldb.next_anchor(change) {
            next if next == self.ldb.me() => {
                self.group.inherited = Some(service);
                0
            }
            next => {
                self.tell_group(next, Msg::Anchor(service), env);
                1
            }
        }
    }

    fn report_if_ready(&mut self, env: &mut impl Env<Self>) {
        let Some(update) = self.group.in_stage(Stage::Moving) else { return };
        if update.unarrived > 0 || !update.missing.is_empty() {
            return;
        }
        match update.parent {
            Some(parent) => self.tell_group(parent, Msg::Ready, env),
            None => self.commit(env),
        }
    }

    /// Everything is in place: takes its new place.
    fn commit(&mut self, env: &mut impl Env<Self>) {
        let Some(update) = self.group.in_stage(Stage::Moving) else { return };
        update.stage = Stage::Switching;
        update.missing.clone_from(&update.children);
        let children = update.children.clone();
        if !update.change.is_leaving(self.ldb.me()) {
            self.ldb = self.ldb.after(&update.change);
            let service = self.group.inherited.take().map(|service| *service);
            let wave = self.waves.wave();
            self.waves.rebuild(wave + 1, self.ldb.parent(), self.ldb.children(), service);
        }
        for child in children {
            self.tell_group(child, Msg::Commit, env);
        }
        self.report_if_switched(env);
    }

    fn report_if_switched(&mut self, env: &mut impl Env<Self>) {
        let Some(update) = self.group.in_stage(Stage::Switching) else { return };
        match update.parent {
            _ if !update.missing.is_empty() => {}
            Some(parent) => self.tell_group(parent, Msg::Switched, env),
            None => self.start(env),
        }
    }

    /// All have switched.
    fn start(&mut self, env: &mut impl Env<Self>) {
        if self.group.in_stage(Stage::Switching).is_none() {
            return;
        }
        let Some(update) = self.group.update.take() else { return };
        for &child in &update.children {
            self.tell_group(child, Msg::Start, env);
        }
        if update.change.is_leaving(self.ldb.me()) {
            return self.go(&update.change, env);
        }
        self.group.changes += 1;
        if let Standing::Joining(_) = self.group.standing {
            self.group.standing = Standing::Member;
            env.emit(Event::Joined);
        }
        if update.next == Next::Halted {
            return self.halt(env);
        }
        self.run(env, |waves, env| waves.resume(env));
        let may_leave = self.group.standing == Standing::Leaving && self.ldb.processes() > 1;
        if may_leave || update.next == Next::Wanted || !self.group.guests.is_empty() {
            self.want(env);
        }
    }

    /// It has left. Who asks it to join comes to the one that has taken its place.
    fn go(&mut self, change: &Change, env: &mut impl Env<Self>) {
        let heir = self.ldb.heir(self.ldb.own(Kind::Middle).label, change);
        self.group.standing = Standing::Left(heir);
        for guest in std::mem::take(&mut self.group.guests) {
            self.tell_group(heir, Msg::Join(guest), env);
        }
        env.emit(Event::Left);
    }

    /// It learns the place of one of its virtual nodes, in a network that it joins.
    fn on_place(&mut self, from: NodeId, spot: Spot, processes: u32, wave: u32) {
        let Standing::Joining(spots) = &mut self.group.standing else { return };
        if spots.iter().any(|other| other.at == spot.at) {
            return; // A duplicate.
        }
        spots.push(spot);
        spots.sort_unstable_by_key(|spot| spot.at.kind);
        let update = self.group.update.get_or_insert_with(|| {
            Box::new(Update {
                stage: Stage::Moving,
                parent: None,
                children: Vec::new(),
                missing: Vec::new(),
                change: Change::default(),
                unarrived: 3,
                next: Next::Nothing,
            })
        });
        update.unarrived -= 1;
        if spot.at.kind == Kind::Left {
            update.parent = Some(from);
        }
        if let Ok(spots) = <[Spot; 3]>::try_from(spots.as_slice()) {
            self.ldb = Ldb::joined(processes, spots);
            self.waves.rebuild(wave, Some(from), std::iter::empty(), None);
        }
    }

    pub(in crate::batched) fn on_group(
        &mut self,
        from: NodeId,
        msg: GroupMsg<S>,
        env: &mut impl Env<Self>,
    ) {
        match msg {
            Msg::Join(process) => self.on_join(process, env),
            Msg::Wanted => match self.group.update.as_deref_mut() {
                None => self.want(env),
                Some(update)
                    if update.stage == Stage::Switching && update.next == Next::Nothing =>
                {
                    update.next = Next::Wanted;
                }
                Some(_) => {} // In time for this change, or for the next, which has begun.
            },
            Msg::Halt => match self.group.update.as_deref_mut() {
                None => self.halt(env),
                Some(update) => update.next = Next::Halted,
            },
            Msg::Quiet(change) => {
                if let Some(update) = self.group.in_stage(Stage::Quieting) {
                    update.change.add(*change);
                    update.missing.retain(|child| *child != from);
                    self.report_if_quiet(env);
                }
            }
            Msg::Update(change) => self.update(*change, env),
            Msg::Place { spot, processes, wave } => {
                self.on_place(from, *spot, processes, wave);
                self.report_if_ready(env);
            }
            Msg::Elements(elements) => {
                let cells = elements.into_iter().map(|(key, it)| (key, Cell::Element(it)));
                self.cells.extend(cells);
                self.tell_group(from, Msg::Taken, env);
            }
            Msg::Anchor(service) => {
                self.group.inherited = Some(service);
                self.tell_group(from, Msg::Taken, env);
            }
            Msg::Taken => {
                if let Some(update) = self.group.in_stage(Stage::Moving) {
                    update.unarrived = update.unarrived.saturating_sub(1);
                    self.report_if_ready(env);
                }
            }
            Msg::Ready => {
                if let Some(update) = self.group.in_stage(Stage::Moving) {
                    update.missing.retain(|child| *child != from);
                    self.report_if_ready(env);
                }
            }
            Msg::Commit => self.commit(env),
            Msg::Switched => {
                if let Some(update) = self.group.in_stage(Stage::Switching) {
                    update.missing.retain(|child| *child != from);
                    self.report_if_switched(env);
                }
            }
            Msg::Start => self.start(env),
        }
    }
}
