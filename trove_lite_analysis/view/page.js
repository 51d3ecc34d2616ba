// Draws what the page holds. Everything that a model or a program wrote becomes text of a node, never markup.

const DOT = " · ";
const LONG = 60; // characters of an answer in a list
const PHASES = { selected: "What the recorded run selected, after it solved problems again (selected)",
  retry: "Solved again after trimming (retry)", draft: "Drafts, written anew before they counted (draft)" };

function el(tag, given = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "onclick" || name === "onchange") node[name] = value;
    else if (value === true) node.setAttribute(name, "");
    else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== undefined && child !== null && child !== ""));
  return node;
}

// A piece of a text: words, or a formula, [element, attributes, pieces], built node by node.
function drawn(piece) {
  if (typeof piece === "string") return document.createTextNode(piece);
  const wide = piece[1].display === "block" || lettersOf(piece) > 30;
  return wide ? el("span", { class: "formula", tabindex: 0 }, built(piece)) : built(piece);
}

const lettersOf = (piece) => (typeof piece === "string" ? piece.length : piece[2].reduce((sum, part) => sum + lettersOf(part), 0));

function built(piece) {
  if (typeof piece === "string") return document.createTextNode(piece);
  const [tag, attributes, inside] = piece;
  const node = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inside.map(built));
  return node;
}

// ---- what is there ----

const index = await read("index");
const { default: DataTable } = await import(`data:text/javascript;base64,${$("library").textContent}`);
const [DATASET, CATEGORY, NUMBER, LEVEL, QUESTION, PART, PLACE] = [0, 1, 2, 3, 4, 5, 6];
const rows = index.rows.map(([problem, run, judged, right, counts, picked, kinds], place) => ({
  place, problem, run, judged, right, picked, kinds, counts, of: index.problems[problem],
}));
const spaced = (name) => name.replaceAll("_", " ");
const formulas = new Map(index.formulas); // texts that hold some, each with its pieces
const written = (text) => (text === "" ? ["“”"] : formulas.get(text)?.map(drawn) ?? [text]);
const severalData = new Set(index.problems.map((problem) => problem[DATASET])).size > 1;
const severalRuns = index.runs.length > 1;
const severalSamples = rows.some((row) => row.judged > 1); // of one all rules pick the same
const choosing = index.rules.map((_, i) => i).filter((i) => rows.some((row) => row.picked[i])); // verdicts alone choose nothing
const rules = choosing.slice(0, severalSamples ? undefined : 1);
const hasQuestions = index.problems.some((problem) => problem[QUESTION]);
const runNames = index.runs.map((run) => run.method + DOT + run.run);
const rowsOf = Map.groupBy ? Map.groupBy(rows, (row) => row.problem) : grouped(rows, (row) => row.problem);

function grouped(items, of) {
  const found = new Map();
  for (const item of items) found.has(of(item)) ? found.get(of(item)).push(item) : found.set(of(item), [item]);
  return found;
}

const categoryOf = (problem) => (severalData ? `${problem[DATASET]}${DOT}` : "") + problem[CATEGORY];
const nameOf = (problem) => `${categoryOf(problem)} ${problem[NUMBER]}`;
const addressOf = (problem) =>
  "#/" + [problem[DATASET], problem[CATEGORY], problem[NUMBER]].map(encodeURIComponent).join("/");
const placeOf = new Map(index.problems.map((problem, place) => [addressOf(problem), place]));

function linkTo(problem, run, beside) {
  const words = new URLSearchParams();
  if (severalRuns && run !== undefined) words.set("run", runNames[run]);
  if (beside !== undefined) words.set("beside", runNames[beside]);
  return addressOf(problem) + (words.size ? `?${words}` : "");
}

const count = (number, one, many = `${one}s`) => `${number.toLocaleString("en")} ${number === 1 ? one : many}`;

