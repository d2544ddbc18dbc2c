// The connection of a page: it says why it is gone, and the page is loaded anew only while nothing is typed.
const QUIET_MS = 2_000;
const ASKED_EVERY_MS = 10_000;
const RELOADING = ["connect_error", "try_reconnect"];
const SIGNED_OUT = [
  "You are signed out.",
  "Run `penwright web` to sign in again. The editor keeps your words in this browser.",
];
const SEAT = location.pathname.match(/^\/ui\/seat\/(\w+)$/)?.[1];
const SEAT_OVER = ["This seat is over.", "Ask the person who runs the scene for a new link."];
const BACK = ["Penwright is back.", "This page is loaded anew once you pause."];

const popup = document.getElementById("popup");
const LOST = Array.from(popup.children, (part) => part.textContent);
popup.setAttribute("role", "status");

let typed = 0;
let asked = 0;
let leaving = false;
let back = false;
addEventListener("pagehide", () => (leaving = true));
addEventListener("pageshow", () => (leaving = false));
for (const kind of ["input", "keydown"]) addEventListener(kind, () => (typed = Date.now()), true);

function say(words) {
  words.forEach((each, index) => (popup.children[index].textContent = each));
}

async function quiet() {
  for (let left; (left = typed + QUIET_MS - Date.now()) > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, left));
  }
}

// Whether the server answers us as a stranger; a browser does not tell why a WebSocket was refused.
async function explain(socket) {
  if (leaving || Date.now() < asked + ASKED_EVERY_MS) return;
  asked = Date.now();
  try {
    const { status } = await fetch(SEAT ? location.href : "/api/v1/me", { cache: "no-store" });
    if (SEAT ? [401, 403, 404].includes(status) : status === 401) {
      say(SEAT ? SEAT_OVER : SIGNED_OUT);
      socket.sendBuffer.length = 0; // what was pressed meanwhile is not done later
    } else if (status < 400 && !back) say(LOST);
  } catch {
    say(LOST);
  }
}

const connect = window.io;
window.io = (...given) => {
  // A browser may hold several seats, and a session; the socket is of this page's.
  if (SEAT) given[1].query.seat = SEAT;
  const socket = connect(...given);
  const on = socket.on.bind(socket);
  for (const kind of ["disconnect", "connect_error"]) on(kind, () => explain(socket));
  on("connect", () => {
    back = false;
    say(LOST);
  });
  // NiceGUI loads the page anew in its handlers of these.
  socket.on = (kind, handler) =>
    RELOADING.includes(kind)
      ? on(kind, async (...told) => {
          if (!socket.active) {
            back = true;
            say(BACK);
          }
          await quiet();
          handler(...told);
        })
      : on(kind, handler);
  return socket;
};
