// The network: nodes, the links between them, and messages at their receivers' doors.

import { arrow, colours, fit, look, make, mark } from "./paint.js";
import { words } from "./words.js";

const DOOR = 8;

export class Graph {
  constructor(box, lab) {
    this.lab = lab;
    this.canvas = make("canvas", { "aria-label": words.graph, role: "img" });
    box.append(this.canvas);
    this.places = [];
    this.doors = [];
    this.canvas.addEventListener("click", (event) => this.#click(event));
    this.canvas.addEventListener("mousemove", (event) => this.#hover(event));
  }

  // Where the nodes lie in this pane: rings and complete networks as ellipses that fill it.
  #arrange(film, width, height) {
    const key = `${width} ${height} ${film.cast.title}`;
    if (this.key === key) return;
    this.key = key;
    const given = film.cast.places;
    const count = given.length;
    const xs = given.map(([x]) => x);
    const ys = given.map(([, y]) => y);
    const [left, right] = [Math.min(...xs), Math.max(...xs)];
    const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
    const margin = Math.min(70, width / 7, height / 5);
    const round = count > 2 && isRound(given, left, right, top, bottom);
    const order = onRing(film.cast.ring);
    if (order) {
      const even = ellipse(count, width, height, margin);
      this.places = order.map((rank) => even[rank]);
    } else if (round) this.places = ellipse(count, width, height, margin);
    else {
      const [w, h] = [Math.max(1e-9, right - left), Math.max(1e-9, bottom - top)];
      this.places = given.map(([x, y]) => [
        right - left < 1 ? width / 2 : margin + ((x - left) / w) * (width - 2 * margin),
        bottom - top < 1 ? height / 2 : margin + ((y - top) / h) * (height - 2 * margin),
      ]);
    }
    this.radius = radius(this.places, round || order !== null);
    this.centre = [width / 2, height / 2];
  }

  draw() {
    const { film, at, selected, motion } = this.lab;
    const { pen, width, height } = fit(this.canvas);
    if (width < 10 || height < 10) return;
    this.#arrange(film, width, height);
    this.#links(pen, film, at);
    if (this.lab.showsWaits) this.#waits(pen, film, at);
    this.#nodes(pen, film, at);
    this.#messages(pen, film, at, selected, motion);
  }

  #links(pen, film, at) {
    const palette = colours();
    const known = knownNow(film, at);
    pen.strokeStyle = palette["--line"];
    pen.lineWidth = 1.2;
    if (known) {
      const last = knownNow(film, film.length);
      for (const [key, [from, to]] of known) {
        const stays = last.has(key);
        pen.strokeStyle = stays ? palette["--blue"] : palette["--red"];
        pen.globalAlpha = stays ? 0.75 : 0.4;
        pen.setLineDash(stays ? [] : [4, 4]);
        line(pen, this.places[from], this.places[to]);
      }
      pen.setLineDash([]);
      pen.globalAlpha = 1;
      return;
    }
    for (const [from, to] of film.cast.edges) {
      if (film.cast.is_directed) {
        const [[x1, y1], [x2, y2]] = [this.places[from], this.places[to]];
        const far = Math.hypot(x2 - x1, y2 - y1) || 1;
        const short = (far - this.radius - 2) / far;
        arrow(pen, x1, y1, x1 + (x2 - x1) * short, y1 + (y2 - y1) * short, 5);
      } else line(pen, this.places[from], this.places[to]);
    }
  }

