"use strict";
// A person's seat. The server says what this seat sees; the page shows it and sends decisions.

const $ = (id) => document.getElementById(id);
const FEW = 40;              // more choices than this are chosen on the board
const UNKNOWN_SEAT = 4404;   // the server's word for a token that belongs to no seat

let state = null;
let story = [];
let socket = null;
let delay = 0;               // before the next try to connect, milliseconds
let sent = -1;               // the decision that has been sent: none is sent twice
let turn = 0;                // quarter turns of a card in hand
let spot = null;             // the board cell under the pointer or the focus: [row, column]

// ---------------------------------------------------------------- connection

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}${location.pathname}/socket`);
  socket.addEventListener("open", () => { story = []; sent = -1; });
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    if (event.code === UNKNOWN_SEAT) { leave(event.reason); return; }
    $("lost").hidden = false;
    delay = Math.min(5000, Math.max(300, delay * 2));
    setTimeout(connect, delay);
  });
}

function ask(message) {
  if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function act(action) {
  if (!state || sent === state.turn) return;
  sent = state.turn;
  problem("");
  ask({ do: "act", action: Number(action), turn: state.turn });
}

function receive(message) {
  delay = 0;
  $("lost").hidden = true;
  if (message.kind === "state") show(message);
  if (message.kind === "hints") showHints(message);
  if (message.kind === "refused") { sent = -1; problem(message.message); }
}

function leave(reason) {
  socket = null;
  state = null;
  $("board").replaceChildren();
  $("actions").replaceChildren();
  $("status").textContent = "You do not sit at this table any more.";
  $("asked").textContent = reason;
  location.href = document.body.dataset.table;
}

// ---------------------------------------------------------------- showing

function show(message) {
  const before = state;
  state = message;
  const moved = !before || before.turn !== state.turn || state.log.from < story.length;
  if (moved) { $("hints").hidden = true; if (before) problem(""); }
  if (moved) { turn = 0; spot = null; }
  story = story.slice(0, state.log.from).concat(state.log.lines);
  showBoard();
  showStatus();
  showChoices();
  showSeats();
  showLog();
  playForced();
}

function playForced() {
  const { legal } = state.view;
  const due = state.turn;
  if (!$("forced").checked || legal.length !== 1) return;
  setTimeout(() => { if (state?.turn === due && $("forced").checked) act(legal[0].action); }, 600);
}

function showBoard() {
  const board = $("board");
  const focused = board.contains(document.activeElement) && document.activeElement.dataset.action;
  if (board.dataset.picture !== state.picture) {
    board.dataset.picture = "";
    board.innerHTML = state.picture;
  }
  if (focused) board.querySelector(`[data-action="${focused}"]`)?.focus();
  board.tabIndex = places() ? 0 : -1;
  preview();
}

function showStatus() {
  const { view, seat, missing } = state;
  const yours = view.acting === seat && !missing;
  const name = view.env.replace(/_v\d+$/, "");
  $("title").textContent = `${name} · round ${view.round} · you are seat ${seat}`;
  $("turn").classList.toggle("yours", yours);
  $("turn").classList.toggle("over", Boolean(view.winners));
  document.body.dataset.turn = state.turn;
  let text = "";
  if (view.winners) text = view.winners.includes(seat) ? "You win!" : `Seat ${view.winners.join(" and ")} wins.`;
  else if (missing) text = `Waiting for ${missing} more to sit down …`;
  else if (yours) text = "Your turn";
  else text = `Seat ${view.acting} is to act …`;
  if (view.winners && state.seed !== null) text += ` (seed ${state.seed})`;
  if ($("status").textContent !== text) $("status").textContent = text;
  // A drawing says itself what is asked.
  $("asked").textContent = yours && view.asked && !state.picture.startsWith("<svg") ? view.asked : "";
  document.title = yours ? `● ${name}: your turn` : `${name}: seat ${seat}`;
  $("undo").disabled = !state.undo;
  $("hint").disabled = !yours || !state.adviser;
  $("new").classList.toggle("primary", Boolean(view.winners));
}

function places() {
  // Placements on a board, where the game has them: each choice with its row, column and turn.
  return state && state.view.legal.some((one) => one.place) ? state.view.legal.filter((one) => one.place) : null;
}

function showChoices() {
  const legal = state.view.legal;
  const onBoard = places();
  $("rotate").hidden = !onBoard;
  $("turned").textContent = `${turn * 90}°`;
  const listed = onBoard ? legal.filter((one) => !one.place || one.place[2] === turn) : legal;
  const words = listed.filter((one) => !one.place);
  const placed = listed.filter((one) => one.place);
  const key = JSON.stringify([state.turn, listed.map((one) => one.action)]);
  if ($("actions").dataset.key === key) return;
  const hadFocus = $("actions").contains(document.activeElement);
  $("actions").dataset.key = key;
  $("actions").replaceChildren(...words.map(choice), ...(placed.length ? [placeList(placed)] : []));
  if (hadFocus || document.activeElement === document.body) $("actions").querySelector("button")?.focus({ preventScroll: true });
}

function choice(one, index) {
  const item = document.createElement("li");
  const button = document.createElement("button");
  if (index < 9) {
    const key = document.createElement("kbd");
    key.textContent = index + 1;
    key.setAttribute("aria-hidden", "true");
    button.append(key);
  }
  button.append(one.label);
  button.dataset.choice = one.action;
  item.append(button);
  return item;
}

function placeList(placed) {
  // Hundreds of placements: chosen on the board, and here for who cannot point.
  const item = document.createElement("li");
  const details = document.createElement("details");
  const summary = document.createElement("summary");
  summary.textContent = `${placed.length} places for the card as it is turned: point at the board, or choose here`;
  const list = document.createElement("ul");
  list.className = "actions places";
  details.addEventListener("toggle", () => {
    if (details.open && !list.children.length) list.append(...placed.map((one) => choice(one, FEW)));
  });
  details.append(summary, list);
  item.style.flexBasis = "100%";
  item.append(details);
  return item;
}

function showSeats() {
  const { view, chairs } = state;
  $("seats").replaceChildren(...chairs.map((chair) => {
    const item = document.createElement("li");
    const acting = view.acting === chair.seat;
    item.classList.toggle("acting", acting);
    const who = { you: "you", person: chair.here ? "a person" : "a person, away", agent: chair.name }[chair.who];
    const won = view.winners && view.winners.includes(chair.seat) ? " ♛" : "";
    item.innerHTML = "<b></b><span class='who'></span><span class='total'></span>";
    item.children[0].textContent = `Seat ${chair.seat}${won}`;
    item.children[1].textContent = who + (acting ? " · to act" : "");
    item.children[2].textContent = view.totals[chair.seat];
    item.children[2].setAttribute("aria-label", `${view.totals[chair.seat]} points`);
    return item;
  }));
}

function showLog() {
  const log = $("log");
  const { from, lines } = state.log;
  while (log.children.length > from) log.lastChild.remove();
  log.append(...lines.map(([kind, text]) => {
    const item = document.createElement("li");
    item.className = kind;
    item.textContent = text;
    return item;
  }));
  if (lines.length) log.scrollTop = log.scrollHeight;
}

function showHints({ turn: asked, by, hints }) {
  if (!state || asked !== state.turn) return;
  const list = document.createElement("ul");
  for (const { action, label, probability } of hints) {
    const item = document.createElement("li");
    item.innerHTML = "<b></b><span></span>";
    item.children[0].textContent = probability === null ? "→" : `${(100 * probability).toFixed(0)} %`;
    item.children[1].textContent = label;
    list.append(item);
    document.querySelector(`[data-choice="${action}"]`)?.classList.add("hinted");
  }
  $("hints").replaceChildren(`${by} would:`, list);
  $("hints").hidden = false;
}

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text;
}

// ---------------------------------------------------------------- a card over the board

// A card is held by its middle cell: where that lies for a place, and the place where it lies.
const reach = () => Math.floor((state.view.faces?.[0].length || 1) / 2);
const middle = ({ place }) => [place[0] + reach(), place[1] + reach()];

function placeAt([row, column]) {
  return places()?.find((one) => one.place[2] === turn && middle(one).join() === [row, column].join());
}

function preview() {
  const board = $("board").querySelector("[data-board]");
  for (const old of $("board").querySelectorAll(".preview, .spots")) old.remove();
  if (!board || !places() || !state.view.faces) return;
  const cell = Number(board.dataset.cell);
  board.append(spots(cell));
  if (spot) board.append(cardOver(cell));
}

function spots(cell) {
  // Where the middle of the card may lie, as it is turned now.
  const group = svgElement("g", { class: "spots" });
  for (const one of places().filter(({ place }) => place[2] === turn)) {
    const [row, column] = middle(one);
    group.append(svgElement("circle", {
      cx: (column + .5) * cell, cy: (row + .5) * cell, r: cell * .3,
      "data-action": one.action, "data-row": row, "data-column": column,
    }));
  }
  return group;
}

function cardOver(cell) {
  const held = $("board").querySelector("[data-card-in-hand]");
  const scale = cell / Number(held.dataset.cell);
  const [row, column] = spot.map((number) => number - reach());
  const group = svgElement("g", {
    class: `preview ${placeAt(spot) ? "fits" : "clashes"}`,
    transform: `translate(${column * cell} ${row * cell}) scale(${scale})`,
  });
  const [pane, ...symbols] = [...held.children].map((child) => child.cloneNode(true));
  group.append(pane);
  const size = state.view.faces[0].length;
  const printed = state.view.faces[0].flatMap((letters, r) =>
    [...letters].map((letter, c) => [letter, r, c]).filter(([letter]) => letter !== "."));
  symbols.forEach((symbol, at) => {
    // Symbols stand upright however the card is turned, as in the drawing.
    let [, r, c] = printed[at];
    const from = [r, c];
    for (let quarter = 0; quarter < turn; quarter++) [r, c] = [c, size - 1 - r];
    const shift = [c - from[1], r - from[0]].map((cells) => cells * Number(held.dataset.cell));
    const moved = svgElement("g", { transform: `translate(${shift.join(" ")})` });
    moved.append(symbol);
    group.append(moved);
  });
  return group;
}

function svgElement(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function rotate(quarters = 1) {
  if (!places()) return;
  turn = (turn + quarters + 4) % 4;
  showChoices();
  preview();
}

function point(row, column) {
  const next = row === null ? null : [row, column];
  if (String(next) === String(spot)) return;
  spot = next;
  preview();
  $("spot").textContent = spot && places()
    ? `row ${spot[0]}, column ${spot[1]}: the card ${placeAt(spot) ? "can" : "cannot"} lie here` : "";
}

function choosePlace() {
  if (!spot) return;
  const found = placeAt(spot);
  if (found) act(found.action);
  else problem("The card cannot lie there: a fruit would cover a fruit, or something printed would miss the marks. Turn it (R) or choose another place.");
}

function steer(event) {
  // The keyboard moves the card over the board.
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const step = steps[event.key];
  if (!step || !places()) return false;
  const first = places().find(({ place }) => place[2] === turn) || places()[0];
  point(...(spot ? [spot[0] + step[0], spot[1] + step[1]] : middle(first)));
  return true;
}

// ---------------------------------------------------------------- what a person does

$("actions").addEventListener("click", (event) => {
  const button = event.target.closest("[data-choice]");
  if (button) act(button.dataset.choice);
});
$("board").addEventListener("click", (event) => {
  const target = event.target.closest("[data-action]");
  if (target) { act(target.dataset.action); return; }
  const cell = event.target.closest("[data-row][data-column]");
  if (cell && places()) { point(Number(cell.dataset.row), Number(cell.dataset.column)); choosePlace(); }
});
$("board").addEventListener("pointermove", (event) => {
  const cell = event.target.closest?.("[data-row][data-column]");
  if (cell && places()) point(Number(cell.dataset.row), Number(cell.dataset.column));
});
$("board").addEventListener("pointerleave", () => point(null));
$("board").addEventListener("contextmenu", (event) => { if (places()) { event.preventDefault(); rotate(); } });

const pointed = (on) => (event) => {
  const target = event.target.closest?.("[data-action]");
  if (target) document.querySelector(`[data-choice="${target.dataset.action}"]`)?.classList.toggle("pointed", on);
};
$("board").addEventListener("pointerover", pointed(true));
$("board").addEventListener("pointerout", pointed(false));

function openFresh() { $("seed").value = ""; $("fresh").showModal(); }
$("new").addEventListener("click", openFresh);
$("fresh").addEventListener("close", () => {
  if ($("fresh").returnValue !== "yes") return;
  const seed = $("seed").value.trim();
  $("fresh").returnValue = "";
  ask({ do: "new", seed: seed === "" ? null : seed });
});
$("cancel").addEventListener("click", () => $("fresh").close());
$("hint").addEventListener("click", () => ask({ do: "hint" }));
$("undo").addEventListener("click", () => { sent = -1; ask({ do: "undo" }); });
$("leave").addEventListener("click", () => ask({ do: "leave" }));
$("forced").addEventListener("change", () => { if (state) playForced(); });
$("rotate").addEventListener("click", () => rotate());
$("lobby").href = document.body.dataset.table;

document.addEventListener("keydown", (event) => {
  const tag = event.target.tagName;
  if (event.ctrlKey || event.metaKey || event.altKey || (tag === "INPUT" && event.target.type !== "checkbox") || $("fresh").open) return;
  const target = event.target.closest?.("#board [data-action]");
  if (target && (event.key === "Enter" || event.key === " ")) {
    event.preventDefault();
    act(target.dataset.action);
    return;
  }
  if (steer(event)) { event.preventDefault(); return; }
  if (event.key === "Enter" && spot && places() && event.target === $("board")) { choosePlace(); return; }
  const number = Number(event.key);
  if (number >= 1 && number <= 9) {
    const button = $("actions").querySelectorAll(":scope > li > [data-choice]")[number - 1];
    if (button) act(button.dataset.choice);
    return;
  }
  const keys = { h: $("hint"), u: $("undo"), n: $("new"), r: $("rotate") };
  const button = keys[event.key.toLowerCase()];
  if (button && !button.disabled && !button.hidden) { event.preventDefault(); button.click(); }
});

connect();
