// A card for each node: its phase, its state, its inbox. The network for keyboards and screen readers.

import { fields } from "./debug.js";
import { make } from "./paint.js";
import { words } from "./words.js";

const WHOLE = 12;
const SHOWN = 300;

export class Cards {
  constructor(box, lab) {
    this.lab = lab;
    this.list = make("div", { class: "cards" });
    box.append(this.list);
  }

  draw() {
    const { film, at } = this.lab;
    const acts = at > 0 ? film.actor(at - 1) : null;
    const inbox = new Map();
    for (const message of film.transit(at)) {
      if (!inbox.has(message.to)) inbox.set(message.to, []);
      inbox.get(message.to).push(message);
    }
    const shown = film.first.slice(0, SHOWN);
    this.list.replaceChildren(...shown.map(({ id }) => this.#card(film, at, id, id === acts, inbox.get(id) ?? [])));
  }

  #card(film, at, id, acts, inbox) {
    const node = film.node(id, at);
    const phase = film.phase(id, at);
    const head = make("h2", {},
      make("button", { type: "button", onclick: () => this.lab.select({ node: id }) }, words.node(film.label(id))));
    const status = node.status === "up" ? phaseName(film, phase) : words.status[node.status];
    const state = film.first.length <= WHOLE ? stateTable(film, id, at, 6) : null;
    const messages = inbox.slice(0, 8).map((message) =>
      make("button", {
        type: "button",
        title: `${words.deliver}: ${message.text}`,
        onclick: () => this.lab.deliver(message.number),
      }, `${message.kind} ← ${film.label(message.from)}`));
    if (inbox.length > 8) messages.push(make("span", { class: "soft" }, `+ ${inbox.length - 8}`));
    return make("div", { class: "card", "data-phase": phase, "data-status": node.status, "data-acts": acts },
      head, make("div", { class: "soft" }, status), state, make("div", { class: "inbox" }, messages));
  }
}

export function phaseName(film, phase) {
  return phase === "holds" ? film.cast.words.held || words.phase.holds : words.phase[phase];
}

// The fields of a node's state that change in this film, with what they were before.
export function stateTable(film, id, at, most = 40) {
  const index = film.last(id, at);
  const now = fields(film.node(id, at).state);
  const before = index >= 0 && index === at - 1 ? new Map(fields(film.node(id, at - 1).state).fields) : null;
  const changing = changes(film, id);
  const rows = now.fields.filter(([name]) => changing.has(name)).slice(0, most);
  const row = ([name, text]) => {
    const old = before?.get(name);
    const changed = before && old !== text;
    return make("tr", {}, make("td", {}, name),
      make("td", { class: "mono" },
        changed && old !== undefined ? [make("span", { class: "was" }, cut(old)), " "] : [],
        make("span", { class: changed ? "changed" : "" }, cut(text))));
  };
  const still = now.fields.length - now.fields.filter(([name]) => changing.has(name)).length;
  return make("div", {},
    make("table", { class: "state" }, make("tbody", {}, rows.map(row))),
    still > 0 ? make("details", {}, make("summary", { class: "soft" }, words.unchanged(still)),
      make("table", { class: "state" }, make("tbody", {}, now.fields.filter(([name]) => !changing.has(name))
        .map(([name, text]) => make("tr", {}, make("td", {}, name), make("td", { class: "mono" }, cut(text))))))) : null);
}

function cut(text) {
  return text.length > 160 ? `${text.slice(0, 157)}...` : text;
}

// The names of the fields of a node that have different values at different moments.
function changes(film, id) {
  film.changing ??= [];
  if (film.changing[id]) return film.changing[id];
  const seen = new Map(fields(film.first[id].state).fields);
  const found = new Set();
  for (const index of film.byNode[id].slice(0, 400)) {
    for (const [name, text] of fields(film.lines[index].note.seen.state).fields) {
      if (seen.get(name) !== text) found.add(name);
    }
  }
  return (film.changing[id] = found);
}