  #waits(pen, film, at) {
    pen.strokeStyle = colours()["--amber"];
    pen.lineWidth = 2;
    for (const node of film.first) {
      for (const other of film.node(node.id, at).waits ?? []) {
        const [[x1, y1], [x2, y2]] = [this.places[node.id], this.places[other]];
        const far = Math.hypot(x2 - x1, y2 - y1) || 1;
        const [a, b] = [this.radius / far, (far - this.radius - 3) / far];
        arrow(pen, x1 + (x2 - x1) * a, y1 + (y2 - y1) * a, x1 + (x2 - x1) * b, y1 + (y2 - y1) * b, 9);
      }
    }
  }

  #nodes(pen, film, at) {
    const palette = colours();
    const acts = at > 0 ? film.actor(at - 1) : null;
    const fills = { idle: "--idle", waits: "--wait", holds: "--hold", knows: "--know" };
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const { id } of film.first) {
      const [x, y] = this.places[id];
      const node = film.node(id, at);
      const phase = film.phase(id, at);
      const down = node.status === "down" || node.status === "gone";
      pen.beginPath();
      pen.arc(x, y, this.radius, 0, 2 * Math.PI);
      pen.fillStyle = down ? palette["--down"] : palette[fills[phase]];
      pen.fill();
      pen.lineWidth = id === acts ? 4 : id === this.lab.selected?.node ? 3 : 1.5;
      pen.strokeStyle = id === acts ? palette["--blue"] : palette["--ink"];
      pen.setLineDash(node.status === "asleep" || down ? [3, 3] : []);
      pen.stroke();
      pen.setLineDash([]);
      if (phase === "holds" && !down) {
        pen.lineWidth = 2;
        pen.strokeStyle = palette["--green"];
        pen.beginPath();
        pen.arc(x, y, this.radius + 4, 0, 2 * Math.PI);
        pen.stroke();
      }
      if (this.radius >= 5.5) {
        pen.font = `${Math.max(9, Math.min(15, this.radius * 0.85))}px system-ui, "DejaVu Sans", sans-serif`;
        pen.fillStyle = palette["--ink"];
        pen.fillText(film.label(id), x, y + 0.5);
      }
      if (down) {
        pen.strokeStyle = palette["--red"];
        pen.lineWidth = 2.5;
        const arm = this.radius * 0.7;
        line(pen, [x - arm, y - arm], [x + arm, y + arm]);
        line(pen, [x - arm, y + arm], [x + arm, y - arm]);
      }
    }
  }

  #messages(pen, film, at, selected, motion) {
    this.doors = [];
    const transit = film.transit(at);
    const waiting = new Map();
    for (const message of transit) {
      if (!waiting.has(message.to)) waiting.set(message.to, []);
      waiting.get(message.to).push(message);
    }
    const size = Math.max(3.2, Math.min(8, this.radius * 0.4));
    for (const [to, all] of waiting) {
      if (all.length > DOOR) this.#badge(pen, film, to, all, size);
      else all.forEach((message, place) => this.#parked(pen, film, message, place, all.length, size, selected, motion, at));
    }
    // The message that has just arrived goes in.
    const line_ = film.lines[at - 1];
    const number = line_?.step?.number;
    if (motion < 1 && number !== undefined && film.messages[number]) {
      const message = film.messages[number];
      const [x, y] = this.#door(message, 0, 1, size);
      const [cx, cy] = this.places[message.to];
      mark(pen, look(film.kinds, message.kind), x + (cx - x) * motion, y + (cy - y) * motion, size);
    }
  }

  // The place of a message at its receiver: on the side from which it comes.
  #door(message, place, count, size) {
    const [x, y] = this.places[message.to];
    const [fx, fy] = message.from === message.to ? [2 * x - this.centre[0], 2 * y - this.centre[1]] : this.places[message.from];
    const angle = Math.atan2(fy - y, fx - x);
    const far = this.radius + size * 1.6;
    const turn = ((place - (count - 1) / 2) * size * 2.4) / far;
    return [x + far * Math.cos(angle + turn), y + far * Math.sin(angle + turn)];
  }

  #parked(pen, film, message, place, count, size, selected, motion, at) {
    const alike = this.doors.filter((door) => door.message.to === message.to && door.message.from === message.from);
    let [x, y] = this.#door(message, alike.length, 1, size);
    const turn = alike.length * ((size * 2.6) / (this.radius + size * 1.6));
    if (alike.length > 0) {
      const [cx, cy] = this.places[message.to];
      const angle = Math.atan2(y - cy, x - cx) + turn;
      const far = this.radius + size * 1.6;
      [x, y] = [cx + far * Math.cos(angle), cy + far * Math.sin(angle)];
    }
    this.doors.push({ message, x, y, size });
    const fresh = message.sent === at - 1 && motion < 1;
    const [fx, fy] = this.places[message.from];
    const [px, py] = fresh ? [fx + (x - fx) * motion, fy + (y - fy) * motion] : [x, y];
    const held = this.lab.standing?.held?.includes(message.number);
    mark(pen, look(film.kinds, message.kind), px, py, size, held);
    if (selected?.message === message.number) {
      pen.strokeStyle = colours()["--ink"];
      pen.lineWidth = 2;
      pen.beginPath();
      pen.arc(px, py, size + 4, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  // Many messages at one door: how many of each kind.
  #badge(pen, film, to, all, size) {
    const counts = new Map();
    for (const message of all) counts.set(message.kind, (counts.get(message.kind) ?? 0) + 1);
    const [x, y] = this.places[to];
    const [cx, cy] = this.centre;
    const angle = Math.atan2(y - cy, x - cx);
    const far = this.radius + 14;
    let row = 0;
    for (const [kind, count] of counts) {
      const [bx, by] = [x + far * Math.cos(angle), y + far * Math.sin(angle) + row * 13];
      mark(pen, look(film.kinds, kind), bx, by, size);
      pen.font = '11px system-ui, "DejaVu Sans", sans-serif';
      pen.textAlign = "left";
      pen.fillStyle = colours()["--ink"];
      pen.fillText(String(count), bx + size + 3, by + 1);
      this.doors.push({ message: all.find((message) => message.kind === kind), x: bx, y: by, size });
      row += 1;
    }
    pen.textAlign = "center";
  }

  #find(event) {
    const box = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    const near = (px, py, far) => Math.hypot(px - x, py - y) <= far;
    const door = this.doors.find((it) => near(it.x, it.y, it.size + 5));
    if (door) return { message: door.message };
    const node = this.places.findIndex(([px, py]) => near(px, py, this.radius + 3));
    return node >= 0 ? { node } : null;
  }

  #click(event) {
    const found = this.#find(event);
    if (found?.message) this.lab.deliver(found.message.number);
    else this.lab.select(found ?? null);
  }

  #hover(event) {
    const found = this.#find(event);
    this.canvas.style.cursor = found ? "pointer" : "default";
    this.canvas.title = found?.message
      ? `${found.message.number}: ${found.message.text}, from ${found.message.from} to ${found.message.to}`
      : found ? this.lab.film.node(found.node, this.lab.at).state.slice(0, 300) : "";
  }

  // What is drawn where, for tests.
  probe() {
    return {
      radius: this.radius,
      nodes: this.places.map(([x, y], id) => ({ id, x, y })),
      messages: this.doors.map(({ message, x, y }) => ({ number: message.number, x, y })),
    };
  }
}

