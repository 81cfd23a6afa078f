// A system that is watched and steered: its takes, the moment, what is selected. The views draw it.

import { ask, askFilm } from "./api.js";
import { Film } from "./film.js";
import { words } from "./words.js";

// How far a take goes on by itself, so that one sees at once how it ends.
const AHEAD = 400;

export class Lab {
  constructor(trunk, redraw, say) {
    this.trunk = trunk;
    this.redraw = redraw;
    this.say = say;
    this.takes = [];
    this.current = 0;
    this.at = 0;
    this.selected = null;
    this.speed = 2;
    this.isPlaying = false;
    this.showsWaits = false;
    this.motion = 1;
    this.standings = new Map();
    this.effect = null;
  }

  get take() {
    return this.takes[this.current];
  }

  get film() {
    return this.take.film;
  }

  // The system as it stands at this moment, as far as the server has said it.
  get standing() {
    return this.standings.get(this.#place(this.current, this.at)) ?? null;
  }

  async open({ cut, moves, at }) {
    // A long film begins before all of it is there, unless a take branches off it.
    const more = moves.length > 0 ? undefined : (lines) => {
      this.takes[0].film.extend(lines);
      this.takes[0].cut = this.takes[0].film.length;
      this.redraw("moment");
    };
    const whole = await askFilm({ trunk: this.trunk }, 0, more);
    this.cast = whole.cast;
    this.first = whole.first;
    const film = new Film(whole.cast, whole.first, whole.lines);
    this.takes = [{ cut: whole.total, hand: 0, moves: [], film, ending: ending(whole.standing, film), isBad: isBad(whole.standing) }];
    this.standings.set(this.#place(0, film.length), whole.standing);
    let note = null;
    if (moves.length > 0) note = await this.#branch(Math.min(cut ?? film.length, film.length), moves, false);
    const last = this.current > 0 ? this.take.cut + this.take.hand : cut ?? 0;
    this.go(at ?? (moves.length > 0 ? last : 0));
    return note;
  }

  // A new take: these moves from that moment of the recording on, and what becomes of it.
  async #branch(cut, moves, isReplacing) {
    const schedule = moves.join(",");
    const answer = await askFilm({ trunk: this.trunk, cut, do: `${schedule},w${AHEAD}` }, cut);
    const isPossible = !answer.stuck || answer.stuck.moves > 0;
    if (!isPossible) return words.stuck(0, answer.stuck.why);
    const done = answer.stuck && answer.stuck.moves < moves.length ? answer.stuck.moves : moves.length;
    const film = new Film(this.cast, this.first, [...this.takes[0].film.lines.slice(0, cut), ...answer.lines]);
    const take = {
      cut, hand: done, moves: moves.slice(0, done), film, ending: ending(answer.standing, film), isBad: isBad(answer.standing) || Boolean(film.broken),
    };
    if (isReplacing) this.takes[this.current] = take;
    else {
      this.takes.push(take);
      this.current = this.takes.length - 1;
    }
    for (const key of [...this.standings.keys()]) if (key.startsWith(`${this.current} `)) this.standings.delete(key);
    return done < moves.length ? words.stuck(done, answer.stuck.why) : null;
  }

  // The moves that lead from the recording to a moment of the current take.
  #movesUntil(at) {
    const { film, cut } = this.take;
    const from = this.current === 0 ? at : Math.min(cut, at);
    const moves = film.lines.slice(from, at).map((line) => line.note.do);
    return { cut: from, moves };
  }

