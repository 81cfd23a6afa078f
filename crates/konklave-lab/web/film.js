// A film: what has happened, line by line, and what follows from that for any moment.

// A moment is a number of lines: at moment 0 nothing has happened.
export class Film {
  constructor(cast, first, lines) {
    this.cast = cast;
    this.first = first;
    this.lines = [];
    this.messages = [];
    this.byNode = first.map(() => []);
    this.phases = first.map(() => [[0, "idle"]]);
    this.kinds = [];
    this.faults = [];
    this.broken = null;
    this.now = [...first];
    this.open = null;
    this.extend(lines);
  }

  // Goes on with more lines.
  extend(lines) {
    const known = this.lines.length;
    this.lines = this.lines.concat(lines);
    lines.forEach((line, index) => this.#fold(line, known + index));
    this.#index();
  }

  get length() {
    return this.lines.length;
  }

  #fold(line, index) {
    const note = line.note;
    if (line.step) this.#foldStep(line.step, note, index);
    if (line.fault) this.#foldFault(line.fault.what, index);
    if (note.node) {
      this.byNode[note.node.id].push(index);
      note.seen ??= whole(this.now[note.node.id], note.node);
      this.now[note.node.id] = note.seen;
    }
    if (note.open !== undefined) this.open = note.open;
    note.isOpen = this.open;
    if (note.phase && note.node) this.phases[note.node.id].push([index + 1, note.phase]);
    if (note.broken && !this.broken) this.broken = { at: index, all: note.broken };
  }

  #foldStep(step, note, index) {
    const message = step.number === undefined ? null : this.messages[step.number];
    if (message) message.arrivals.push(index);
    const sends = step.effects.filter((effect) => effect.send);
    note.says.forEach(([number, kind, text], place) => {
      const to = sends[place].send.to;
      this.messages[number] = {
        number, kind, text, from: step.node, to, sent: index, copies: 1, arrivals: [], lost: [], copied: [],
      };
      if (!this.kinds.includes(kind)) this.kinds.push(kind);
    });
  }

  #foldFault(what, index) {
    const [name, value] = typeof what === "string" ? [what, null] : Object.entries(what)[0];
    this.faults.push({ at: index, name, value });
    const message = this.messages[value];
    if (!message) return;
    if (name === "lost" || name === "missed") message.lost.push(index);
    if (name === "doubled") {
      message.copies += 1;
      message.copied.push(index);
    }
  }

  // The messages in transit, by blocks of moments, so that no redraw looks at all of them.
  #index() {
    this.block = 64;
    this.blocks = [];
    for (const message of this.messages) {
      if (!message) continue;
      const ends = [...message.arrivals, ...message.lost].sort((a, b) => a - b);
      message.ends = ends;
      const last = ends.length >= message.copies ? ends[ends.length - 1] : this.length;
      for (let block = Math.floor(message.sent / 64); block <= Math.floor(last / 64); block += 1) {
        (this.blocks[block] ??= []).push(message);
      }
    }
  }

  // What is in transit at a moment; a message with two copies is there twice.
  transit(at) {
    const found = [];
    for (const message of this.blocks[Math.floor(Math.max(0, at - 1) / 64)] ?? []) {
      if (message.sent >= at) continue;
      const copies = 1 + message.copied.filter((moment) => moment < at).length;
      const gone = message.ends.filter((moment) => moment < at).length;
      for (let copy = gone; copy < copies; copy += 1) found.push(message);
    }
    return found;
  }

  // A node at a moment.
  node(id, at) {
    const index = this.last(id, at);
    return index < 0 ? this.first[id] : this.lines[index].note.seen;
  }

  // The line that told of a node last, before a moment; -1 if there is none.
  last(id, at) {
    const lines = this.byNode[id];
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (lines[middle] < at) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? -1 : lines[low - 1];
  }

  phase(id, at) {
    let phase = "idle";
    for (const [from, name] of this.phases[id]) {
      if (from > at) break;
      phase = name;
    }
    return phase;
  }

  // When the node has had each of its phases, until a moment.
  spans(id, from, to) {
    const spans = [];
    this.phases[id].forEach(([start, phase], place) => {
      const end = this.phases[id][place + 1]?.[0] ?? this.length;
      if (phase !== "idle" && end >= from && start <= to) spans.push({ start, end, phase });
    });
    return spans;
  }

  // The node that a line is about, or null.
  actor(index) {
    const line = this.lines[index];
    return line?.step ? line.step.node : line?.note.node?.id ?? null;
  }

  time(index) {
    const line = this.lines[index];
    return line?.step?.at ?? line?.fault?.at ?? 0;
  }

  // Whether something happens here that a person looks for.
  isKey(index) {
    const { note, fault } = this.lines[index];
    return Boolean(fault || note.broken || note.phase === "holds" || note.phase === "knows");
  }

  label(id) {
    const ids = this.cast.ids;
    return ids.length > 0 ? `${ids[id]}` : `${this.cast.labels[id] ?? id}`;
  }
}

// A node after a line that says what is new about it.
function whole(before, change) {
  const [start, end, middle] = change.state ?? [before.state.length, 0, ""];
  const letters = change.state ? [...before.state] : [];
  const state = change.state
    ? letters.slice(0, start).join("") + middle + letters.slice(letters.length - end).join("")
    : before.state;
  return { ...before, ...change, state };
}

// What a line says, in one sentence, and what it leads to.
export function sentence(line) {
  const effects = line.step?.effects ?? [];
  const said = line.note.says.map(([, , text], place) => {
    const to = effects.filter((effect) => effect.send)[place].send.to;
    return `sends ${text} to ${to}`;
  });
  const told = effects.flatMap((effect) => {
    if (effect.emit !== undefined) return [`says: ${short(effect.emit)}`];
    if (effect.set_timer) return [`sets a timer`];
    if (effect.choose) return [`chooses ${effect.choose.value} of ${effect.choose.bound}`];
    if (effect === "leave") return ["leaves"];
    return [];
  });
  const many = said.length > 3 ? [`sends ${said.length} messages`] : said;
  return { what: line.note.text, effects: [...told, ...many], all: [...told, ...said] };
}

export function short(json) {
  if (json === null || typeof json !== "object") return String(json);
  if (Array.isArray(json)) return `[${json.map(short).join(", ")}]`;
  const fields = Object.entries(json);
  const first = fields.length === 1 && /^[A-Z]/.test(fields[0][0]);
  if (first) return `${fields[0][0]} ${short(fields[0][1])}`;
  return fields.map(([name, value]) => `${name} ${short(value)}`).join(", ");
}
