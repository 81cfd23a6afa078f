// The space-time diagram: a line for each node, time to the right, an arrow for each message.

import { arrow, colours, fit, look, make, mark } from "./paint.js";
import { words } from "./words.js";

const STEP = 26;
const LEFT = 46;

export class SpaceTime {
  constructor(box, lab) {
    this.lab = lab;
    this.canvas = make("canvas", { "aria-label": words.spacetime, role: "img" });
    this.note = make("p", { class: "soft corner" });
    box.append(this.canvas, this.note);
    this.canvas.addEventListener("click", (event) => this.#click(event));
  }

  draw() {
    const { film, at } = this.lab;
    const { pen, width, height } = fit(this.canvas);
    if (width < 10 || height < 10) return;
    const room = Math.max(4, Math.floor((width - LEFT - 20) / STEP));
    // The window moves by pages, so that nothing jumps while one steps.
    const page = Math.floor(Math.max(0, at - 1) / (room * 0.75));
    this.from = Math.max(0, Math.min(Math.round(page * room * 0.75) - Math.round(room * 0.12), film.length - room));
    this.to = Math.min(film.length, this.from + room);
    this.rows = this.#choose(film, height);
    const gap = Math.min(46, (height - 26) / Math.max(1, this.rows.length));
    this.y = new Map(this.rows.map((id, row) => [id, 22 + gap * (row + 0.35)]));
    this.note.textContent = this.rows.length < film.first.length
      ? `${this.rows.length} of ${film.first.length} nodes: those that act here` : "";
    this.#lifelines(pen, film, width, gap);
    this.#arrows(pen, film, at);
    this.#events(pen, film, at);
    this.#playhead(pen, film, at, height);
  }

  // The rows: all nodes if they fit, else those that act in the window.
  #choose(film, height) {
    const most = Math.max(3, Math.floor((height - 26) / 13));
    if (film.first.length <= most) return film.first.map((node) => node.id);
    const count = new Map();
    for (let index = this.from; index < this.to; index += 1) {
      const actor = film.actor(index);
      if (actor !== null) count.set(actor, (count.get(actor) ?? 0) + 1);
    }
    const busiest = [...count].sort((a, b) => b[1] - a[1]).slice(0, most).map(([id]) => id);
    return busiest.sort((a, b) => a - b);
  }

  x(moment) {
    return LEFT + (moment - this.from + 0.5) * STEP;
  }

