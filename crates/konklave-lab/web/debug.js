// Rust's Debug text as a tree, and the differences of two trees.

// Reads `Name { field: value, .. }`, `Name(value, ..)`, `[..]`, `{..}`, and atoms. What it cannot read
// is one atom: the whole text.
export function parse(text) {
  const reader = { text, at: 0 };
  try {
    const tree = value(reader);
    skip(reader);
    return reader.at === text.length ? tree : { atom: text };
  } catch {
    return { atom: text };
  }
}

function skip(reader) {
  while (/\s/.test(reader.text[reader.at] ?? "")) reader.at += 1;
}

function eat(reader, mark) {
  skip(reader);
  if (!reader.text.startsWith(mark, reader.at)) return false;
  reader.at += mark.length;
  return true;
}

function value(reader) {
  skip(reader);
  const start = reader.text[reader.at];
  if (start === undefined) throw new Error("it ends too early");
  if (start === '"') return { atom: quoted(reader) };
  if (eat(reader, "[")) return { name: "", items: list(reader, "]"), marks: "[]" };
  if (eat(reader, "(")) return { name: "", items: list(reader, ")"), marks: "()" };
  if (eat(reader, "{")) return entries(reader, "");
  const name = word(reader);
  const after = reader.at;
  if (reader.text[reader.at] === "(") {
    eat(reader, "(");
    return { name, items: list(reader, ")"), marks: "()" };
  }
  if (reader.text.startsWith(" {", reader.at)) {
    eat(reader, "{");
    return entries(reader, name);
  }
  reader.at = after;
  return { atom: name };
}

function quoted(reader) {
  const start = reader.at;
  reader.at += 1;
  while (reader.at < reader.text.length && reader.text[reader.at] !== '"') {
    reader.at += reader.text[reader.at] === "\\" ? 2 : 1;
  }
  reader.at += 1;
  return reader.text.slice(start, reader.at);
}

function word(reader) {
  const start = reader.at;
  while (reader.at < reader.text.length && !",()[]{}:".includes(reader.text[reader.at])) {
    if (reader.text.startsWith(" {", reader.at)) break;
    reader.at += 1;
  }
  // A path such as `a::b` is one word.
  if (reader.text.startsWith("::", reader.at)) {
    reader.at += 2;
    word(reader);
  }
  if (reader.at === start) throw new Error("a value was expected");
  return reader.text.slice(start, reader.at).trimEnd();
}

function list(reader, end) {
  const items = [];
  while (!eat(reader, end)) {
    items.push(value(reader));
    if (!eat(reader, ",")) {
      if (eat(reader, end)) break;
      throw new Error("a comma was expected");
    }
  }
  return items;
}

// The fields of a struct, or the items of a set or a map.
function entries(reader, name) {
  const [fields, items] = [[], []];
  while (!eat(reader, "}")) {
    if (eat(reader, "..")) continue;
    const first = value(reader);
    if (eat(reader, ":")) fields.push([print(first), value(reader)]);
    else items.push(first);
    if (!eat(reader, ",")) {
      if (eat(reader, "}")) break;
      throw new Error("a comma was expected");
    }
  }
  return fields.length > 0 ? { name, fields } : { name, items, marks: "{}" };
}

export function print(tree) {
  if (tree.atom !== undefined) return tree.atom;
  const space = tree.name ? `${tree.name} ` : "";
  if (tree.fields) return `${space}{ ${tree.fields.map(([name, it]) => `${name}: ${print(it)}`).join(", ")} }`;
  const inside = tree.items.map(print).join(", ");
  if (tree.marks === "{}" && tree.name) return `${space}{${inside}}`;
  return `${tree.name}${tree.marks[0]}${inside}${tree.marks[1]}`;
}

// The fields of a state with their texts, deeper structs flattened into paths.
export function fields(text) {
  const tree = parse(text);
  const found = [];
  const walk = (path, it) => {
    if (it.fields && path.split(".").length < 4) {
      for (const [name, inner] of it.fields) walk(path ? `${path}.${name}` : name, inner);
    } else found.push([path || "state", print(it)]);
  };
  walk("", tree);
  return { name: tree.name ?? "", fields: found };
}
