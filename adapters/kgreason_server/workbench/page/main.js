// The page: a view for each address after the #, and what all views share.

import { token } from "./api.js"
import { announce, el, problem } from "./dom.js"
import { loadPrefixes } from "./terms.js"
import { browseView } from "./browse_view.js"
import { checkView } from "./check_view.js"
import { liveView } from "./live_view.js"
import { queryView } from "./query_view.js"
import { resourceView } from "./resource_view.js"
import { beginSearch } from "./search.js"
import { whatIfView } from "./whatif_view.js"

const VIEWS = {
  query: queryView,
  browse: browseView,
  resource: resourceView,
  check: checkView,
  whatif: whatIfView,
  live: liveView,
}

const main = document.getElementById("main")
let leaving = new AbortController()

/** Show the view of the address. A view gets its parameters, and a signal for when it is left. */
function show() {
  const [name, parameters] = location.hash.slice(2).split("?")
  const view = VIEWS[name] ?? queryView
  leaving.abort()
  announce("")
  leaving = new AbortController()
  for (const link of document.querySelectorAll("nav a")) {
    const isHere = link.hash === `#/${view === queryView ? "query" : name}`
    link.toggleAttribute("aria-current", isHere)
    if (isHere) link.setAttribute("aria-current", "page")
  }
  try {
    main.replaceChildren(...[view(new URLSearchParams(parameters), leaving.signal)].flat())
  } catch (error) {
    main.replaceChildren(problem(error))
  }
  document.title = `${main.querySelector("h1")?.textContent ?? "kgreason"} – kgreason`
}

/** Ask for a token in place of the page's content, and show the view again. */
function askForToken() {
  const input = el("input", { type: "password", id: "token-text", autocomplete: "off", value: token.get() })
  const save = async (event) => {
    event.preventDefault()
    token.set(input.value.trim())
    await loadPrefixes().catch(() => {})
    show()
  }
  main.replaceChildren(
    el("h1", {}, "Token"),
    el("p", {}, "Servers may ask for a token to read, and always do to write. It is kept in this tab alone."),
    el("form", { class: "row", submit: save }, el("label", { for: "token-text" }, "Token"), input, el("button", {}, "Use")),
  )
  input.focus()
}

document.getElementById("token").addEventListener("click", askForToken)
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault()
  main.focus()
})
window.addEventListener("hashchange", () => {
  show()
  main.focus({ preventScroll: true })
  scrollTo(0, 0)
})
beginSearch()
await loadPrefixes().catch(() => {})
show()
