// Links: `#run/raymond?nodes=7&cut=23&do=d12,x14&at=31`. Everything before `cut` is an option of the
// command line.

const OWN = ["cut", "do", "at"];

export function read(hash) {
  const [path, query] = hash.replace(/^#/, "").split("?");
  const [kind, ...rest] = path.split("/");
  const name = decodeURIComponent(rest.join("/"));
  if (!["run", "play", "specimen", "trace"].includes(kind) || !name) return null;
  const values = new URLSearchParams(query ?? "");
  const options = {};
  for (const [key, value] of values) if (!OWN.includes(key)) options[key] = value;
  const number = (key) => (values.has(key) ? Number(values.get(key)) || 0 : undefined);
  return {
    kind, name, options, trunk: trunk(kind, name, options),
    cut: number("cut"), at: number("at"),
    moves: (values.get("do") ?? "").split(",").filter((move) => move),
  };
}

function trunk(kind, name, options) {
  if (kind === "specimen") return { specimen: name };
  if (kind === "trace") return { trace: Number(name) };
  return { [kind]: { algorithm: name, options } };
}

export function write({ kind, name, options }, parts) {
  const given = Object.entries(options).map(([key, value]) => `${key}=${encodeURIComponent(value)}`);
  const all = [...given, ...parts];
  return `#${kind}/${name}${all.length > 0 ? `?${all.join("&")}` : ""}`;
}
