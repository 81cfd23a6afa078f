// The side panel: what just happened, the selected node, what can happen, the promises.

import { phaseName, stateTable } from "./cards.js";
import { sentence } from "./film.js";
import { make } from "./paint.js";
import { words } from "./words.js";

// Messages before everything else: there, a person has most to choose.
export function arrivalsFirst(options) {
  return [...options.filter((it) => it.message !== null), ...options.filter((it) => it.message === null)];
}

export class Side {
  constructor(box, lab) {
    this.lab = lab;
    this.box = box;
    this.now = make("section", {});
    this.node = make("section", {});
    this.moves = make("section", {});
    this.promises = make("section", {});
    box.append(this.now, this.node, this.moves, this.promises);
  }

  draw() {
    this.#drawNow();
    this.#drawNode();
    this.drawMoves();
    this.#drawPromises();
  }

  #drawNow() {
    const { film, at } = this.lab;
    const head = make("h2", {}, words.now);
    if (at === 0) {
      this.now.replaceChildren(head, make("p", { class: "now" }, words.begin));
      return;
    }
    const line = film.lines[at - 1];
    const { what, all } = sentence(line);
    const effects = all.slice(0, 8).map((text, place) =>
      make("li", {}, line.note.src[place]
        ? make("button", { class: "effect", type: "button", onclick: () => this.lab.showCode(place) }, text)
        : text));
    if (all.length > 8) effects.push(make("li", { class: "soft" }, `+ ${all.length - 8}`));
    const broken = (line.note.broken ?? []).map((it) =>
      make("p", { class: "bad" }, `${it.promise}: ${it.detail}`));
    this.now.replaceChildren(head, make("p", { class: "now" }, what), make("ul", {}, effects), ...broken);
  }

  #drawNode() {
    const { film, at, selected } = this.lab;
    const id = selected?.node ?? (at > 0 ? film.actor(at - 1) : null);
    if (id === null || id === undefined || !film.first[id]) {
      this.node.replaceChildren(make("p", { class: "soft" }, words.noNode));
      return;
    }
    const node = film.node(id, at);
    const phase = node.status === "up" ? phaseName(film, film.phase(id, at)) : words.status[node.status];
    const waits = node.waits?.length > 0 ? ` · ${words.waitsFor(node.waits.map((it) => film.label(it)).join(", "))}` : "";
    this.node.replaceChildren(
      make("h2", {}, `${words.node(film.label(id))} · ${phase}${waits}`), stateTable(film, id, at));
  }

  drawMoves() {
    const standing = this.lab.standing;
    if (!standing) {
      this.moves.replaceChildren(make("h2", {}, words.options("…")));
      return;
    }
    const options = arrivalsFirst(standing.options);
    const rows = options.slice(0, 60).map((option, place) => make("li", {},
      make("button", { class: "do", type: "button", "data-do": option.do, onclick: () => this.lab.perform(option.do) },
        place < 9 ? make("kbd", {}, String(place + 1)) : "", option.text),
      option.message !== null && [
        this.#less(`x${option.message}`, "✕", `${words.lost} ${option.message}`),
        this.#less(`u${option.message}`, "×2", `${words.duplicated} ${option.message}`),
      ]));
    const nodes = standing.faults.filter((fault) => fault.node !== null).slice(0, 30);
    const faults = make("details", {}, make("summary", { class: "soft" }, words.faults),
      make("ul", { class: "moves" }, nodes.map((fault) => make("li", {},
        make("button", { class: "do", type: "button", onclick: () => this.lab.perform(fault.do) }, fault.text)))));
    faults.open = this.showsFaults ?? false;
    faults.addEventListener("toggle", () => (this.showsFaults = faults.open));
    const empty = standing.open ? words.stuckAtRest : words.nothing;
    this.moves.replaceChildren(make("h2", {}, words.options(options.length)),
      options.length === 0 ? make("p", {}, empty) : make("ul", { class: "moves" }, rows), faults);
  }

  #less(move, sign, name) {
    const allowed = this.lab.standing.faults.some((fault) => fault.do === move);
    return make("button", {
      class: "less", type: "button", title: name, "aria-label": `${sign} ${name}`, disabled: !allowed, onclick: () => this.lab.perform(move),
    }, sign);
  }

  #drawPromises() {
    const { film, at } = this.lab;
    const broken = film.broken && film.broken.at < at ? film.broken : null;
    const open = at > 0 ? film.lines[at - 1].note.isOpen : null;
    const names = new Set([...film.cast.promises, ...(broken?.all ?? []).map((it) => it.promise)]);
    const rows = [...names].map((name) => {
      const breach = broken?.all.find((it) => it.promise === name);
      const pending = open === name;
      const sign = breach ? "✗" : pending ? "…" : "✓";
      const text = breach ? words.brokenAt(broken.at + 1) : pending ? words.open : words.kept;
      return make("div", { class: "promise" },
        make("span", { class: `mark ${breach ? "bad" : pending ? "" : "good"}`, "aria-hidden": "true" }, sign),
        make("span", {}, name, " ", breach
          ? make("button", { class: "effect bad", type: "button", onclick: () => this.lab.go(broken.at + 1) }, text)
          : make("span", { class: "soft" }, text)));
    });
    this.promises.replaceChildren(make("h2", {}, words.promises), ...rows);
  }
}
