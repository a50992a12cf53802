// A change that is tried, and made only when the user says so and may.

import { json, request } from "./api.js"
import { announce, count, el, fill, problem } from "./dom.js"
import { declarations, shortenAll, tripleElement } from "./terms.js"

const SHOWN = 200
const FIELDS = {
  add: ["Add, in Turtle", "ex:ada a ex:Person ."],
  remove: ["Remove, in Turtle", ""],
  update: ["SPARQL update", "DELETE { … } INSERT { … } WHERE { … }"],
}

/** What a change would do; `add` and `remove` may use the prefixes of the store. */
export function whatIf(change, signal) {
  const given = Object.fromEntries(Object.entries(change).filter(([, text]) => text?.trim()))
  for (const name of ["add", "remove"]) if (given[name]) given[name] = `${declarations()}\n${given[name]}`
  const options = { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(given), signal }
  return request(`whatif?limit=${SHOWN}`, options).then((response) => response.json())
}

/** The view of what-if; a change may be in the address. */
export function whatIfView(parameters, signal) {
  const inputs = Object.fromEntries(Object.keys(FIELDS).map((name) => [name, field(name, parameters)]))
  const answer = el("section", { "aria-label": "Consequences" })
  const change = () => Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, input.value]))
  const look = (event) => {
    event.preventDefault()
    fill(answer, whatIf(change(), signal), (found) => [...consequences(found), makeButton(change(), answer)])
  }
  const rows = Object.entries(inputs).map(([name, input]) => el("label", {}, FIELDS[name][0], input))
  const form = el("form", { submit: look, class: "fields" }, rows, el("button", { class: "main" }, "What would it do?"))
  if (parameters.size) form.requestSubmit?.call(form)
  return [el("h1", {}, "What if"), el("p", { class: "quiet" }, "The change is tried on a branch of the store; nothing changes."), form, answer]
}

function field(name, parameters) {
  const area = el("textarea", { rows: name === "update" ? 4 : 3, spellcheck: "false", placeholder: FIELDS[name][1] })
  area.value = shortenAll(parameters.get(name) ?? "")
  return area
}

function consequences(found) {
  const { appeared, vanished } = found.inconsistencies
  announce(`${count(found.added.count, "triple")} would appear, ${found.removed.count.toLocaleString("en")} would go`)
  return [
    ...triples("Would appear", found.added, found.added_explicit, "plus"),
    ...triples("Would go", found.removed, found.removed_explicit, "minus"),
    ...clashes("Contradictions that would come", appeared, "problem"),
    ...clashes("Contradictions that would go", vanished, "good"),
    found.added.count || found.removed.count ? null : el("p", {}, "Nothing would change."),
    appeared.length ? null : el("p", { class: "good" }, "It would contradict nothing new."),
  ].filter(Boolean)
}

function triples(title, { count: found, triples: shown }, asserted, sign) {
  if (!found) return []
  return [
    el("h2", {}, `${title}: ${found.toLocaleString("en")}`),
    asserted < found ? el("p", { class: "quiet" }, `${asserted.toLocaleString("en")} asserted, the others inferred`) : null,
    el("ul", { class: `plain ${sign}` }, shown.map((triple) => el("li", {}, tripleElement(triple)))),
    found > shown.length ? el("p", { class: "quiet" }, `The first ${shown.length} are shown.`) : null,
  ].filter(Boolean)
}

function clashes(title, found, mood) {
  if (!found.length) return []
  const items = found.map((clash) => el("li", {}, el("strong", {}, clash.rule), el("ul", { class: "plain" }, clash.triples.map((each) => el("li", {}, tripleElement(each))))))
  return [el("h2", {}, title), el("ul", { class: `plain ${mood}` }, items)]
}

/** A button that makes the change: an update of the server, which asks for a token. */
function makeButton(change, answer) {
  const make = async () => {
    try {
      await request("update", { method: "POST", headers: { "Content-Type": "application/sparql-update" }, body: await asUpdate(change) })
      answer.replaceChildren(el("p", { class: "good", role: "status" }, "The change was made."))
    } catch (error) {
      answer.append(problem(error))
    }
  }
  return el("div", { class: "row" }, el("button", { type: "button", click: make }, "Make the change"))
}

/** A change as one update: removals first. */
async function asUpdate({ add, remove, update }) {
  const { prefixes } = await json("prefixes")
  const head = Object.entries(prefixes).map(([prefix, iri]) => `PREFIX ${prefix}: <${iri}>`).join("\n")
  const parts = [remove.trim() && `DELETE DATA { ${remove} }`, add.trim() && `INSERT DATA { ${add} }`, update.trim()]
  return `${head}\n${parts.filter(Boolean).join(" ;\n")}`
}
