// The field at the top: terms by their labels, as one types.

import { json, language } from "./api.js"
import { el } from "./dom.js"
import { addressOf, termText } from "./terms.js"

const PAUSE = 120

/** Let the field find terms. */
export function beginSearch() {
  const form = document.getElementById("search")
  const input = form.elements.text
  const list = document.getElementById("matches")
  let waiting
  let asked = 0

  const close = () => {
    list.hidden = true
    input.setAttribute("aria-expanded", "false")
    input.removeAttribute("aria-activedescendant")
  }
  const open = (matches) => {
    list.replaceChildren(...matches.map((match, row) => option(match, row)))
    if (!matches.length) list.append(el("li", { class: "quiet", role: "option", "aria-disabled": "true" }, "No label has these words"))
    list.hidden = false
    input.setAttribute("aria-expanded", "true")
  }
  const go = (element) => {
    close()
    input.value = ""
    location.hash = addressOf(element.dataset.term)
  }
  const option = ({ term, label }, row) => {
    const item = el("li", { role: "option", id: `match-${row}`, mousedown: (event) => { event.preventDefault(); go(item) } },
      el("span", { dir: "auto" }, label), " ", el("span", { class: "quiet" }, termText(term)))
    item.dataset.term = term
    return item
  }
  const find = async () => {
    const number = ++asked
    const text = input.value.trim()
    if (!text) return close()
    const found = await json("workbench/find", { text, language }).catch(() => ({ matches: [] }))
    if (number === asked && input.value.trim()) open(found.matches)
  }
  const move = (step) => {
    const options = [...list.querySelectorAll("[id]")]
    const now = options.findIndex((each) => each.getAttribute("aria-selected") === "true")
    const next = options[(now + step + options.length) % options.length]
    options.forEach((each) => each.setAttribute("aria-selected", String(each === next)))
    if (next) input.setAttribute("aria-activedescendant", next.id)
    next?.scrollIntoView({ block: "nearest" })
  }

  input.addEventListener("input", () => {
    clearTimeout(waiting)
    waiting = setTimeout(find, PAUSE)
  })
  input.addEventListener("blur", close)
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") close()
    else if (event.key === "ArrowDown") move(1)
    else if (event.key === "ArrowUp") move(-1)
    else return
    event.preventDefault()
  })
  form.addEventListener("submit", async (event) => {
    event.preventDefault()
    if (list.hidden) await find()
    const chosen = list.querySelector('[aria-selected="true"]') ?? list.querySelector("[id]")
    if (chosen) go(chosen)
  })
}
