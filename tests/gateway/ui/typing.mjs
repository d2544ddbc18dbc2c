// Runs keys.js over a page with a note's field and two cards; reads lists of keys, writes what the server is told.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { runInNewContext } from "node:vm";

class Thing {
  constructor(page, tag, inside = []) {
    Object.assign(this, { page, tags: [tag, ...inside], value: "", isConnected: true });
  }
  closest(asked) {
    return asked.split(", ").some((each) => this.tags.includes(each)) ? this : null;
  }
  focus() {
    this.page.activeElement = this;
  }
  dispatchEvent() {}
}

function page(script, told) {
  const heard = [];
  const document = { addEventListener: (type, does, first) => heard.push({ type, does, first }) };
  const body = (document.activeElement = document.body = new Thing(document, "body"));
  const field = new Thing(document, "textarea");
  let cards = [new Thing(document, "li"), new Thing(document, "li")];
  document.querySelector = (asked) => (asked.startsWith('[data-key="c"]') ? field : null);
  document.getElementById = (id) => cards[Number(id)] ?? null;
  const context = { document, emitEvent: (_, key) => told.push(key), CSS: { escape: String }, Date, setTimeout };
  runInNewContext(script, context);

  function press(key) {
    const e = { key, target: document.activeElement, preventDefault() {}, stopImmediatePropagation: () => (e.ended = true) };
    const listeners = heard.filter((each) => each.type === "keydown");
    for (const first of [true, false])
      for (const each of listeners) if (!!each.first === first && !e.ended) each.does(e);
  }

  return {
    press,
    // Another card has the keyboard, as if its button were pressed.
    "(card)": () => cards[0].focus(),
    // The answer to that press: the card goes, and the next one is to have the keyboard.
    "(answer)": () => {
      if (document.activeElement === cards[0]) document.activeElement = body;
      cards = [cards[1], new Thing(document, "li")];
      context.focusUnlessTyping("0");
    },
  };
}

const script = readFileSync(process.argv[2], "utf8");
for await (const line of createInterface({ input: process.stdin })) {
  const told = [];
  const shown = page(script, told);
  for (const each of JSON.parse(line)) (shown[each] ?? (() => shown.press(each)))();
  console.log(JSON.stringify(told));
}
