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

// The moment at which the promise of the level is broken, by what a person let happen; or null.
function ending(lab, promise) {
  const { film, at, standing, take } = lab;
  const broken = film.broken;
  const isHere = broken && broken.at < at && broken.at < take.cut + take.hand;
  if (isHere && broken.all.some((it) => it.promise === promise)) return broken.at + 1;
  const rests = at === film.length && standing?.rests;
  return rests && standing.open?.promise === promise ? at : null;
}

function count(lab, end, name) {
  return lab.film.faults.filter((fault) => fault.name === name && fault.at < end).length;
}

// Whether nothing went wrong but what the level allows.
function isFair(lab, end, setting) {
  return count(lab, end, "lost") === 0 && count(lab, end, "restart") === 0
    && count(lab, end, "doubled") <= setting.duplicates && count(lab, end, "crash") <= setting.crashes;
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
    const end = ending(lab, level.promise);
    if (end !== null && !isFair(lab, end, level.setting)) {
      this.box.replaceChildren(make("span", {}, words.unfair), " ",
        make("button", { type: "button", onclick: () => lab.go(0) }, words.again2));
      return;
    }
    if (end !== null) {
      remember(level.name);
      // Par does not count crashes.
      const steps = end - count(lab, end, "crash");
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