function verdict(right) {
  if (right === undefined || right === null) return el("span", { class: "faint" }, "not judged");
  return el("span", { class: right ? "right" : "wrong", role: "img", "aria-label": right ? "right" : "wrong" }, right ? "✓" : "✗");
}

const said = (answer) =>
  answer === undefined || answer === null ? el("i", { class: "faint" }, "no answer") : el("span", {}, ...(formulas.get(answer)?.map(drawn) ?? [answer]));

function pickedCell(picked) {
  if (!picked) return el("span", { class: "faint" }, "–");
  const [answer] = picked;
  const short = formulas.has(answer) ? answer : answer?.slice(0, LONG);
  return el("span", { class: "picked" }, el("span", { title: answer }, said(short)), " ", verdict(picked[1]));
}

// A name that may be broken after each of its parts.
const breakable = (name) => el("span", {}, ...name.split(/(?<=[_\-/])/).flatMap((part) => [part, el("wbr")]));

// ---- filters ----

const sorted = (values) => [...new Set(values)].sort((a, b) => String(a).localeCompare(String(b), "en", { numeric: true }));
const named = (values) => values.map((value) => [value, value]);
const FIELDS = [
  ["category", "Category", named(sorted(rows.map((row) => categoryOf(row.of))))],
  ["level", "Level", named(sorted(rows.map((row) => row.of[LEVEL]).filter(Boolean)))],
  ["run", "Run", named(runNames)],
  ["mode", "With a candidate of mode", named(sorted(rows.flatMap((row) => row.kinds.map(([mode]) => mode))))],
  ["status", "With a candidate that ended", named(sorted(rows.flatMap((row) => row.kinds.map(([, status]) => status))))],
  ["rule", "By the rule", named(index.rules), index.rules[0]],
  ["is", "the answer is", [["right", "right"], ["wrong", "wrong"],
    ["missed", "wrong, though a candidate is right"], ["none", "none: the rule has no votes"]]],
  ["unlikerule", "and differs from that of rule", named(index.rules)],
  ["unlikerun", "and differs from that of run", named(runNames)],
  ["in", "in", [["answer", "the answer"], ["right", "being right"]], "answer"],
];
const chosen = {};
const form = document.querySelector("#filters form");

function makeForm() {
  for (const [name, label, options, fallback] of FIELDS) {
    if (options.length < 2 && !fallback) continue;
    const select = el("select", { id: `by-${name}`, name, onchange: filtersChanged },
      ...(fallback ? [] : [el("option", { value: "" }, name.startsWith("unlike") ? "–" : "any")]),
      ...options.map(([value, text]) => el("option", { value }, text)));
    form.append(el("label", { for: `by-${name}` }, label, select));
  }
  form.append(el("button", { type: "reset", onclick: () => setTimeout(filtersChanged) }, "Clear filters"));
}

function takeFilters(words) {
  for (const [name, , options, fallback] of FIELDS) {
    const asked = words.get(name) ?? "";
    chosen[name] = options.some(([value]) => value === asked) ? asked : fallback ?? "";
    if (form.elements[name]) form.elements[name].value = chosen[name];
  }
}

function filtersChanged() {
  const words = new URLSearchParams();
  for (const [name, , , fallback] of FIELDS) {
    const value = form.elements[name]?.value ?? "";
    if (value && value !== fallback) words.set(name, value);
  }
  history.replaceState(null, "", words.size ? `#?${words}` : "#");
  takeFilters(words);
  listAddress = location.hash || "#";
  table.draw();
}

const unlike = (a, b) => Boolean(a && b) && (chosen.in === "right" ? a[1] !== b[1] : a[0] !== b[0]);

