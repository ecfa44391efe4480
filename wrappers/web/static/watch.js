"use strict";
// The replay viewer. Its games are in the page itself, or come from the server that sent it.

const $ = (id) => document.getElementById(id);
const embedded = JSON.parse($("data").textContent);

let game = null;      // the game that is shown
let at = 0;           // which of its frames
let eyes = "open";
let timer = null;     // set while it plays
let asked = 0;        // numbers the pictures that were asked for: a late one is not shown

// ---------------------------------------------------------------- where games come from

async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

async function ask(path) {
  const answer = await fetch(path);
  if (!answer.ok) throw new Error(await answer.text());
  return answer;
}

const source = embedded ? {
  titles: async () => embedded.map((one) => one.title),
  game: async (number) => inflate(embedded[number].deflated),
  picture: async (number, frame) =>
    game.pictures[eyes][frame].map((tag) => game.tags[tag]).join(""),
} : {
  titles: async () => (await ask("games")).json(),
  game: async (number) => (await ask(`games/${number}`)).json(),
  picture: async (number, frame) => (await ask(`games/${number}/${frame}/${eyes}`)).text(),
};

// ---------------------------------------------------------------- showing

function options(select, entries) {
  select.replaceChildren(...entries.map(([value, text]) => new Option(text, value)));
}

async function open(number) {
  pause();
  problem("");
  try {
    game = await source.game(number);
  } catch (error) {
    game = null;
    $("board").replaceChildren();
    $("log").replaceChildren();
    problem(error.message);
    return;
  }
  $("title").textContent = game.title;
  options($("eyes"), game.eyes.map((one) => [one, one === "open" ? "all open" : `seat ${one}`]));
  if (!game.eyes.includes(eyes)) eyes = game.eyes[0];
  $("eyes").value = eyes;
  const rounds = [...new Set(game.rounds)];
  options($("rounds"), rounds.map((one) => [game.rounds.indexOf(one), one]));
  $("slider").max = game.frames.length - 1;
  tell();
  await go(0);
}

function tell() {
  $("log").replaceChildren(...game.lines[eyes].map(([events, kind, text]) => {
    const item = document.createElement("li");
    item.className = kind;
    item.textContent = text;
    item.dataset.events = events;
    return item;
  }));
}

async function go(frame) {
  if (!game) return;
  at = Math.max(0, Math.min(game.frames.length - 1, frame));
  const mine = ++asked;
  const picture = await source.picture(Number($("games").value), at);
  if (mine !== asked) return;
  $("board").innerHTML = picture;
  for (const choice of $("board").querySelectorAll("[data-action], [data-row]")) {
    for (const name of ["tabindex", "role", "data-action"]) choice.removeAttribute(name);
    choice.classList.remove("legal");
  }
  $("slider").value = at;
  $("place").textContent = `${at + 1} of ${game.frames.length}`;
  $("rounds").value = game.rounds.indexOf(game.rounds[at]);
  mark();
  if (timer && at === game.frames.length - 1) pause();
}

function mark() {
  // The lines of this moment are those after the moment before.
  const from = at ? game.frames[at - 1] : -1;
  const now = [];
  for (const item of $("log").children) {
    const events = Number(item.dataset.events);
    item.classList.toggle("current", events > from && events <= game.frames[at]);
    item.classList.toggle("later", events > game.frames[at]);
    if (item.classList.contains("current")) now.push(item);
  }
  $("now").textContent = now.map((item) => item.textContent).join(" ");
  const log = $("log");
  if (now.length) log.scrollTop = now[0].offsetTop - log.offsetTop - log.clientHeight / 2;
}

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text;
}

// ---------------------------------------------------------------- controls

function play() {
  if (at === game.frames.length - 1) at = -1;
  timer = setInterval(() => go(at + 1), Number($("speed").value));
  $("play").textContent = "Pause";
  $("play").setAttribute("aria-pressed", "true");
}

function pause() {
  clearInterval(timer);
  timer = null;
  $("play").textContent = "Play";
  $("play").setAttribute("aria-pressed", "false");
}

function jump(rounds) {
  const all = [...new Set(game.rounds)];
  const next = all[all.indexOf(game.rounds[at]) + rounds];
  go(next === undefined ? (rounds < 0 ? 0 : game.frames.length - 1) : game.rounds.indexOf(next));
}

const actions = {
  first: () => go(0), back: () => go(at - 1), next: () => go(at + 1),
  last: () => go(game.frames.length - 1), play: () => (timer ? pause() : play()),
};
const keys = {
  Home: actions.first, ArrowLeft: actions.back, ArrowRight: actions.next, End: actions.last,
  " ": actions.play, PageUp: () => jump(-1), PageDown: () => jump(1),
};

for (const [name, act] of Object.entries(actions)) $(name).addEventListener("click", () => game && act());
document.addEventListener("keydown", (event) => {
  const plain = !["SELECT", "INPUT", "BUTTON"].includes(event.target.tagName);
  if (!keys[event.key] || !game || !(plain || (event.key !== " " && event.target.tagName === "BUTTON"))) return;
  event.preventDefault();
  keys[event.key]();
});
$("slider").addEventListener("input", () => go(Number($("slider").value)));
$("rounds").addEventListener("change", () => go(Number($("rounds").value)));
$("speed").addEventListener("change", () => { if (timer) { pause(); play(); } });
$("games").addEventListener("change", () => open(Number($("games").value)));
$("eyes").addEventListener("change", () => { eyes = $("eyes").value; tell(); go(at); });
$("log").addEventListener("click", (event) => {
  const item = event.target.closest("li");
  if (item) go(game.frames.findIndex((events) => events >= Number(item.dataset.events)));
});

(async () => {
  const titles = await source.titles();
  options($("games"), titles.map((title, number) => [number, `${number + 1}: ${title}`]));
  $("games").disabled = titles.length < 2;
  const wanted = new URLSearchParams(location.search).get("eyes");
  if (wanted) eyes = wanted;
  await open(0);
})();
