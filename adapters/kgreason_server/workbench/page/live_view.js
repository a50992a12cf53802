// The changes of the store as they happen.

import { listen } from "./api.js"
import { announce, count, el } from "./dom.js"
import { tripleElement } from "./terms.js"

const KEPT = 50
const SHOWN = 20

/** The view of changes, from when it is opened. */
export function liveView(_, signal) {
  const state = el("p", { class: "quiet", role: "status" }, "Connecting …")
  const list = el("ol", { class: "changes", "aria-label": "Changes, the last first" })
  const handlers = {
    version: () => (state.textContent = "Listening: changes appear here as they are made."),
    reset: () => list.prepend(el("li", { class: "quiet" }, "Some changes were missed.")),
    lost: ({ detail }) => (state.textContent = `Not connected: ${detail}`),
    change: (change) => {
      state.textContent = "Listening: changes appear here as they are made."
      list.prepend(changeElement(change))
      announce(`${count(change.added.length, "triple")} came, ${change.removed.length.toLocaleString("en")} went`)
    },
  }
  listen((name, data) => {
    handlers[name]?.(data)
    while (list.childElementCount > KEPT) list.lastElementChild.remove()
  }, signal)
  return [el("h1", {}, "Live"), state, list]
}

function changeElement({ added, removed }) {
  const time = el("time", {}, new Date().toLocaleTimeString())
  const side = (triples, sign) =>
    triples.length
      ? [el("ul", { class: `plain ${sign}` }, triples.slice(0, SHOWN).map((triple) => el("li", {}, tripleElement(triple)))),
         ...(triples.length > SHOWN ? [el("p", { class: "quiet" }, `and ${(triples.length - SHOWN).toLocaleString("en")} more`)] : [])]
      : []
  return el("li", { class: "card" }, time, ...side(removed, "minus"), ...side(added, "plus"))
}
