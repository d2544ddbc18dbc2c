// What was typed and is not stored yet: sent in order, mapped over what others changed, kept in the browser.
//
// All change sets are those of CodeMirror. `inFlight` was made to version `version` of the draft, `pending`
// to the text after `inFlight`. The server never transforms: it answers 412 with what was missed.
import * as CM from "nicegui-codemirror";

const PAUSE_MS = 150;
const SLOWEST_MS = 10_000;
const WAIT_S = 25;
const PAGE = "penwright-page";

export class Outbox {
  // `kept`: what a journal holds of an earlier page. `onRemote(changeSet)`: apply it to the text that is
  // shown. `onState(name, detail)`: tell the person. `onOthers(pages)`: whose other pages have the text open.
  // `program`: the version that made the page.
  constructor(
    url,
    version,
    journal,
    { onRemote = () => {}, onState = () => {}, onOthers = () => {}, kept = null, program = null } = {},
  ) {
    this.url = url;
    this.onOthers = onOthers;
    this.program = program;
    this.version = kept ? kept.version : version;
    this.inFlight = kept && kept.inFlight ? { id: kept.inFlight.id, changes: CM.ChangeSet.fromJSON(kept.inFlight.changes) } : null;
    this.pending = kept && kept.pending ? CM.ChangeSet.fromJSON(kept.pending) : null;
    this.journal = journal;
    this.onRemote = onRemote;
    this.onState = onState;
    this.stopped = false;
    this.delay = PAUSE_MS;
    this.sending = null;
    this.away = "offline"; // why nothing could be sent last; strangers who ask often are told 429
    this.unkept = false; // whether words stand in this page alone
  }

  get empty() {
    return !this.inFlight && !this.pending;
  }

  // A change that the person made to the text that is shown.
  add(changes) {
    this.pending = this.pending ? this.pending.compose(changes) : changes;
    this.keep();
    // The person was told why nothing is sent any more.
    if (this.stopped) return;
    this.onState(this.delay > PAUSE_MS ? this.away : "sending");
    this.schedule(PAUSE_MS);
  }

  keep() {
    this.unkept = false;
    if (this.empty) return this.journal.clear();
    const inFlight = this.inFlight && { id: this.inFlight.id, changes: this.inFlight.changes.toJSON() };
    const kept = { version: this.version, inFlight, pending: this.pending && this.pending.toJSON() };
    this.unkept = !this.journal.write(kept);
    if (this.unkept) this.onState("unkept");
  }

