// Queries: the editor, and the answer as a table, a chart of counts, or Turtle.

import { query } from "./api.js"
import { announce, count, el, problem } from "./dom.js"
import { editor } from "./editor.js"
import { termElement } from "./terms.js"

const KEPT = "kgreason-query"
const FIRST = "SELECT ?class (COUNT(?x) AS ?members)\nWHERE { ?x a ?class }\nGROUP BY ?class\nORDER BY DESC(?members)\nLIMIT 20"
const ROWS = 100
const BARS = 40

/** The view of queries. A query in the address is shown, but run only when the user says so. */
export function queryView(parameters, signal) {
  const answer = el("section", { class: "answer", "aria-label": "Answer" })
  const { element, text: written } = editor(parameters.get("query") ?? sessionStorage.getItem(KEPT) ?? FIRST, () => run())
  const stop = el("button", { type: "button", hidden: true, click: () => running?.abort() }, "Stop")
  let running

  async function run() {
    const text = written()
    sessionStorage.setItem(KEPT, text)
    running?.abort()
    const own = (running = new AbortController())
    signal.addEventListener("abort", () => own.abort(), { once: true })
    stop.hidden = false
    answer.setAttribute("aria-busy", "true")
    try {
      answer.replaceChildren(...shown(await query(text, own.signal)))
    } catch (error) {
      answer.replaceChildren(error.name === "AbortError" ? el("p", { class: "quiet" }, "Stopped.") : problem(error))
    }
    if (running === own) stop.hidden = true
    answer.removeAttribute("aria-busy")
  }

  return [
    el("h1", {}, "Query"),
    element,
    el("div", { class: "row" },
      el("button", { type: "button", class: "main", title: "Ctrl-Enter", click: run }, "Run"), stop,
      el("span", { class: "quiet" }, "Ctrl-Enter runs it, Ctrl-Space completes, Escape and Tab leave the editor")),
    answer,
  ]
}

function shown({ results, turtle, milliseconds }) {
  const time = `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`
  if (turtle !== undefined) {
    announce(`Turtle, ${time}`)
    return [el("p", { class: "quiet" }, `Turtle, ${time}`), el("pre", { tabindex: 0 }, turtle)]
  }
  if (results.boolean !== undefined) {
    announce(`${results.boolean ? "Yes" : "No"}, ${time}`)
    return [el("p", { class: "truth" }, results.boolean ? "Yes" : "No"), el("p", { class: "quiet" }, time)]
  }
  const names = results.head.vars
  const rows = results.results.bindings.map((binding) => names.map((name) => binding[name] && nTriples(binding[name])))
  announce(`${count(rows.length, "row")}, ${time}`)
  const bars = chartOf(names, rows)
  return [el("p", { class: "quiet" }, `${count(rows.length, "row")}, ${time}`), ...(bars ? [bars] : []), table(names, rows)]
}

/** A table that shows more rows when asked, so that an answer of a million rows is one of a hundred at first. */
function table(names, rows) {
  const body = el("tbody")
  const more = el("button", { type: "button" })
  let next = 0
  const add = () => {
    const cells = (row) => row.map((term) => el("td", {}, term ? termElement(term) : ""))
    body.append(...rows.slice(next, next + ROWS).map((row) => el("tr", {}, cells(row))))
    next += ROWS
    more.hidden = next >= rows.length
    more.textContent = `Show ${Math.min(ROWS, rows.length - next)} more of ${(rows.length - next).toLocaleString("en")}`
  }
  more.addEventListener("click", add)
  add()
  const head = el("thead", {}, el("tr", {}, names.map((name) => el("th", { scope: "col" }, name))))
  return el("div", {}, el("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Rows" }, el("table", {}, head, body)), more)
}

/** Bars, where the answer is names and one column of counts. */
function chartOf(names, rows) {
  const isCount = names.map((_, column) => rows.length > 1 && rows.every((row) => numberOf(row[column]) !== undefined))
  const counts = isCount.indexOf(true)
  const labels = names.map((_, column) => column).filter((column) => !isCount[column])
  if (counts < 0 || isCount.lastIndexOf(true) !== counts || labels.length !== 1) return null
  const shown = rows.slice(0, BARS)
  const most = Math.max(...shown.map((row) => numberOf(row[counts])), 1)
  const lines = shown.map((row) => {
    const number = numberOf(row[counts])
    const bar = el("span", { class: "bar" })
    bar.style.width = `${Math.max(0, (100 * number) / most)}%`
    return el("tr", {},
      el("th", { scope: "row" }, row[labels[0]] ? termElement(row[labels[0]]) : ""),
      el("td", {}, bar), el("td", { class: "number" }, number.toLocaleString("en")))
  })
  return el("details", { class: "chart", open: true }, el("summary", {}, `Chart of ${names[counts]}`),
    el("table", { class: "bars" }, el("caption", { class: "hidden" }, `${names[counts]} of each ${names[labels[0]]}`), el("tbody", {}, lines)))
}

function numberOf(term) {
  const found = term?.match(/^"(-?\d+(?:\.\d+)?)"\^\^<http:\/\/www.w3.org\/2001\/XMLSchema#(?:integer|decimal|int|long)>$/)
  return found ? Number(found[1]) : undefined
}

/** A term of SPARQL's JSON in N-Triples. */
function nTriples({ type, value, datatype, "xml:lang": tag, "its:dir": direction }) {
  if (type === "uri") return `<${value}>`
  if (type === "triple") return `<<( ${["subject", "predicate", "object"].map((part) => nTriples(value[part])).join(" ")} )>>`
  if (type === "bnode") return `_:${value}`
  const text = `"${value.replace(/[\\"\n\r]/g, (each) => ({ "\n": "\\n", "\r": "\\r" }[each] ?? `\\${each}`))}"`
  return tag ? `${text}@${tag}${direction ? `--${direction}` : ""}` : datatype ? `${text}^^<${datatype}>` : text
}

