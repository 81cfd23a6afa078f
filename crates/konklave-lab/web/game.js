// The adversary's game: break a broken algorithm, in as few steps as there can be.

import { make } from "./paint.js";
import { words } from "./words.js";

const KEY = "konklave solved";

export function solved() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEY) ?? "[]"));
  } catch {
    return new Set();
  }
}

function remember(name) {
  const all = solved().add(name);
  localStorage.setItem(KEY, JSON.stringify([...all]));
}

export class Game {
  constructor(level, box) {
    this.level = level;
    this.box = box;
    this.hinted = false;
  }

  draw(lab) {
    const { level } = this;
    const broken = lab.film.broken;
    const standing = lab.standing;
    const atRest = lab.at === lab.film.length && standing?.rests && standing.open;
    const won = broken && broken.at < lab.at && broken.at < lab.take.cut + lab.take.hand;
    if (won || atRest) {
      remember(level.name);
      const steps = won ? broken.at + 1 : lab.at;
      this.box.replaceChildren(make("strong", { class: "good" }, words.won(steps, level.par)), " ",
        make("span", {}, level.flaw), this.#right());
      return;
    }
    this.box.replaceChildren(
      make("strong", {}, `${level.of}: `), `break “${level.promise}” `, make("span", { class: "soft" }, words.par(level.par)),
      this.hinted ? make("span", {}, ` · ${level.flaw}`)
        : make("button", { type: "button", onclick: () => { this.hinted = true; this.draw(lab); } }, words.hint),
      make("button", { type: "button", onclick: () => lab.go(0) }, words.again2), this.#right());
  }

  #right() {
    return make("a", { href: `#play/${this.level.of}?nodes=${this.level.nodes}`, class: "beside" }, words.right);
  }
}