function kept(row) {
  if (chosen.category && categoryOf(row.of) !== chosen.category) return false;
  if (chosen.level && row.of[LEVEL] !== chosen.level) return false;
  if (chosen.run && runNames[row.run] !== chosen.run) return false;
  const fits = ([mode, status]) => (!chosen.mode || mode === chosen.mode) && (!chosen.status || status === chosen.status);
  if ((chosen.mode || chosen.status) && !row.kinds.some(fits)) return false;
  const rule = index.rules.indexOf(chosen.rule);
  const mine = row.picked[rule] ?? undefined;
  if (chosen.is === "right" && mine?.[1] !== 1) return false;
  if (chosen.is === "wrong" && mine?.[1] !== 0) return false;
  if (chosen.is === "missed" && !(mine?.[1] === 0 && row.right)) return false;
  if (chosen.is === "none" && mine) return false;
  if (chosen.unlikerule && !unlike(mine, row.picked[index.rules.indexOf(chosen.unlikerule)])) return false;
  if (chosen.unlikerun) {
    const other = rowsOf.get(row.problem).find((each) => runNames[each.run] === chosen.unlikerun);
    if (!unlike(mine, other?.picked[rule])) return false;
  }
  return true;
}

// ---- the list ----

// The library reads what it searches as HTML, so there it is escaped.
const escaped = (text) => String(text ?? "").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function column(title, { shown, found, order = found, type = "string", className = "", visible = true }) {
  const render = (_, kind, row) =>
    kind === "display" ? shown(row) : kind === "filter" ? escaped(found(row)) : kind === "sort" ? order(row) : "";
  return { title, data: null, type, className, visible, render };
}

// A text's first so many letters, a formula whole.
function beginning(words, letters) {
  const found = [];
  for (const piece of formulas.get(words) ?? [words]) {
    if (letters <= 0) return [...found, " …"];
    found.push(typeof piece === "string" ? piece.slice(0, letters) + (piece.length > letters ? " …" : "") : built(piece));
    letters -= lettersOf(piece);
    if (letters < 0 && typeof piece === "string") return found;
  }
  return found;
}

const text = (words) => document.createTextNode(words);
const columns = [
  column("Problem", {
    shown: (row) => el("a", { href: linkTo(row.of, row.run) }, nameOf(row.of)),
    found: (row) => nameOf(row.of), order: (row) => row.place, type: "num", className: "name",
  }),
  column("Level", {
    shown: (row) => text(row.of[LEVEL] ?? ""), found: (row) => row.of[LEVEL] ?? "",
    className: "wide", visible: index.problems.some((problem) => problem[LEVEL]),
  }),
  column("Run", { shown: (row) => breakable(runNames[row.run]), found: (row) => runNames[row.run], visible: severalRuns }),
  column("Question", {
    shown: (row) => el("span", {}, ...beginning(row.of[QUESTION] ?? "", 120)),
    found: (row) => row.of[QUESTION] ?? "", className: "wide question", visible: hasQuestions,
  }),
  column("Right", {
    shown: (row) => text(row.judged ? `${row.right} of ${row.judged}` : "–"),
    found: () => "", order: (row) => (row.judged ? row.right / row.judged : -1), type: "num", className: "share",
  }),
  ...rules.map((i) => column(spaced(index.rules[i]), {
    shown: (row) => pickedCell(row.picked[i]),
    found: (row) => row.picked[i]?.[0] ?? "",
    order: (row) => (row.picked[i] ? `${row.picked[i][1]} ${row.picked[i][0] ?? ""}` : ""),
    className: i > 1 ? "wide" : "",
  })),
];

makeForm();
let listAddress = location.hash.startsWith("#?") ? location.hash : "#";
takeFilters(new URLSearchParams(listAddress.slice(2)));
const dark = matchMedia("(prefers-color-scheme: dark)");
const shade = (printed) => document.documentElement.classList.toggle("dark", dark.matches && printed !== true);
dark.addEventListener("change", shade);
addEventListener("beforeprint", () => shade(true));
addEventListener("afterprint", shade);
shade();
document.querySelector("main").hidden = false;
const table = new DataTable("#problems", {
  data: rows, columns, order: [], autoWidth: false, pageLength: 25, lengthMenu: [10, 25, 100, 500],
  layout: { topStart: "search", topEnd: "pageLength", bottomStart: "info", bottomEnd: "paging" },
  language: {
    search: "Find ", lengthMenu: "_MENU_ a page", info: "_START_ to _END_ of _TOTAL_", infoFiltered: "(of _MAX_ in all)",
    infoEmpty: "none", zeroRecords: "Nothing fits: clear a filter.",
  },
});
table.search.fixed("filters", (_, row) => kept(row));
table.draw();