function line(pen, [x1, y1], [x2, y2]) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

// Who knows whom at a moment, if that is what makes the network; else null.
function knownNow(film, at) {
  if (!film.first.some((node) => node.knows)) return null;
  const pairs = new Map();
  for (const { id } of film.first) {
    for (const other of film.node(id, at).knows ?? []) {
      if (other !== id && other < film.first.length) {
        pairs.set(`${Math.min(id, other)} ${Math.max(id, other)}`, [id, other]);
      }
    }
  }
  return pairs;
}

// Whether places lie on a circle, as rings and complete networks do.
function isRound(places, left, right, top, bottom) {
  const [cx, cy] = [(left + right) / 2, (top + bottom) / 2];
  const far = places.map(([x, y]) => Math.hypot(x - cx, y - cy));
  return Math.max(...far) - Math.min(...far) < 0.12 * Math.max(...far);
}

// The rank of each node on the circle, if that is what the network is made of; nodes that have no
// place yet come last.
function onRing(ring) {
  if (ring.length === 0) return null;
  const sorted = ring.map((_, id) => id).sort((a, b) => (ring[a] ?? 2) - (ring[b] ?? 2));
  const ranks = [];
  sorted.forEach((id, rank) => (ranks[id] = rank));
  return ranks;
}

// Places on an ellipse at equal distances along it, from the top clockwise.
function ellipse(count, width, height, margin) {
  const [a, b] = [width / 2 - margin, height / 2 - margin];
  const steps = 2000;
  const lengths = [0];
  const point = (step) => {
    const angle = (step / steps) * 2 * Math.PI - Math.PI / 2;
    return [width / 2 + a * Math.cos(angle), height / 2 + b * Math.sin(angle)];
  };
  for (let step = 1; step <= steps; step += 1) {
    const [[x1, y1], [x2, y2]] = [point(step - 1), point(step)];
    lengths.push(lengths[step - 1] + Math.hypot(x2 - x1, y2 - y1));
  }
  const places = [];
  let step = 0;
  for (let node = 0; node < count; node += 1) {
    const along = (node / count) * lengths[steps];
    while (lengths[step] < along) step += 1;
    places.push(point(step));
  }
  return places;
}

// As large as the smallest distance of two nodes allows.
function radius(places, round) {
  let nearest = 140;
  const step = round && places.length > 400 ? places.length : 1;
  for (let i = 0; i < places.length; i += step) {
    for (let j = i + 1; j < places.length; j += 1) {
      nearest = Math.min(nearest, Math.hypot(places[i][0] - places[j][0], places[i][1] - places[j][1]));
      if (places.length > 500 && j > i + 60) break;
    }
  }
  return Math.max(2, Math.min(22, nearest * 0.42));
}
