// A proof as a tree that unfolds: each fact, the rule that gives it with its text, and below it what it rests on.

import { json } from "./api.js"
import { el, fill } from "./dom.js"
import { shortenAll, termElement, termText, tripleElement } from "./terms.js"

const OPEN_DEPTH = 1

/** A button that shows the proof of a triple below an element, and hides it again. */
export function proofButton(triple, place) {
  let proof
  const button = el("button", { type: "button", class: "small", "aria-expanded": "false" }, "why?")
  button.addEventListener("click", () => {
    const isOpen = button.getAttribute("aria-expanded") === "true"
    button.setAttribute("aria-expanded", String(!isOpen))
    if (!proof) {
      proof = el("div", { class: "proof" })
      place.append(proof)
      fill(proof, proofOf(triple), proofTree)
    }
    proof.hidden = isOpen
  })
  return button
}

const proofOf = ([subject, predicate, object]) => json("explain", { subject, predicate, object })

/** The tree of a proof as the server gives it. */
export function proofTree(proof) {
  const steps = new Map(proof.steps.map((step) => [step.number, step]))
  const goal = proof.steps.at(-1)
  return el("ul", { class: "steps" }, stepElement(goal, steps, 0))
}

function stepElement(step, steps, depth) {
  if (step.asserted) return el("li", {}, factElement(step), " ", el("span", { class: "mark asserted" }, "asserted"))
  const body = el("div", { class: "below" })
  const details = el("details", {}, el("summary", {}, factText(step), " ", el("span", { class: "mark rule" }, step.rule || "rule")), body)
  // What is below is made when it is unfolded: a proof may have thousands of steps.
  const unfold = () => {
    if (body.childElementCount) return
    body.append(el("code", { class: "rule-text" }, shortenAll(step.text)))
    if (step.path) body.append(el("p", { class: "quiet" }, `along ${step.path.length - 1} steps`))
    const premises = step.premises.map((number) => stepElement(steps.get(number), steps, depth + 1))
    const absent = (step.absent ?? []).map((each) => el("li", {}, "no ", factElement(each)))
    const conditions = (step.conditions ?? []).map((each) => el("li", {}, shortenAll(each), " ", el("span", { class: "mark" }, "true")))
    body.append(el("ul", { class: "steps" }, premises, absent, conditions))
  }
  details.addEventListener("toggle", () => details.open && unfold())
  if (depth < OPEN_DEPTH) {
    unfold()
    details.open = true
  }
  return el("li", {}, details)
}

/** A fact without links, for what is a button itself. */
function factText({ triple, relation, arguments: parts }) {
  const texts = (triple ?? parts).map((part) => (part ? termText(part) : "?"))
  if (!triple) return `${relation}(${texts.join(", ")})`
  return texts.map((text, place) => (place === 1 && text === "rdf:type" ? "a" : text)).join(" ")
}

function factElement({ triple, relation, arguments: parts }) {
  if (triple) return tripleElement(triple.map((part) => part ?? "?"))
  return el("span", {}, `${relation}(`, ...parts.flatMap((part, row) => [row ? ", " : "", part ? termElement(part) : "?"]), ")")
}