// ---- accuracies: by category and method on opening, by run and rule when asked for ----

// The mean over problems, each over its runs; what repeats an earlier run, or lacks a sample, does not count.
function share(own, rule) {
  const known = own.filter((row) => row.counts && row.picked[rule]);
  if (!known.length) return "–";
  const each = [...grouped(known, (row) => row.problem).values()].map((runs) =>
    runs.filter((row) => row.picked[rule][1]).length / runs.length);
  const mean = each.reduce((sum, one) => sum + one, 0) / each.length;
  return [`${(100 * mean).toFixed(1)} %`, el("span", { class: "faint" }, ` of ${count(each.length, "problem")}`)];
}

// The problems that every method has an answer to by this rule: on others no two can be compared.
function ofAll(byMethod, rule) {
  const each = byMethod.map(([, own]) => new Set(own.filter((row) => row.counts && row.picked[rule]).map((row) => row.problem)));
  const common = [...each[0]].filter((problem) => each.every((own) => own.has(problem)));
  return [new Set(common), each.every((own) => own.size === common.length)];
}

function plainTable(heads, lines, caption) {
  const cells = (line) => line.map((cell, i) => el(i ? "td" : "th", i ? {} : { scope: "row" }, ...[cell].flat()));
  return el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "plain" }, caption ? el("caption", {}, caption) : "",
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...lines.map((line) => el("tr", {}, ...cells(line))))));
}

function drawShares() {
  const rule = index.rules.findIndex((_, i) => rows.some((row) => row.picked[i]));
  const byMethod = [...grouped(rows, (row) => index.runs[row.run].method)];
  const categories = [...grouped(rows, (row) => categoryOf(row.of)).keys()];
  const line = (name, of) => [name, ...byMethod.map(([, own]) => share(own.filter(of), rule))];
  const go = (category) => el("a", { href: `#?${new URLSearchParams({ category })}` }, category);
  if (rule < 0) return;
  const [common, same] = ofAll(byMethod, rule);
  const lines = categories.map((category) => line(go(category), (row) => categoryOf(row.of) === category));
  const paired = same ? "all problems asked" : "the problems that all have";
  if (common.size && (categories.length > 1 || !same)) lines.unshift(line(paired, (row) => common.has(row.problem)));
  $("shares").append(plainTable(["", ...byMethod.map(([method]) => method)], lines,
    `Accuracy by the rule “${spaced(index.rules[rule])}”, the mean over problems, each over a method's runs`));
}

function drawRuns() {
  const heads = ["Run", "Model", "Provenance", "Problems", "Candidates", ...index.rules.map((rule) => `right by ${rule}`)];
  const lines = index.runs.map((run, number) => {
    const own = rows.filter((row) => row.run === number);
    return [runNames[number], run.model, run.provenance, own.length.toLocaleString("en"), run.candidates.toLocaleString("en"),
      ...index.rules.map((_, i) => share(own, i))];
  });
  $("runs").append(plainTable(heads, lines), ...index.notes.map((note) => el("p", { class: "faint" }, note)));
  for (const [rule, about] of Object.entries(index.about)) $("words").querySelector("dl").append(el("dt", {}, rule), el("dd", {}, about));
}

// ---- one problem ----

const opened = new Map();

async function heldOf(problem) {
  const [part, place] = [problem[PART], problem[PLACE]];
  if (!opened.has(part)) {
    opened.clear();
    opened.set(part, read(`part${part}`));
  }
  return (await opened.get(part))[place];
}

