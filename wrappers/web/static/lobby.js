"use strict";
// Where people sit down.

const $ = (id) => document.getElementById(id);

function element(tag, text, attributes = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function chair(one) {
  const item = element("li", "", { class: "card" });
  const taken = one.who === "person";
  item.append(element("strong", `Seat ${one.seat}`));
  item.append(element("span", taken ? "somebody sits here" : `${one.name} plays here`, { class: "who" }));
  const button = element("button", "Sit here", { "aria-label": `Sit at seat ${one.seat}`, class: "primary" });
  button.disabled = taken;
  button.addEventListener("click", () => sit(one.seat));
  item.append(button);
  return item;
}

async function sit(seat) {
  const answer = await fetch(`${location.pathname}/seats/${seat}`, { method: "POST" });
  if (answer.ok) {
    location.href = (await answer.json()).address;
    return;
  }
  problem(await answer.text());
  await show();
}

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text;
}

let shown = "";

async function show() {
  try {
    const answer = await fetch(`${location.pathname}/standing`);
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    if (text === shown) return;  // what has the focus keeps it
    shown = text;
    const standing = JSON.parse(text);
    $("title").textContent = `${standing.game}, ${standing.players} players`;
    $("words").textContent = standing.people > 1
      ? `The game begins when ${standing.people} people have sat down. Each opens this same page.`
      : "Choose a seat. Others can open this same page and sit down beside you.";
    $("chairs").replaceChildren(...standing.chairs.map(chair));
    problem("");
  } catch (error) {
    problem(`The table does not answer: ${error.message}`);
  }
}

show();
setInterval(show, 1500);