  schedule(ms) {
    if (this.timer || this.stopped) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.flush().catch(() => {});
    }, ms);
  }

  // Sends everything; resolves when all is stored or what was typed cannot be sent now.
  flush() {
    this.sending = this.sending || this.sendAll().finally(() => (this.sending = null));
    return this.sending;
  }

  async sendAll() {
    while (!this.stopped && !this.empty) {
      if (!this.inFlight) {
        this.inFlight = { id: newId(), changes: this.pending };
        this.pending = null;
        this.keep();
      }
      if (!(await this.sendOne())) return;
    }
    if (this.empty) this.onState("stored");
  }

  async sendOne() {
    const { id, changes } = this.inFlight;
    const body = JSON.stringify({ op_id: id, changes: changes.toJSON() });
    let answer, told;
    try {
      const headers = { "content-type": "application/json", "if-match": `"v${this.version}"` };
      answer = await fetch(`${this.url}/changes`, { method: "POST", headers, body });
      told = await answer.json();
    } catch {
      return this.later("offline");
    }
    // A wait for others' changes may have brought this one already.
    if (answer.ok && !told.replayed) this.inFlight && this.inFlight.id === id && this.acknowledged();
    else if (answer.ok) return this.catchUp();
    else if (answer.status === 412 && told.missed) this.missed(told.missed);
    else if (answer.status === 401) return this.later("signed-out");
    else if (answer.status === 429) return this.later(this.away);
    else if (answer.status >= 500) return this.later("offline");
    else return this.refused(told);
    this.delay = PAUSE_MS;
    return true;
  }

  // What changed since our version, own changes among it; waits for one if `wait` seconds are given.
  async catchUp(wait = 0, signal = undefined) {
    let told;
    try {
      const asked = `since=${this.version}&wait=${wait}&page=${signal ? pageId() : ""}`;
      const answer = await fetch(`${this.url}/changes?${asked}`, { signal });
      if (answer.status === 401) return this.later("signed-out");
      if (answer.status === 404) return this.refused(await answer.json());
      if (answer.status === 429) return this.later(this.away);
      if (!answer.ok) return this.later("offline");
      told = await answer.json();
    } catch {
      return signal && signal.aborted ? false : this.later("offline");
    }
    if (this.program && told.program !== this.program) return this.outdated();
    this.missed(told.changes);
    if (signal) this.onOthers(told.others);
    if (this.delay > PAUSE_MS) {
      this.delay = PAUSE_MS;
      this.onState(this.empty ? "stored" : "sending");
    }
    return true;
  }

  // Others' changes arrive while the page is open.
  async listen() {
    this.listening = new AbortController();
    // What is known already is told at once.
    for (let wait = 0; !this.stopped; wait = WAIT_S) {
      if (!(await this.catchUp(wait, this.listening.signal))) await pause(this.delay);
    }
  }

  missed(changes) {
    for (const each of changes) {
      // An answer and a wait may both bring the same change.
      if (each.version !== this.version) continue;
      if (this.inFlight && each.op_id === this.inFlight.id) this.acknowledged();
      else this.remote(CM.ChangeSet.fromJSON(each.changes), each.kind);
    }
  }

  acknowledged() {
    this.version += 1;
    this.inFlight = null;
    this.keep();
  }

  remote(changes, kind) {
    this.version += 1;
    for (const part of ["inFlight", "pending"]) {
      if (!this[part]) continue;
      const local = part === "inFlight" ? this.inFlight.changes : this.pending;
      const mapped = local.map(changes);
      changes = changes.map(local, true);
      if (part === "inFlight") this.inFlight = { id: this.inFlight.id, changes: mapped };
      else this.pending = mapped;
    }
    this.onRemote(changes, kind);
    this.keep();
  }

  later(state) {
    this.away = state;
    this.delay = Math.min(this.delay * 2, SLOWEST_MS);
    this.onState(state);
    if (!this.empty) this.schedule(this.delay);
    return false;
  }

  // The server will never take it: it stays in the journal, and the person is told.
  refused(told) {
    this.stop();
    this.onState("refused", told.detail || "");
    return false;
  }

  // The page was made by an earlier version, whose changes this one may read otherwise: what is not stored
  // stays in the journal, which the next page sends.
  outdated() {
    this.stop();
    this.onState("outdated");
    return false;
  }

  now() {
    clearTimeout(this.timer);
    this.timer = null;
    this.delay = PAUSE_MS;
    return this.flush();
  }

  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    if (this.listening) this.listening.abort();
  }
}

// Unsent words of one page, in the browser's own store; each page has a journal of its own, which a lock
// tells from those that were left behind by a reload or a crash.
export class Journal {
  constructor(draft) {
    this.prefix = `penwright-draft-${draft}-`;
    this.key = this.prefix + newId();
    if (navigator.locks) navigator.locks.request(this.key, () => new Promise(() => {}));
  }

  write(kept) {
    try {
      localStorage.setItem(this.key, JSON.stringify(kept));
      return true;
    } catch {
      return false;
    }
  }

  clear() {
    localStorage.removeItem(this.key);
  }

  // Sends what earlier pages left; resolves when the server has it, or has refused it for good.
  async deliverOthers(url, onState) {
    const keys = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix) && key !== this.key);
    const refused = [];
    for (const key of keys) await this.alone(key, () => this.deliver(url, key, onState, refused));
    return refused;
  }

  async alone(key, action) {
    if (!navigator.locks) return action();
    await navigator.locks.request(key, { ifAvailable: true }, (lock) => lock && action());
  }

  async deliver(url, key, onState, refused) {
    const kept = JSON.parse(localStorage.getItem(key) || "null");
    if (!kept) return;
    const journal = {
      write: (left) => (localStorage.setItem(key, JSON.stringify(left)), true),
      clear: () => localStorage.removeItem(key),
    };
    let final = false;
    const tell = (state, detail) => {
      if (state === "refused") final = refused.push(detail);
      else onState(state, detail);
    };
    const outbox = new Outbox(url, kept.version, journal, { onState: tell, kept });
    while (!outbox.empty && !final) {
      await outbox.flush();
      if (!outbox.empty && !final) await pause(outbox.delay);
    }
    outbox.stop();
  }
}

// The same for this tab after a reload: it is no other page then.
function pageId() {
  try {
    const kept = sessionStorage.getItem(PAGE) || newId();
    sessionStorage.setItem(PAGE, kept);
    return kept;
  } catch {
    return ""; // a browser that keeps nothing
  }
}

function newId() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
