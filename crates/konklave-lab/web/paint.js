// What all canvases have in common: size, colours, the looks of kinds of messages.

const SHAPES = ["disc", "square", "diamond", "triangle", "cross", "ring", "bar", "star"];
const COLOURS = ["--blue", "--amber", "--violet", "--green", "--red", "--soft"];

let palette = null;

// The colours of the theme. They are read anew when the theme changes.
export function colours() {
  if (palette) return palette;
  const style = getComputedStyle(document.documentElement);
  palette = new Proxy({}, {
    get(cache, name) {
      return (cache[name] ??= style.getPropertyValue(name).trim() || "#888");
    },
  });
  return palette;
}

export function forgetColours() {
  palette = null;
}

// A canvas that fits its box, sharp on every screen.
export function fit(canvas) {
  const box = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.round(box.width * ratio), Math.round(box.height * ratio)];
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, box.width, box.height);
  return { pen, width: box.width, height: box.height };
}

// Every kind of message has a shape and a colour, in the order in which they appear first.
export function look(kinds, kind) {
  const place = Math.max(0, kinds.indexOf(kind));
  return { shape: SHAPES[place % SHAPES.length], colour: colours()[COLOURS[place % COLOURS.length]] };
}

export function mark(pen, { shape, colour }, x, y, size, hollow = false) {
  pen.beginPath();
  if (shape === "disc" || shape === "ring") pen.arc(x, y, size, 0, 2 * Math.PI);
  else if (shape === "square") pen.rect(x - size * 0.85, y - size * 0.85, size * 1.7, size * 1.7);
  else if (shape === "bar") pen.rect(x - size * 0.5, y - size, size, size * 2);
  else {
    const corners = { diamond: 4, triangle: 3, cross: 4, star: 5 }[shape];
    const inner = { cross: 0.35, star: 0.45 }[shape];
    const steps = inner ? corners * 2 : corners;
    for (let step = 0; step < steps; step += 1) {
      const far = inner && step % 2 === 1 ? size * inner : size * 1.15;
      const angle = (step / steps) * 2 * Math.PI - Math.PI / 2;
      pen.lineTo(x + far * Math.cos(angle), y + far * Math.sin(angle));
    }
    pen.closePath();
  }
  pen.lineWidth = 1.6;
  pen.strokeStyle = colour;
  pen.fillStyle = hollow || shape === "ring" ? colours()["--paper"] : colour;
  pen.fill();
  pen.stroke();
}

export function arrow(pen, x1, y1, x2, y2, size = 6) {
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
  const angle = Math.atan2(y2 - y1, x2 - x1);
  pen.beginPath();
  pen.moveTo(x2, y2);
  pen.lineTo(x2 - size * Math.cos(angle - 0.4), y2 - size * Math.sin(angle - 0.4));
  pen.lineTo(x2 - size * Math.cos(angle + 0.4), y2 - size * Math.sin(angle + 0.4));
  pen.closePath();
  pen.fillStyle = pen.strokeStyle;
  pen.fill();
}

// An element with its properties and children.
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else if (value === true) element.setAttribute(name, "");
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
