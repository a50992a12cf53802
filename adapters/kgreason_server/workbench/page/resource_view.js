// What is said of a term: groups by property, what was asserted told apart from what follows, and why it follows.

import { json, language } from "./api.js"
import { count, el, fill } from "./dom.js"
import { proofButton } from "./proof_view.js"
import { termElement, termText } from "./terms.js"

/** The view of a term, which is in the address in N-Triples. */
export function resourceView(parameters) {
  const term = parameters.get("term") ?? ""
  const body = el("div")
  const title = el("h1", { dir: "auto" }, termText(term))
  fill(body, json("workbench/resource", { subject: term, language }), (found) => {
    if (found.label) title.textContent = found.label
    document.title = `${title.textContent} – kgreason`
    return [
      el("p", { class: "iri" }, term.startsWith("<") ? term.slice(1, -1) : term),
      ...section("Said of it", found.outgoing, (group, value) => [term, group.property, value.term]),
      ...section("Said with it", found.incoming, (group, value) => [value.term, group.property, term]),
      ...(found.outgoing.length || found.incoming.length ? [] : [el("p", {}, "Nothing is known of it.")]),
    ]
  })
  return [title, body]
}

function section(title, groups, tripleOf) {
  if (!groups.length) return []
  const rows = groups.map((group) =>
    el("div", { class: "group" }, el("dt", {}, termElement(group.property, group.label), " ", el("span", { class: "quiet" }, group.count > 1 ? group.count.toLocaleString("en") : "")),
      el("dd", {}, el("ul", {}, group.values.map((value) => valueElement(value, tripleOf(group, value))), rest(group)))))
  return [el("h2", {}, title), el("dl", { class: "resource" }, rows)]
}

function valueElement(value, triple) {
  const mark = value.asserted
    ? el("span", { class: "mark asserted", title: "asserted" }, "asserted")
    : el("span", { class: "mark inferred", title: "inferred" }, "inferred")
  const item = el("li", { class: value.asserted ? "is-asserted" : "is-inferred" }, termElement(value.term, value.label), " ", mark)
  if (!value.asserted) item.append(" ", proofButton(triple, item))
  return item
}

function rest(group) {
  const left = group.count - group.values.length
  return left > 0 ? [el("li", { class: "quiet" }, `and ${count(left, "more value").replace("more values", "more")}`)] : []
}
