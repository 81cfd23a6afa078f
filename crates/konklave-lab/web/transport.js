// Takes, the scrubber, and the buttons of a player.

import { colours, fit, make } from "./paint.js";
import { words } from "./words.js";

const ICONS = {
  first: "M2 2h3v12H2zM14 2v12L6 8z", back: "M12 2v12L4 8z", play: "M4 2v12l9-6z",
  pause: "M3 2h4v12H3zM9 2h4v12H9z", forward: "M4 2v12l8-6z", last: "M11 2h3v12h-3zM2 2v12l8-6z",
};

export function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

export class Transport {
  constructor(box, lab) {
    this.lab = lab;
    this.lanes = make("div", { class: "lanes" });
    const button = (name, action) => {
      const it = make("button", { type: "button", "aria-label": words[name], title: words[name], onclick: action });
      it.append(icon(name));
      return it;
    };
    this.playing = button("play", () => lab.toggle());
    this.slider = make("input", { type: "range", min: "0", step: "1", "aria-label": words.position });
    this.slider.addEventListener("input", () => lab.go(Number(this.slider.value)));
    this.strip = make("canvas", { "aria-hidden": "true" });
    this.count = make("span", { class: "count" });
    this.speed = make("input", { class: "speed", type: "range", min: "-2", max: "6", step: "1", value: "2", "aria-label": words.speed });
    this.speed.addEventListener("input", () => (lab.speed = Number(this.speed.value)));
    this.strip.addEventListener("click", (event) => this.#click(event));
    this.whatif = make("button", { type: "button", title: words.whatifHelp, onclick: () => lab.tryLosses() }, words.whatif);
    box.append(this.lanes, make("div", { class: "scrub" },
      button("first", () => lab.go(0)), button("back", () => lab.step(-1)), this.playing,
      button("forward", () => lab.step(1)), button("last", () => lab.go(lab.film.length)),
      make("div", { class: "slide" }, this.strip, this.slider), this.count, this.speed, this.whatif));
  }

  draw() {
    const { film, at, isPlaying } = this.lab;
    this.slider.max = String(film.length);
    this.slider.value = String(at);
    this.slider.setAttribute("aria-valuetext", `${at} of ${film.length}`);
    this.count.textContent = `${at}/${film.length}  t = ${at > 0 ? film.time(at - 1) : 0}`;
    this.playing.replaceChildren(icon(isPlaying ? "pause" : "play"));
    this.playing.setAttribute("aria-label", isPlaying ? words.pause : words.play);
    this.whatif.hidden = !this.lab.canTryLosses();
    this.#drawLanes();
    this.#drawStrip(film, at);
  }

  // The density of what happens, with key moments, and what single losses lead to.
  #drawStrip(film, at) {
    const { pen, width, height } = fit(this.strip);
    const palette = colours();
    const x = (moment) => 8 + (moment / Math.max(1, film.length)) * (width - 16);
    film.lines.forEach((line, index) => {
      if (!film.isKey(index)) return;
      const bad = line.note.broken || line.fault;
      pen.fillStyle = bad ? palette["--red"] : palette["--green"];
      pen.fillRect(x(index + 1) - 1, bad ? 4 : 10, 2, bad ? height - 4 : height - 10);
    });
    for (const loss of this.lab.losses ?? []) {
      pen.fillStyle = loss.broken ? palette["--red"] : palette["--soft"];
      pen.beginPath();
      pen.arc(x(loss.cut + 1), loss.broken ? 5 : 11, loss.broken ? 3.2 : 2, 0, 2 * Math.PI);
      pen.fill();
    }
    pen.fillStyle = palette["--blue"];
    pen.fillRect(x(at) - 1, 0, 2, height);
  }

  #click(event) {
    const box = this.strip.getBoundingClientRect();
    const part = (event.clientX - box.left - 8) / Math.max(1, box.width - 16);
    const moment = Math.round(part * this.lab.film.length);
    const near = (this.lab.losses ?? []).filter((loss) => Math.abs(loss.cut + 1 - moment) <= Math.max(1, this.lab.film.length / 100));
    const loss = near.find((it) => it.broken) ?? near[0];
    if (loss) this.lab.lose(loss);
    else this.lab.go(Math.max(0, Math.min(this.lab.film.length, moment)));
  }

  #drawLanes() {
    const { takes, current, at } = this.lab;
    if (takes.length === 1) {
      this.lanes.replaceChildren();
      return;
    }
    const longest = Math.max(...takes.map((take) => take.film.length), 1);
    const shown = takes.map((take, index) => [take, index]).filter(([, index]) => index === 0 || index === current || index > takes.length - 4);
    const part = (moment) => `${(100 * moment) / longest}%`;
    const lane = ([take, index]) => {
      const hand = Math.min(take.film.length, take.cut + take.hand);
      const bar = make("span", { class: "bar" });
      const piece = (from, to, ghost) => {
        const it = make("i", { class: ghost ? "ghost" : "" });
        it.style.left = part(from);
        it.style.width = part(Math.max(0, to - from));
        bar.append(it);
      };
      if (index === 0) piece(0, take.film.length, false);
      else {
        piece(take.cut, hand, false);
        piece(hand, take.film.length, true);
      }
      const broken = take.film.broken;
      if (broken) {
        const cross = make("b", { class: "bad" }, "✗");
        cross.style.left = part(broken.at + 1);
        bar.append(cross);
      }
      if (index === current) {
        const head = make("b", {}, "▾");
        head.style.left = part(at);
        head.style.top = "-0.2rem";
        bar.append(head);
      }
      return make("div", { class: "lane" },
        make("button", { type: "button", "aria-pressed": String(index === current), onclick: () => this.lab.choose(index) },
          index === 0 ? words.recording : words.take(index)),
        bar, make("span", { class: `ends ${take.isBad ? "bad" : "soft"}`, title: take.ending }, take.ending ?? ""));
    };
    this.lanes.replaceChildren(...shown.map(lane));
  }
}
