// Asks one rater about one program after another. Every text becomes text of a node, never markup; nothing is sent.

const SETTLED = 250; // ms for which a new problem takes no answer: the second press of a double one is not about it

const { study, rater, items } = await read("items");
const PLACE = `trove-lite rating ${study} ${rater}`;

// ---- what is kept ----

let keeps = true; // whether this browser keeps answers when the page is closed
const blank = () => ({ said: null, seconds: 0, pauses: 0, changes: 0 });
let answers = items.map(blank);

function load() {
  try {
    const kept = JSON.parse(localStorage.getItem(PLACE));
    if (Array.isArray(kept) && kept.length === items.length) answers = kept.map((one) => ({ ...blank(), ...one }));
  } catch { keeps = false; }
}

function keep() {
  try { localStorage.setItem(PLACE, JSON.stringify(answers)); } catch { keeps = false; }
}

// ---- time ----

let shownSince = null; // when the problem on the screen began to count
let at = 0;
let settled = 0; // before this no answer is taken

function startClock() { if (shownSince === null && !document.hidden) shownSince = performance.now(); }

function stopClock() {
  if (shownSince === null) return;
  answers[at].seconds += (performance.now() - shownSince) / 1000;
  shownSince = null;
}

const elapsed = () => answers[at].seconds + (shownSince === null ? 0 : (performance.now() - shownSince) / 1000);
setInterval(() => { $("timer").textContent = $("item").hidden ? "" : `${Math.floor(elapsed())} s`; }, 500);

// ---- what is shown ----

const count = (number, one) => `${number} ${one}${number === 1 ? "" : "s"}`;
const answered = () => answers.filter((one) => one.said !== null).length;

function show(part) {
  for (const id of ["intro", "item", "paused", "done"]) $(id).hidden = id !== part;
  $("files").hidden = part === "item" || answered() === 0;
  $("state").textContent = `${answered()} of ${items.length} answered`;
  $("progress").max = items.length;
  $("progress").value = answered();
}

function text(id, words, part) {
  if (part) $(part).hidden = words === undefined || words === null;
  $(id).textContent = words === "" ? "(nothing)" : words ?? "";
}

function open(place) {
  stopClock();
  at = place;
  const { question, context, program } = items[at];
  $("heading").textContent = `Problem ${at + 1} of ${items.length}`;
  text("question", question);
  text("context", context, "context-part");
  text("program", program);
  $("yes").setAttribute("aria-pressed", answers[at].said === true);
  $("no").setAttribute("aria-pressed", answers[at].said === false);
  $("back").disabled = at === 0;
  show("item");
  settled = performance.now() + SETTLED;
  $("timer").textContent = `${Math.floor(elapsed())} s`;
  scrollTo(0, 0);
  $("heading").focus({ preventScroll: true });
  startClock();
}

function next() {
  const rest = answers.findIndex((one, place) => one.said === null && place > at);
  const open_ = rest >= 0 ? rest : answers.findIndex((one) => one.said === null);
  if (open_ >= 0) return open(open_);
  stopClock();
  show("done");
  $("json").focus();
}

function answer(said) {
  if ($("item").hidden || performance.now() < settled) return;
  stopClock();
  const one = answers[at];
  if (one.said !== null && one.said !== said) one.changes += 1;
  one.said = said;
  keep();
  next();
}

function pause() {
  if ($("item").hidden) return;
  stopClock();
  answers[at].pauses += 1;
  keep();
  show("paused");
  $("resume").focus();
}

// ---- what is given back ----

function rows() {
  return answers.map((one, place) => ({ item: place + 1, said: one.said, seconds: Math.round(one.seconds * 1000) / 1000,
    pauses: one.pauses, changes: one.changes })).filter((one) => one.said !== null);
}

function download() {
  const own = rows();
  const words = JSON.stringify({ study, rater, answers: own }, null, 1);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([words], { type: "application/json" }));
  link.download = `answers-${study}-rater${rater}.json`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
  $("saved").textContent = `${count(own.length, "answer")} in ${link.download}`;
}

// ---- begin ----

$("yes").onclick = () => answer(true);
$("no").onclick = () => answer(false);
$("pause").onclick = pause;
$("resume").onclick = () => open(at);
$("back").onclick = () => { if (at > 0) { keep(); open(at - 1); } };
$("again").onclick = () => open(items.length - 1);
$("start").onclick = () => { at = -1; next(); };
$("json").onclick = download;

const KEYS = { 1: "yes", 2: "no", p: "pause", P: "pause", b: "back", B: "back" };
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.repeat || $("item").hidden || !KEYS[event.key]) return;
  event.preventDefault();
  $(KEYS[event.key]).click();
});
document.addEventListener("visibilitychange", () => {
  if ($("item").hidden) return;
  if (document.hidden) pause();
});
addEventListener("pagehide", () => { if (!$("item").hidden) { stopClock(); keep(); } });
addEventListener("beforeunload", (event) => { if (!keeps && answered() > 0) event.preventDefault(); });

load();
keep();
$("count").textContent = count(items.length, "problem");
$("start").textContent = answered() > 0 ? "Go on" : "Start";
$("storage").textContent = keeps
  ? "This browser keeps your answers: you may close the page and go on later, in the same browser."
  : "This browser keeps nothing when the page is closed: pause and download what is done before you close it.";
show(answered() === items.length ? "done" : "intro");
document.documentElement.dataset.ready = "true";
