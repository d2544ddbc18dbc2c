"use strict";
// Takes the seat that the address's fragment opens; no server log ever sees it.
const state = document.getElementById("state");
const code = document.getElementById("code");

async function enter(secret) {
  // The secret leaves the address and the history before anything else happens.
  history.replaceState(null, "", location.pathname);
  state.textContent = "Taking the seat …";
  code.textContent = "";
  try {
    const answer = await fetch("/api/v1/seats/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ secret }),
    });
    const told = await answer.json();
    if (answer.ok) {
      location.replace(told.page);
      return;
    }
    state.textContent = `${told.detail[0].toUpperCase()}${told.detail.slice(1)}. ${told.hint ?? ""}`;
    code.textContent = told.code;
  } catch {
    state.textContent = "The table does not answer. Open your link again in a moment.";
  }
}

function opened() {
  if (location.hash.length > 1) enter(location.hash.slice(1));
}

addEventListener("hashchange", opened);
opened();
