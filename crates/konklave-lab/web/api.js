// The server's side of the lab. A link says everything: nothing is kept there.

export async function ask(path, body) {
  const request = body === undefined
    ? {}
    : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
  const response = await fetch(`/api/${path}`, request);
  const answer = await response.json().catch(() => ({ error: `the server said ${response.status}` }));
  if (!response.ok) throw new Error(answer.error);
  return answer;
}

// How many lines are asked for before anything is shown.
const FIRST = 400;

// All lines of a film, in as many answers as it takes; or the first ones now, and the others as
// they come.
export async function askFilm(link, from, more) {
  const first = more ? from + FIRST : undefined;
  const whole = await ask("film", { ...link, from, to: first });
  if (more) {
    follow(link, whole, more);
    return whole;
  }
  while (whole.from + whole.lines.length < whole.total) {
    const next = await ask("film", { ...link, from: whole.from + whole.lines.length });
    if (next.lines.length === 0) break;
    whole.lines.push(...next.lines);
  }
  return whole;
}

async function follow(link, first, more) {
  for (let from = first.from + first.lines.length; from < first.total; ) {
    const next = await ask("film", { ...link, from }).catch(() => ({ lines: [] }));
    if (next.lines.length === 0) return;
    from += next.lines.length;
    more(next.lines);
  }
}