async function drawProblem(place, words) {
  const problem = index.problems[place];
  const held = await heldOf(problem);
  for (const [text, pieces] of held.formulas ?? []) formulas.set(text, pieces);
  const mine = rowsOf.get(place);
  const first = mine.find((row) => runNames[row.run] === words.get("run")) ?? mine[0];
  const second = mine.find((row) => runNames[row.run] === (words.get("beside") ?? chosen.unlikerun));
  const shown = second && second !== first ? [first, second] : [first];
  const [before, after, where] = neighbours(first);
  const heading = el("h2", { id: "heading", tabindex: -1 }, nameOf(problem), problem[LEVEL] ? `, level ${problem[LEVEL]}` : "");
  const link = (row, words, key) => row ? el("a", { href: linkTo(row.of, row.run), "data-key": key }, words) : el("span", { class: "faint" }, words);
  $("problem").replaceChildren(
    el("nav", { "aria-label": "Problems" }, el("a", { href: listAddress, "data-key": "Escape" }, "all problems"),
      link(before, "‹ previous", "ArrowLeft"), link(after, "next ›", "ArrowRight"), el("span", { class: "faint" }, where)),
    heading,
    el("div", { class: "question" }, ...(problem[QUESTION] ? written(problem[QUESTION]) : [el("i", { class: "faint" }, "Its question is not at hand.")])),
    held.context ? el("pre", { tabindex: 0 }, held.context) : "",
    held.image ? el("img", { src: held.image, alt: "What the question is about" }) : "",
    held.files ? el("p", { class: "faint" }, `Its programs may read ${held.files.join(", ")}.`) : "",
    held.gold ? el("p", {}, "Right answer: ", el("b", {}, ...written(held.gold))) : "",
    mine.length > 1 ? runsOf(problem, mine, shown) : "",
    el("div", { class: "side" }, ...shown.map((row) => answered(row, held.runs.find((each) => each.run === row.run)))));
  document.title = `${nameOf(problem)} – ${title}`;
  heading.focus({ preventScroll: true });
  scrollTo(0, 0);
}

function neighbours(row) {
  const places = table.rows({ search: "applied", order: "applied" }).indexes().toArray();
  const at = places.indexOf(row.place);
  const where = at < 0 ? "not in the filtered list" : `${(at + 1).toLocaleString("en")} of ${places.length.toLocaleString("en")} in the list`;
  return at < 0 ? [undefined, undefined, where] : [rows[places[at - 1]], rows[places[at + 1]], where];
}

function runsOf(problem, mine, shown) {
  const heads = ["Run", "", "Right", ...rules.map((i) => spaced(index.rules[i]))];
  const lines = mine.map((row) => el("tr", { "aria-current": shown.includes(row) ? "true" : null },
    el("td", {}, el("a", { href: linkTo(problem, row.run) }, breakable(runNames[row.run]))),
    el("td", {}, shown.includes(row) ? "" : el("a", { href: linkTo(problem, shown[0].run, row.run) }, "beside")),
    el("td", {}, row.judged ? `${row.right} of ${row.judged}` : "–"),
    ...rules.map((i) => el("td", {}, pickedCell(row.picked[i])))));
  return el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "plain" }, el("caption", {}, "What each run answers"),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...lines)));
}

function answered(row, held) {
  const cards = held.candidates.map((candidate, place) => card(candidate, place, held));
  const anyText = held.candidates.some((each) => each.solution || each.response || each.output || each.error);
  const phases = grouped(held.candidates.map((candidate, place) => ({ candidate, place })), ({ candidate }) => candidate.phase ?? "");
  return el("article", {}, el("h3", {}, runNames[row.run]), spent(held), rulesOf(held, cards),
    anyText ? "" : el("p", { class: "faint" }, "No texts were recorded in this file: programs and outputs are not shown."),
    ...[...phases].flatMap(([phase, members]) => [
      phase ? el("h4", {}, PHASES[phase] ?? phase) : "", byMode(members, cards)]));
}

