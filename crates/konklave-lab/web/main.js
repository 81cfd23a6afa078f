// The page: what is shown, and what happens if the link changes.

import { ask } from "./api.js";
import { Cards } from "./cards.js";
import { sentence } from "./film.js";
import { Game, solved } from "./game.js";
import { Graph } from "./graph.js";
import { home, options } from "./home.js";
import { keys } from "./keys.js";
import { Lab } from "./lab.js";
import * as link from "./link.js";
import { forgetColours, make } from "./paint.js";
import { Side } from "./side.js";
import { SpaceTime } from "./spacetime.js";
import { Transport } from "./transport.js";
import { Code, Cost, Log } from "./views.js";
import { words } from "./words.js";

const byId = (id) => document.getElementById(id);

class Page {
  constructor() {
    this.main = byId("main");
    this.lab = null;
    const labels = { again: words.again, share: words.share, present: words.present, theme: "◐", help: "?" };
    for (const [id, text] of Object.entries(labels)) byId(id).textContent = text;
    byId("theme").setAttribute("aria-label", words.theme);
    byId("help").setAttribute("aria-label", words.help);
    byId("theme").addEventListener("click", () => this.#turnTheme());
    byId("help").addEventListener("click", () => this.showKeys());
    byId("share").addEventListener("click", () => this.#share());
    byId("present").addEventListener("click", () => this.togglePresent());
    byId("again").addEventListener("click", () => this.#showOptions());
    window.addEventListener("hashchange", () => this.#follow());
    window.addEventListener("resize", () => this.draw("resize"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#recolour());
    keys(this);
  }

  async start() {
    this.repertoire = await ask("repertoire");
    await this.#follow();
  }

  async #follow() {
    if (this.written === location.hash) return;
    this.written = location.hash;
    this.lab?.stop();
    this.lab = null;
    this.game = null;
    document.body.classList.remove("present");
    const wanted = link.read(location.hash);
    for (const id of ["again", "share", "present"]) byId(id).hidden = !wanted;
    if (!wanted) {
      byId("title").hidden = true;
      document.title = "konklave lab";
      this.main.replaceChildren(home(this.repertoire, solved(), (text) => this.#openTrace(text)));
      return;
    }
    this.wanted = wanted;
    this.main.replaceChildren(make("p", { class: "alone" }, words.loading));
    try {
      await this.#watch(wanted);
    } catch (error) {
      this.lab = null;
      this.main.replaceChildren(make("p", { class: "error alone", role: "alert" }, error.message));
      if (wanted.kind === "run") this.#showOptions(error.message);
    }
  }

  async #watch(wanted) {
    if (["run", "play"].includes(wanted.kind) && wanted.options.nodes === undefined && !wanted.options.topology) {
      wanted.options.nodes = "7";
    }
    const lab = new Lab(wanted.trunk, (what) => this.draw(what), (text) => this.#say(text));
    const opening = lab.open(wanted);
    const note = await opening;
    byId("title").textContent = lab.cast.title;
    byId("title").hidden = false;
    document.title = `${lab.cast.algorithm} · konklave lab`;
    this.#build(lab, wanted);
    this.lab = lab;
    if (note) this.#say(note);
    this.draw("moment");
  }

  #build(lab, wanted) {
    const above = make("section", { class: "pane", "aria-label": words.graph });
    const below = make("section", { class: "pane", "aria-label": words.spacetime });
    const side = make("aside", { "aria-label": words.now });
    const transport = make("div", { class: "transport", role: "group", "aria-label": words.play });
    this.banner = make("div", { class: "banner", hidden: true });
    this.subtitle = make("p", { class: "subtitle" });
    this.main.replaceChildren(this.banner, make("div", { class: "stage" }, above, side, below), this.subtitle, transport);
    const many = lab.first.length > 16 && lab.cast.is_complete;
    this.above = new Tabs(above, [[words.graph, (box) => new Graph(box, lab)], [words.cards, (box) => new Cards(box, lab)]], many ? 1 : 0, () => this.draw("moment"));
    this.below = new Tabs(below, [
      [words.spacetime, (box) => new SpaceTime(box, lab)], [words.code, (box) => new Code(box, lab)],
      [words.cost, (box) => new Cost(box, lab)], [words.log, (box) => new Log(box, lab)],
    ], 0, () => this.draw("moment"));
    this.side = new Side(side, lab);
    this.transport = new Transport(transport, lab);
    const level = wanted.kind === "specimen" && this.repertoire.specimens.find((it) => it.name === wanted.name);
    if (level) {
      this.banner.hidden = false;
      this.game = new Game(level, this.banner);
    }
  }

  // Draws what has changed, once per frame.
  draw(what) {
    if (!this.lab) return;
    if (what === "code") this.below.choose(1);
    this.wants = { ...this.wants, [what]: true };
    if (this.drawing) return;
    this.drawing = requestAnimationFrame(() => {
      this.drawing = null;
      const wants = this.wants;
      this.wants = {};
      if (!this.lab) return;
      if (wants.motion && !wants.moment && !wants.code && !wants.standing && !wants.resize) return this.above.view.draw();
      this.above.view.draw();
      if (wants.standing && !wants.moment) {
        this.side.drawMoves();
        this.game?.draw(this.lab);
        return;
      }
      this.below.view.draw();
      this.side.draw();
      this.transport.draw();
      this.game?.draw(this.lab);
      this.#tell();
    });
  }

  // The sentence of the moment, for those who do not see the picture; and the link to it.
  #tell() {
    const { film, at } = this.lab;
    const told = at > 0 ? sentence(film.lines[at - 1]) : { what: words.begin, effects: [] };
    const text = [told.what, ...told.effects].join("; ");
    this.subtitle.textContent = text;
    if (!this.lab.isPlaying) byId("live").textContent = text;
    // Another link was opened a moment ago.
    if (this.written !== location.hash) return;
    this.written = link.write(this.wanted, this.lab.link());
    history.replaceState(null, "", this.written);
  }

  #say(text) {
    if (!text || !this.banner) return;
    this.banner.hidden = false;
    this.banner.replaceChildren(make("span", { role: "alert" }, text),
      make("button", { type: "button", onclick: () => { this.banner.hidden = !this.game; this.game?.draw(this.lab); } }, "ok"));
  }

  async #openTrace(text) {
    try {
      const { id } = await ask("trace", text);
      location.hash = `#trace/${id}`;
    } catch (error) {
      this.main.prepend(make("p", { class: "error", role: "alert" }, error.message));
    }
  }

  async #share() {
    await navigator.clipboard?.writeText(location.href).catch(() => {});
    byId("share").textContent = words.copied;
    setTimeout(() => (byId("share").textContent = words.share), 1200);
  }

  #showOptions(error) {
    const entry = this.repertoire.algorithms.find((it) => it.name === this.wanted?.name);
    if (!entry) return;
    const dialog = make("dialog", { "aria-label": words.wanted(entry.name) });
    const start = (values) => {
      dialog.close();
      location.hash = link.write({ kind: this.wanted.kind === "play" ? "play" : "run", name: entry.name, options: values }, []);
    };
    dialog.append(make("h2", {}, words.wanted(entry.name)), error ? make("p", { class: "error" }, error) : "",
      options(entry, this.wanted.options, start));
    this.#show(dialog);
  }

  showKeys() {
    const dialog = make("dialog", { "aria-label": words.help });
    dialog.append(make("h2", {}, words.help),
      make("dl", {}, words.keys.map(([key, text]) => [make("dt", {}, key), make("dd", {}, text)])));
    this.#show(dialog);
  }

  #show(dialog) {
    dialog.append(make("form", { method: "dialog" }, make("button", { type: "submit" }, "close")));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }

  escape() {
    if (document.querySelector("dialog[open]")) return;
    if (document.body.classList.contains("present")) this.togglePresent();
    else if (this.lab?.selected) this.lab.select(null);
    else location.hash = "";
  }

  changeSpeed(by) {
    this.lab.speed = Math.max(-2, Math.min(6, this.lab.speed + by));
    this.transport.speed.value = String(this.lab.speed);
  }

  nextView(which) {
    this[which].choose((this[which].current + 1) % this[which].count);
  }

  toggleWaits() {
    this.lab.showsWaits = !this.lab.showsWaits;
    this.draw("moment");
  }

  togglePresent() {
    document.body.classList.toggle("present");
    this.draw("resize");
  }

  #turnTheme() {
    const root = document.documentElement;
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    this.#recolour();
  }

  #recolour() {
    forgetColours();
    this.draw("moment");
  }

  // What is shown and where, for tests.
  probe() {
    const { lab } = this;
    if (!lab) return { home: true };
    return {
      at: lab.at, length: lab.film.length, takes: lab.takes.length, current: lab.current,
      broken: lab.film.broken?.all.map((it) => it.promise) ?? [], ending: lab.take.ending, isBad: lab.take.isBad,
      options: lab.standing?.options ?? null, messages: lab.film.messages.length,
      above: this.above.view.probe?.() ?? null, below: this.below.view.probe?.() ?? null,
      link: this.written,
    };
  }
}

// A pane with several views, one of which is shown.
class Tabs {
  constructor(pane, views, first, changed) {
    this.views = views;
    this.count = views.length;
    this.changed = changed;
    this.box = make("div", { class: "view" });
    this.buttons = views.map(([name], index) =>
      make("button", { type: "button", role: "tab", onclick: () => this.choose(index) }, name));
    pane.append(make("div", { class: "tabs", role: "tablist" }, this.buttons), this.box);
    this.#show(first);
  }

  choose(index) {
    if (index === this.current) return;
    this.#show(index);
    this.changed();
  }

  #show(index) {
    this.current = index;
    this.box.replaceChildren();
    this.view = this.views[index][1](this.box);
    this.buttons.forEach((button, place) => button.setAttribute("aria-selected", String(place === index)));
  }
}

const page = new Page();
window.lab = page;
page.start().catch((error) => {
  byId("main").replaceChildren(make("p", { class: "error", role: "alert" }, error.message));
});