  #place(take, at) {
    return `${take} ${at}`;
  }

  // Asks how the system stands now, if it is not known.
  async #ask() {
    const key = this.#place(this.current, this.at);
    if (this.standings.has(key)) return;
    const { cut, moves } = this.#movesUntil(this.at);
    if (moves.some((move) => !move)) return;
    const from = cut + moves.length;
    const answer = await ask("film", { trunk: this.trunk, cut, do: moves.join(","), from, to: from }).catch(() => null);
    if (!answer) return;
    this.standings.set(key, answer.standing);
    this.redraw("standing");
  }

  #askSoon() {
    clearTimeout(this.asking);
    this.asking = setTimeout(() => this.#ask(), this.isPlaying ? 250 : 0);
  }

  go(at) {
    const to = Math.max(0, Math.min(this.film.length, at));
    const forward = to === this.at + 1;
    this.at = to;
    this.effect = null;
    this.#askSoon();
    this.#move(forward);
    this.redraw("moment");
  }

  // A step forward is shown as a motion: messages fly to their receivers' doors.
  #move(forward) {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.motion = forward && !still ? 0 : 1;
    const lasts = Math.min(300, 0.8 * this.#pause());
    const start = performance.now();
    const frame = (now) => {
      if (this.motion >= 1) return;
      this.motion = Math.min(1, (now - start) / Math.max(1, lasts));
      this.redraw("motion");
      requestAnimationFrame(frame);
    };
    if (this.motion < 1) requestAnimationFrame(frame);
  }

  #pause() {
    return 1000 / 2 ** this.speed * 2;
  }

  step(count) {
    this.stop();
    this.go(this.at + count);
  }

  // The next moment that a person looks for.
  key(way) {
    this.stop();
    for (let at = this.at + way; at > 0 && at <= this.film.length; at += way) {
      if (this.film.isKey(at - 1)) return this.go(at);
    }
    this.go(way > 0 ? this.film.length : 0);
  }

  toggle() {
    if (this.isPlaying) return this.stop();
    if (this.at >= this.film.length) this.at = 0;
    this.isPlaying = true;
    const tick = () => {
      if (!this.isPlaying) return;
      if (this.at >= this.film.length) return this.stop();
      this.go(this.at + 1);
      this.timer = setTimeout(tick, this.#pause());
    };
    tick();
  }

  stop() {
    this.isPlaying = false;
    clearTimeout(this.timer);
    this.redraw("moment");
  }

  select(what) {
    this.selected = what;
    this.redraw("moment");
  }

  choose(take) {
    this.current = take;
    this.go(Math.min(this.at, this.film.length));
  }

  showCode(effect) {
    this.effect = effect;
    this.redraw("code");
  }

  deliver(number) {
    this.selected = { message: number };
    const option = this.standing?.options.find((it) => it.message === number);
    if (option) this.perform(option.do);
    else this.redraw("moment");
  }

  // Lets something happen. What the take does next anyway is a step; anything else is a take of its
  // own, unless the take has only gone on by itself since then.
  async perform(move) {
    this.stop();
    if (this.film.lines[this.at]?.note.do === move) return this.go(this.at + 1);
    const { cut, moves } = this.#movesUntil(this.at);
    const isOwn = this.current > 0 && this.at >= this.take.cut + this.take.hand;
    const at = this.at;
    try {
      const refused = await this.#branch(cut, [...moves, move], isOwn);
      if (refused) return this.say(refused);
      this.at = at;
      this.go(at + 1);
    } catch (error) {
      this.say(error.message);
    }
  }

  canTryLosses() {
    return this.current === 0 && this.film.length > 0 && this.film.length <= 400 && this.trunk.specimen === undefined;
  }

  async tryLosses() {
    const answer = await ask("whatif", { trunk: this.trunk }).catch((error) => this.say(error.message));
    this.losses = answer?.losses ?? [];
    this.redraw("moment");
  }

  // Opens a take in which one message is lost.
  async lose(loss) {
    this.current = 0;
    this.at = loss.cut;
    await this.perform(`x${loss.message}`);
  }

  // What a link to this moment says. What a take does by itself is not said: it is the same again.
  link() {
    const { cut, moves } = this.take;
    const branch = this.current === 0 ? [] : [`cut=${cut}`, `do=${moves.join(",")}`];
    return [...branch, `at=${this.at}`];
  }
}

function isBad(standing) {
  return Boolean(standing.broken || (standing.rests && standing.open));
}

function ending(standing, film) {
  if (standing.broken) return `${standing.broken.promise}: ${standing.broken.detail}`;
  if (standing.rests && standing.open) return `${standing.open.promise}: ${standing.open.detail}`;
  return `${film.messages.length} messages, ${standing.rests ? "at rest" : "goes on"}`;
}