function byMode(members, cards) {
  const modes = [...grouped(members, ({ candidate }) => candidate.mode)];
  return el("div", { class: "modes" }, ...modes.map(([mode, own]) => el("section", { "aria-label": mode },
    el("h4", {}, `${mode} `, el("span", { class: "faint" }, count(own.length, "candidate"))),
    el("div", { class: modes.length > 1 ? "cards" : "cards alone" }, ...own.map(({ place }) => cards[place])))));
}

function spent({ spent: { calls, prompt_tokens, completion_tokens, executions } }) {
  const words = [
    calls && count(calls, "request"), prompt_tokens && `${prompt_tokens.toLocaleString("en")} prompt tokens`,
    completion_tokens && `${completion_tokens.toLocaleString("en")} completion tokens`, executions && count(executions, "execution"),
  ].filter(Boolean).join(", ");
  return words ? el("p", { class: "faint" }, words) : "";
}

// The name of a candidate; the number of one that a recorded run selected is not known.
const callOf = ({ mode, sample, round, phase }) => mode + (phase === "selected" ? "" : ` ${sample}`) + (round ? `, round ${round}` : "");

function counted(round) {
  if (!round.counts.length) return ["no votes"];
  const most = round.counts.flatMap(([answer, votes], place) => [place ? ", " : "", ...written(answer), ` × ${votes}`]);
  return [...most, round.more ? ` and ${count(round.more, "other answer")}` : ""];
}

function ruleLine(rule, votes, chosen, held, cards) {
  const winner = held.candidates[chosen];
  const go = () => {
    cards[chosen].scrollIntoView({ block: "center" });
    cards[chosen].focus({ preventScroll: true });
  };
  return el("tr", {}, el("th", { scope: "row" }, breakable(rule)), el("td", {}, ...votes),
    el("td", {}, el("button", { type: "button", onclick: go }, callOf(winner))), el("td", {}, said(winner.answer), " ", verdict(winner.right)));
}

// Whether a candidate has a verdict of its log's and no answer that could vote.
const silent = (held) => (candidate) => candidate.right !== undefined && !Object.keys(held.rules).length;

function rulesOf(held, cards) {
  if (!severalSamples && Object.keys(held.rules).length) return ""; // there is nothing to choose
  const lines = Object.entries(held.rules).map(([rule, rounds]) => {
    const last = rounds.at(-1);
    const stages = rounds.length > 2 ? rounds : rounds.slice(0, 1); // of one mode alone there is no second stage
    const votes = stages.map((round) => {
      if (stages.length === 1) return el("div", {}, ...counted(round));
      if (round === last) return el("div", {}, "then: ", ...counted(round));
      const [winner, { mode }] = [held.candidates[round.chosen], held.candidates[round.among[0]]];
      return el("div", {}, `${mode}: `, ...counted(round), ` → ${callOf(winner)}`);
    });
    return ruleLine(spaced(rule), votes, last.chosen, held, cards);
  });
  const recorded = held.candidates.findIndex((candidate) => candidate.phase === "selected");
  if (recorded >= 0) lines.push(ruleLine("recorded selection", [el("i", { class: "faint" }, "as its result file says")], recorded, held, cards));
  const why = held.candidates.some(silent(held)) ? "The log tells verdicts and no answers" : "No candidate could be judged";
  if (!lines.length) return el("p", { class: "faint" }, `${why}, so no rule has votes.`);
  const heads = ["Rule", "Votes", "Chooses", "Its graded answer"];
  return el("div", { class: "scroll", tabindex: 0 }, el("table", { class: "plain" }, el("caption", {}, "Which answer each rule picks"),
    el("thead", {}, el("tr", {}, ...heads.map((head) => el("th", { scope: "col" }, head)))), el("tbody", {}, ...lines)));
}

