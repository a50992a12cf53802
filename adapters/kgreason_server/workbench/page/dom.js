// Elements, made with text alone: nothing that a store says is ever read as HTML.

/** An element with attributes (functions are listeners) and children (texts or elements; null is left out). */
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === "function") element.addEventListener(key, value)
    else element.setAttribute(key, value === true ? "" : value)
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined))
  return element
}

/** What went wrong, for the user. */
export function problem(error) {
  const hint = error.status === 401 ? " Use the Token button above." : ""
  return el("p", { class: "problem", role: "alert" }, `${error.message}${hint}`)
}

/** Put into an element what a promise gives, a word while it waits, and what went wrong if it fails. */
export async function fill(element, promise, make) {
  element.setAttribute("aria-busy", "true")
  const waiting = setTimeout(() => element.replaceChildren(el("p", { class: "quiet" }, "…")), 150)
  try {
    const made = make(await promise)
    clearTimeout(waiting)
    element.replaceChildren(...[made].flat())
  } catch (error) {
    clearTimeout(waiting)
    if (error.name !== "AbortError") element.replaceChildren(problem(error))
  }
  element.removeAttribute("aria-busy")
}

export const count = (number, word) => `${number.toLocaleString("en")} ${word}${number === 1 ? "" : "s"}`

/** Say something to those who cannot see the page, and at its foot. */
export function announce(text) {
  document.getElementById("status").textContent = text
}
