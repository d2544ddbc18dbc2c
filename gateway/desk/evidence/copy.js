
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("evidence").textContent);
  const text = document.getElementById("text");
  const panel = document.getElementById("panel");
  const title = document.getElementById("panel-title");
  const facts = document.getElementById("panel-facts");
  const works = new Map(data.works.map((each) => [each.key, each]));
  const kinds = { human: "people", ai: "a model", mixed: "people and a model", edited: "unknown, edited by a model",
    ambiguous: "one of several authors", unknown: "not known", untraced: "not in the trace" };
  const states = { not_found: "not found in any registry", dead: "an identifier of it leads nowhere",
    unreachable: "a registry did not answer" };
  let chosen = 0;
  let back = null;

  // Only as text: nothing of the document or of a registry is ever read as markup.
  const add = (tag, said, where = facts) => {
    const made = document.createElement(tag);
    made.textContent = said;
    where.append(made);
    return made;
  };
  const day = (at) => (at ? at.slice(0, 16).replace("T", " ") : "");
  const told = (...parts) => parts.filter(Boolean).join(", ");
  const pieces = (number) => text.querySelectorAll(`[data-s="${number}"]`);

  function author(block) {
    const named = told(...(block.people || []), ...(block.models || []));
    add("h3", "Who wrote it");
    add("p", `Written by ${kinds[block.by] || block.by}${named ? `: ${named}` : ""}.`);
    const how = told(block.at && day(block.at), block.intent && `under intent ${block.intent}`,
      block.commit && `commit ${block.commit.slice(0, 12)}`);
    if (how) add("p", how);
  }

  function record(found) {
    const where = (found.sources || []).join(", ");
    const judged = found.verdict || "Shown to the writer as a passage, and not looked up since; found";
    add("p", told(`${judged}${where ? ` by ${where}` : ""}`, found.on && `asked on ${found.on}`));
    if (found.support) {
      const share = found.overlap === undefined ? "" : `${Math.round(found.overlap * 100)}% of the sentence's words`;
      add("p", `Support: ${told(found.support, share)}`);
    }
    if (found.quote) {
      const { quote, page, section, source } = found.quote;
      add("p", told(page && `page ${page}`, section, source), add("blockquote", quote));
    } else if (found.abstract) {
      add("p", "Abstract of the record:");
      add("blockquote", found.abstract);
    }
    if (found.reason) add("p", found.reason);
  }

  function citation(each) {
    const work = works.get(each.key) || { key: each.key };
    add("h3", told((work.authors || []).join("; "), work.year && String(work.year)) || each.key);
    add("p", told(work.title || each.key, work.container));
    if (work.url) {
      const link = add("a", work.doi ? `doi:${work.doi}` : work.url, add("p", ""));
      link.href = work.url;
      link.rel = "noopener noreferrer";
      link.target = "_blank";
    }
    if (each.found) record(each.found);
    else add("p", "No scan has looked it up: the citation came with the text.");
    if (each.decided) {
      const by = each.decided.by === "rule" ? "the rule for what is verified" : each.decided.by;
      add("p", told(`Accepted by ${by}`, each.decided.at && day(each.decided.at),
        each.decided.commit && `commit ${each.decided.commit.slice(0, 12)}`));
    }
    if (each.audit) {
      add("p", told(`Audit of ${each.audit.on}: ${states[each.audit.state] || each.audit.state}`,
        (each.audit.sources || []).join(", "), each.audit.reason));
    }
  }

  function show(number, from) {
    const sentence = data.sentences[number - 1];
    if (!sentence) return;
    mark(number);
    back = from || pieces(number)[0];
    title.textContent = `Sentence ${number}`;
    facts.replaceChildren();
    author(data.blocks[sentence.block - 1] || { by: "untraced" });
    const cited = sentence.citations || [];
    cited.forEach(citation);
    if (!cited.length) add("p", "It cites nothing.");
    panel.hidden = false;
    document.body.classList.add("open");
    title.focus();
  }

  function hide() {
    if (panel.hidden) return;
    panel.hidden = true;
    document.body.classList.remove("open");
    if (back) back.focus();
  }

  function mark(number) {
    text.querySelectorAll(".chosen").forEach((each) => each.classList.remove("chosen"));
    pieces(number).forEach((each) => each.classList.add("chosen"));
    chosen = number;
    const first = pieces(number)[0];
    if (first) first.tabIndex = -1;
    return first;
  }

  function step(by) {
    let next = chosen + by;
    while (next > 0 && next <= data.sentences.length && !pieces(next).length) next += by;
    const first = next > 0 && next <= data.sentences.length ? mark(next) : null;
    if (first) {
      first.focus();
      first.scrollIntoView({ block: "nearest" });
    }
  }

  text.addEventListener("click", (event) => {
    const sentence = event.target.closest("[data-s]");
    if (!sentence || event.target.closest("a") || String(getSelection())) return;
    show(Number(sentence.dataset.s), event.target.closest("button"));
  });
  text.addEventListener("keydown", (event) => {
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    const isButton = event.target.closest("button, a");
    if (by) step(by);
    else if (event.key === "Enter" && chosen && !isButton) show(chosen);
    else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
  });
  document.getElementById("close").addEventListener("click", hide);
})();