  #lifelines(pen, film, width, gap) {
    const palette = colours();
    const fills = { waits: "--wait", holds: "--hold", knows: "--know" };
    pen.font = '12px system-ui, "DejaVu Sans", sans-serif';
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const [id, y] of this.y) {
      for (const { start, end, phase } of film.spans(id, this.from, this.to)) {
        pen.fillStyle = palette[fills[phase]];
        const left = Math.max(LEFT, this.x(start - 1));
        const tall = phase === "holds" ? Math.min(14, gap * 0.6) : Math.min(7, gap * 0.4);
        pen.fillRect(left, y - tall / 2, Math.max(0, Math.min(width, this.x(end - 1)) - left), tall);
      }
      pen.strokeStyle = palette["--line"];
      pen.lineWidth = 1;
      pen.beginPath();
      pen.moveTo(LEFT, y);
      pen.lineTo(width, y);
      pen.stroke();
      pen.fillStyle = id === this.lab.selected?.node ? palette["--blue"] : palette["--ink"];
      pen.fillText(film.label(id), LEFT - 8, y);
    }
  }

  #arrows(pen, film, at) {
    const [from, to] = [this.from, this.to];
    for (const message of film.messages) {
      if (!message || message.sent >= to) continue;
      const [y1, y2] = [this.y.get(message.from), this.y.get(message.to)];
      if (y1 === undefined && y2 === undefined) continue;
      const kind = look(film.kinds, message.kind);
      const ends = message.ends;
      if (ends.length > 0 && ends[ends.length - 1] < from && ends.length >= message.copies) continue;
      pen.strokeStyle = kind.colour;
      pen.lineWidth = this.lab.selected?.message === message.number ? 3 : 1.4;
      for (const end of ends) {
        const isLost = message.lost.includes(end);
        pen.globalAlpha = message.sent < at ? (end < at ? 1 : 0.45) : 0.18;
        this.#arrow(pen, message, y1, y2, end, isLost);
      }
      if (ends.length < message.copies && y1 !== undefined) {
        pen.globalAlpha = message.sent < at ? 0.8 : 0.18;
        pen.setLineDash([3, 3]);
        const x = this.x(message.sent);
        const down = (y2 ?? y1 + 30) > y1 ? 1 : -1;
        pen.beginPath();
        pen.moveTo(x, y1);
        pen.lineTo(x + 16, y1 + 12 * down);
        pen.stroke();
        pen.setLineDash([]);
      }
    }
    pen.globalAlpha = 1;
  }

  #arrow(pen, message, y1, y2, end, isLost) {
    const [x1, x2] = [this.x(message.sent), this.x(end)];
    if (y1 === undefined || y2 === undefined) {
      // One end is not shown: a stub.
      const [x, y, way] = y1 === undefined ? [x2, y2, -1] : [x1, y1, 1];
      const slope = message.to > message.from ? 1 : -1;
      pen.beginPath();
      pen.moveTo(x, y);
      pen.lineTo(x + 14 * way, y + 9 * slope * way);
      pen.stroke();
      return;
    }
    if (isLost) {
      const [mx, my] = [x1 + (x2 - x1) * 0.6, y1 + (y2 - y1) * 0.6];
      pen.beginPath();
      pen.moveTo(Math.max(LEFT, x1), y1);
      pen.lineTo(mx, my);
      pen.stroke();
      mark(pen, { shape: "cross", colour: colours()["--red"] }, mx, my, 6);
      return;
    }
    if (y1 === y2) {
      pen.beginPath();
      pen.arc((x1 + x2) / 2, y1, Math.abs(x2 - x1) / 2, Math.PI, 2 * Math.PI);
      pen.stroke();
    } else arrow(pen, Math.max(LEFT, x1), y1, x2, y2);
  }

  #events(pen, film, at) {
    const palette = colours();
    for (let index = this.from; index < this.to; index += 1) {
      const line = film.lines[index];
      const y = this.y.get(film.actor(index));
      const x = this.x(index);
      pen.globalAlpha = index < at ? 1 : 0.35;
      if (y !== undefined) {
        const asked = line.step?.input?.command !== undefined;
        const fault = Boolean(line.fault);
        pen.fillStyle = fault ? palette["--red"] : asked ? palette["--amber"] : palette["--ink"];
        pen.beginPath();
        if (asked) pen.rect(x - 4, y - 4, 8, 8);
        else pen.arc(x, y, fault ? 5 : 3.5, 0, 2 * Math.PI);
        pen.fill();
      }
      if (line.note.broken) {
        pen.strokeStyle = palette["--red"];
        pen.lineWidth = 2.5;
        pen.beginPath();
        pen.arc(x, y ?? 14, 9, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
    pen.globalAlpha = 1;
  }

  #playhead(pen, film, at, height) {
    const x = this.x(at - 0.5);
    pen.strokeStyle = colours()["--blue"];
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.moveTo(x, 4);
    pen.lineTo(x, height - 2);
    pen.stroke();
    pen.fillStyle = colours()["--soft"];
    pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
    pen.textAlign = "left";
    for (let index = Math.ceil(this.from / 5) * 5; index < this.to; index += 5) {
      pen.fillText(String(index + 1), this.x(index) - 4, 9);
    }
  }

  #click(event) {
    const box = this.canvas.getBoundingClientRect();
    const moment = Math.floor((event.clientX - box.left - LEFT) / STEP) + this.from + 1;
    this.lab.go(Math.max(0, Math.min(this.lab.film.length, moment)));
  }
}
