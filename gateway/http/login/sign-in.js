"use strict";
// Sends the code in the address's fragment, which no server log ever sees, and goes on to the workspace.
const state = document.getElementById("state");

async function signIn(code) {
  // The code leaves the address and the history before anything else happens.
  history.replaceState(null, "", location.pathname);
  state.textContent = "Signing in …";
  try {
    const answer = await fetch("/api/v1/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ code }),
    });
    if (answer.ok) {
      location.replace("/ui/");
      return;
    }
    const problem = await answer.json();
    state.textContent = `${problem.detail}. ${problem.hint}`;
  } catch {
    state.textContent = "The workspace does not answer. See `penwright status`, then run `penwright web` again.";
  }
}

const code = location.hash.slice(1);
if (code) signIn(code);
