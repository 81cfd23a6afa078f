// What there is to watch, and to break.

import { make } from "./paint.js";
import { words } from "./words.js";

export function home(repertoire, solved, open) {
  const of = (problem) => repertoire.algorithms.filter((it) => it.problem === problem.name);
  const algorithm = (it) => make("li", {}, make("a", { class: "tile", href: `#run/${it.name}`, "data-algorithm": it.name },
    make("b", {}, it.name), it.year ? make("span", { class: "soft" }, ` ${it.year}`) : "",
    make("small", {}, it.summary), make("small", {}, it.messages)));
  const problems = repertoire.problems.filter((problem) => of(problem).length > 0).map((problem) =>
    make("section", {}, make("h2", {}, problem.title), make("ul", { class: "tiles" }, of(problem).map(algorithm))));
  const levels = [...repertoire.specimens].sort((a, b) => a.par - b.par);
  const level = (it, place) => make("li", {}, make("a", { class: "tile", href: `#specimen/${it.name}`, "data-level": it.name },
    make("b", {}, `${place + 1}. ${it.of}`), " ",
    make("span", { class: solved.has(it.name) ? "good" : "soft" }, solved.has(it.name) ? words.solved : words.par(it.par)),
    make("small", {}, `${it.nodes} nodes, break: ${it.promise}`)));
  const file = make("input", { type: "file", accept: ".jsonl,application/json", id: "trace" });
  file.addEventListener("change", async () => file.files[0] && open(await file.files[0].text()));
  return make("div", { class: "home" },
    make("h1", {}, words.homeTitle), make("p", {}, words.home, " ", words.steps),
    problems,
    make("section", { id: "challenges" }, make("h2", {}, words.challenges), make("p", {}, words.challengesHelp),
      make("ul", { class: "tiles" }, levels.filter((it) => it.is_proven).map(level))),
    make("section", {}, make("h2", {}, words.openTrace), make("p", { class: "soft" }, words.openTraceHelp),
      make("label", { for: "trace", class: "hidden" }, words.openTrace), file));
}

// The options of a run, as on the command line.
export function options(entry, given, start) {
  const form = make("form", { class: "form" });
  const general = [
    ["nodes", words.nodes, "7"], ["topology", words.topology, ""], ["seed", words.seed, "1"], ["delay", words.delay, "constant:1"],
  ];
  const field = (name, label, usual, help) => {
    const input = make("input", { id: `o-${name}`, name, value: given[name] ?? "", placeholder: usual, autocomplete: "off" });
    form.append(make("label", { for: `o-${name}` }, label), input);
    if (help) form.append(make("small", {}, help));
  };
  general.forEach(([name, label, usual]) => field(name, label, usual));
  entry.choices.forEach((choice) => field(choice.name, choice.name, choice.values[0] ?? "", choice.values.join(", ")));
  entry.options.forEach((option) => field(option.name, option.name, option.usual, option.help));
  form.append(make("span", {}), make("button", { type: "submit" }, words.start));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const values = {};
    for (const input of form.querySelectorAll("input")) if (input.value.trim()) values[input.name] = input.value.trim();
    start(values);
  });
  return form;
}
