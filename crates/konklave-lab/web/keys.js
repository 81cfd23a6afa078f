// Everything that can be done, by the keyboard alone.

import { arrivalsFirst } from "./side.js";

export function keys(page) {
  document.addEventListener("keydown", (event) => {
    const lab = page.lab;
    const typing = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName) && event.target.type !== "range";
    if (event.key === "Escape") return page.escape();
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    if (event.key === "?") return page.showKeys();
    if (!lab) return undefined;
    const isButton = ["BUTTON", "A", "SUMMARY"].includes(event.target.tagName);
    if (isButton && [" ", "Enter"].includes(event.key)) return undefined;
    const act = actions(lab, page)[event.key] ?? numbered(lab, event.key);
    if (!act) return undefined;
    event.preventDefault();
    return act(event);
  });
}

function actions(lab, page) {
  const far = (event) => (event.shiftKey ? 10 : 1);
  const aim = () => lab.selected?.message ?? lab.standing?.options.find((it) => it.message !== null)?.message;
  const onMessage = (letter) => () => aim() !== undefined && lab.perform(`${letter}${aim()}`);
  const onNode = (letter) => () => {
    const node = lab.selected?.node ?? (lab.at > 0 ? lab.film.actor(lab.at - 1) : null);
    if (node !== null && node !== undefined) lab.perform(`${letter}${node}`);
  };
  const on = (event) => lab.step(far(event));
  const back = (event) => lab.step(-far(event));
  return {
    " ": () => lab.toggle(),
    ArrowRight: on, n: on, j: on, PageDown: on,
    ArrowLeft: back, p: back, k: back, PageUp: back,
    Home: () => lab.go(0),
    End: () => lab.go(lab.film.length),
    ",": () => lab.key(-1),
    ".": () => lab.key(1),
    x: onMessage("x"), u: onMessage("u"), c: onNode("c"), r: onNode("r"),
    "[": () => lab.choose(Math.max(0, lab.current - 1)),
    "]": () => lab.choose(Math.min(lab.takes.length - 1, lab.current + 1)),
    "-": () => page.changeSpeed(-1),
    "+": () => page.changeSpeed(1), "=": () => page.changeSpeed(1),
    g: () => page.nextView("above"),
    v: () => page.nextView("below"),
    w: () => page.toggleWaits(),
    f: () => page.togglePresent(),
  };
}

// The things that can happen now have numbers.
function numbered(lab, key) {
  const options = arrivalsFirst(lab.standing?.options ?? []);
  const option = /^[1-9]$/.test(key) ? options[Number(key) - 1] : null;
  return option ? () => lab.perform(option.do) : null;
}
