// The views below the network, beside the space-time diagram: code, messages, log.

import { ask } from "./api.js";
import { colours, fit, look, make } from "./paint.js";
import { words } from "./words.js";

// The algorithm's file, with the statements that have just had an effect.
export class Code {
  constructor(box, lab) {
    this.lab = lab;
    this.box = box;
    this.texts = new Map();
    this.pre = make("pre", { class: "source", tabindex: "0" });
    box.append(this.pre);
  }

  async draw() {
    const { film, at, effect } = this.lab;
    const marks = at > 0 ? film.lines[at - 1].note.src : [];
    const file = marks[effect ?? 0]?.[0] ?? this.file ?? film.cast.file;
    const key = `${file} ${at} ${effect} ${film.cast.title}`;
    if (this.key === key) return;
    this.key = key;
    if (!this.texts.has(file)) {
      const found = await ask(`source?file=${file}`).catch((error) => ({ text: `// ${error.message}` }));
      this.texts.set(file, found.text.split("\n"));
    }
    if (this.key !== key) return;
    if (this.file !== file) {
      this.file = file;
      this.rows = this.texts.get(file).map((text, index) => make("div", { "data-line": index + 1 }, text));
      this.pre.replaceChildren(...this.rows);
    }
    this.rows.forEach((row) => row.classList.remove("effect-line"));
    const here = marks.filter(([path]) => path === file).map(([, line]) => line);
    for (const line of here) this.rows[line - 1]?.classList.add("effect-line");
    const target = marks[effect ?? 0]?.[0] === file ? marks[effect ?? 0][1] : here[0];
    if (target) this.rows[target - 1]?.scrollIntoView({ block: "center" });
  }

  probe() {
    return { file: this.file, lines: [...this.pre.querySelectorAll(".effect-line")].map((row) => Number(row.dataset.line)) };
  }
}

// How many messages of each kind there were, step by step.
export class Cost {
  constructor(box, lab) {
    this.lab = lab;
    this.canvas = make("canvas", { "aria-label": words.cost, role: "img" });
    box.append(this.canvas);
  }

  draw() {
    const { film, at } = this.lab;
    const { pen, width, height } = fit(this.canvas);
    const palette = colours();
    const [left, top, bottom, right] = [46, 30, height - 24, width - 14];
    const total = film.messages.length;
    const x = (moment) => left + (moment / Math.max(1, film.length)) * (right - left);
    const y = (count) => bottom - (count / Math.max(1, total)) * (bottom - top);
    const base = new Array(film.length + 1).fill(0);
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textBaseline = "middle";
    let legend = left;
    for (const kind of film.kinds) {
      const sums = counts(film, kind);
      pen.beginPath();
      pen.moveTo(x(0), y(base[0]));
      for (let moment = 0; moment <= film.length; moment += 1) pen.lineTo(x(moment), y(base[moment] + sums[moment]));
      for (let moment = film.length; moment >= 0; moment -= 1) pen.lineTo(x(moment), y(base[moment]));
      pen.closePath();
      const { colour } = look(film.kinds, kind);
      pen.fillStyle = colour;
      pen.globalAlpha = 0.55;
      pen.fill();
      pen.globalAlpha = 1;
      for (let moment = 0; moment <= film.length; moment += 1) base[moment] += sums[moment];
      pen.fillRect(legend, 10, 10, 10);
      pen.fillStyle = palette["--ink"];
      pen.textAlign = "left";
      const text = `${sums[at]} ${kind}`;
      pen.fillText(text, legend + 14, 15);
      legend += pen.measureText(text).width + 32;
    }
    pen.strokeStyle = palette["--soft"];
    pen.strokeRect(left, top, right - left, bottom - top);
    pen.fillStyle = palette["--soft"];
    pen.textAlign = "right";
    pen.fillText(String(total), left - 6, top);
    pen.fillText("0", left - 6, bottom);
    pen.strokeStyle = palette["--blue"];
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x(at), top);
    pen.lineTo(x(at), bottom);
    pen.stroke();
  }
}

function counts(film, kind) {
  const sums = new Array(film.length + 1).fill(0);
  for (const message of film.messages) if (message?.kind === kind) sums[message.sent + 1] += 1;
  for (let moment = 1; moment <= film.length; moment += 1) sums[moment] += sums[moment - 1];
  return sums;
}

// What happened, a line each, and a search.
export class Log {
  constructor(box, lab) {
    this.lab = lab;
    this.query = make("input", { type: "search", placeholder: "find", "aria-label": "find in the log", class: "find" });
    this.list = make("div", {});
    this.query.addEventListener("input", () => this.draw());
    box.append(this.query, this.list);
  }

  draw() {
    const { film, at } = this.lab;
    const wanted = this.query.value.toLowerCase();
    const all = film.lines.map((line, index) => [line, index]);
    const fits = ([line]) => !wanted || line.note.text.toLowerCase().includes(wanted);
    const found = all.filter(fits);
    const here = found.findIndex(([, index]) => index >= at - 1);
    const start = Math.max(0, Math.min((here < 0 ? found.length : here) - 60, found.length - 160));
    const rows = found.slice(start, start + 160).map(([line, index]) => make("button", {
      class: "logline", type: "button", "aria-current": index === at - 1 ? "true" : undefined,
      onclick: () => this.lab.go(index + 1),
    }, make("span", {}, String(index + 1)), make("span", {}, line.note.text)));
    this.list.replaceChildren(...rows);
    this.list.querySelector('[aria-current="true"]')?.scrollIntoView({ block: "nearest" });
  }
}