// A program without its fence, where it is one block.
const bare = (solution) => solution?.replace(/^```python\n((?:(?!```)[^])*)\n```\s*$/, "$1");

function card(candidate, place, held) {
  const by = Object.entries(held.rules).filter(([, rounds]) => rounds.at(-1).chosen === place).map(([rule]) => rule);
  const judged = candidate.right === undefined ? "" : candidate.right ? " is-right" : " is-wrong";
  const votes = candidate.votes.flatMap((answer, place) => [place ? ", " : "; votes for ", ...written(answer)]);
  if (candidate.more) votes.push(` and ${candidate.more} more`);
  const inWords = candidate.output && candidate.output.trim() === candidate.solution?.trim(); // no program: the words are the output
  const block = (name, words, kind = "") => words ? [el("div", { class: "faint" }, name), el("pre", { tabindex: 0, class: kind }, ...(kind ? written(words) : [words]))] : [];
  const folded = (name, words) => words ? el("details", {}, el("summary", {}, name), el("pre", { tabindex: 0, class: "wraps" }, ...written(words))) : "";
  const numbers = [["operations", "operations"], ["prompt_tokens", "prompt tokens"], ["completion_tokens", "completion tokens"],
    ["generate_seconds", "s to generate"], ["execute_seconds", "s to run"]]
    .filter(([name]) => candidate[name] !== undefined).map(([name, unit]) => `${candidate[name].toLocaleString("en")} ${unit}`).join(", ");
  return el("article", { class: `card${judged}${by.length && severalSamples ? " is-chosen" : ""}`, tabindex: -1, "aria-label": callOf(candidate) },
    el("h5", {}, `${callOf(candidate)} `, verdict(candidate.right), candidate.status === "ok" ? "" : el("span", { class: "wrong" }, ` ${candidate.status}`)),
    by.length && severalSamples ? el("p", { class: "chosen" }, `chosen by ${by.length === Object.keys(held.rules).length ? "every rule" : by.map(spaced).join(", ")}`) : "",
    silent(held)(candidate) ? "" : el("p", {}, "answer ", said(candidate.answer), el("span", { class: "faint" }, ...(votes.length ? votes : ["; no vote"]))),
    ...block("tools", candidate.tools), ...(inWords ? block("in words", candidate.output, "wraps") : [...block("program", bare(candidate.solution)), ...block("output", candidate.output, "wraps")]), ...block("error", candidate.error, "wraps"),
    candidate.shortened ? el("p", { class: "faint" }, "The record of its output is not whole.") : "",
    ...(candidate.solution || inWords ? [folded("whole response", candidate.response)] : block("reply", candidate.response, "wraps")),
    numbers ? el("p", { class: "faint" }, numbers) : "");
}

// ---- which of the two ----

const title = document.title;

async function route() {
  const [address, query = ""] = location.hash.split("?");
  const words = new URLSearchParams(query);
  const place = placeOf.get(address);
  const missing = address.startsWith("#/") && place === undefined;
  $("state").textContent = missing ? "No such problem here: the list shows all." : summary;
  $("list").hidden = place !== undefined;
  $("problem").hidden = place === undefined;
  document.querySelectorAll("#lead").forEach((lead) => { lead.hidden = place !== undefined; });
  if (place !== undefined) return drawProblem(place, words);
  document.title = title;
  $("problem").replaceChildren();
  if (!missing && (location.hash || "#") !== listAddress) {
    listAddress = location.hash || "#";
    takeFilters(words);
    table.draw();
  }
}

addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  const busy = event.target.closest("input, select, textarea, pre, .scroll, summary") || event.altKey || event.ctrlKey || event.metaKey;
  if (!busy && !$("problem").hidden) $("problem").querySelector(`nav [data-key="${CSS.escape(event.key)}"]`)?.click();
});
const candidates = index.runs.reduce((sum, run) => sum + run.candidates, 0);
const summary = [count(index.problems.length, "problem"), count(index.runs.length, "run"), count(candidates, "candidate")].join(", ");
$("filters").open = listAddress !== "#";
drawShares();
drawRuns();
await route();
document.documentElement.dataset.ready = "true";
