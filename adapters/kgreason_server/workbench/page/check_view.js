// Contradictions: the rule, the triples that clash with their proofs, and which single removals would mend it.

import { json } from "./api.js"
import { count, el, fill } from "./dom.js"
import { proofButton } from "./proof_view.js"
import { tripleElement } from "./terms.js"
import { whatIf } from "./whatif_view.js"

const SHOWN = 100
const CANDIDATES = 20

/** The view of contradictions. */
export function checkView(_, signal) {
  const body = el("div")
  fill(body, json("inconsistencies", { limit: SHOWN, causes: true }), (found) => {
    if (!found.count) return el("p", { class: "good" }, "Nothing contradicts.")
    const more = found.truncated ? [el("p", { class: "quiet" }, `The first ${SHOWN} are shown.`)] : []
    return [el("p", {}, count(found.count, "contradiction")), ...found.inconsistencies.map((each) => clashElement(each, signal)), ...more]
  })
  return [el("h1", {}, "Contradictions"), body]
}

function clashElement(clash, signal) {
  const triples = clash.triples.map((triple) => {
    const item = el("li", {}, tripleElement(triple), " ")
    item.append(proofButton(triple, item))
    return item
  })
  const repairs = el("div")
  const look = el("button", { type: "button" }, "Which removals mend it?")
  look.addEventListener("click", () => {
    look.remove()
    fill(repairs, mending(clash, signal), (found) => repairList(found, clash))
  })
  return el("article", { class: "card" }, el("h2", {}, clash.rule || "A rule without a name"),
    clash.reason ? el("p", {}, clash.reason) : null, el("ul", { class: "plain" }, triples), look, repairs)
}

/** The asserted triples behind a contradiction, each with what its removal alone would do. */
async function mending(clash, signal) {
  const candidates = clash.causes.filter((triple) => !triple.some((term) => term.startsWith("_:"))).slice(0, CANDIDATES)
  const found = []
  for (const triple of candidates) {
    const result = await whatIf({ remove: `${triple.join(" ")} .` }, signal)
    const mends = result.inconsistencies.vanished.some((each) => sameClash(each, clash))
    found.push({ triple, mends, lost: result.removed.count, others: result.inconsistencies })
  }
  return found.sort((one, other) => other.mends - one.mends || one.lost - other.lost)
}

const sameClash = (one, other) => one.rule === other.rule && JSON.stringify(one.triples) === JSON.stringify(other.triples)

function repairList(found) {
  const mending = found.filter((each) => each.mends)
  if (!mending.length) return el("p", {}, "No removal of a single triple does.")
  const items = mending.map(({ triple, lost, others }) =>
    el("li", {}, "remove ", tripleElement(triple), el("span", { class: "quiet" }, ` – ${count(lost, "triple")} would go, ${count(others.vanished.length, "contradiction")} with it`), " ",
      el("a", { href: `#/whatif?remove=${encodeURIComponent(`${triple.join(" ")} .`)}` }, "what else?")))
  return [el("h3", {}, "Repairs, those that lose least first"), el("ul", { class: "plain" }, items)]
}
