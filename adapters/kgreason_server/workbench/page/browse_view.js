// Trees of classes, properties and concepts. Nodes come when they are opened, some hundreds at a time.

import { json, language } from "./api.js"
import { announce, count, el, problem } from "./dom.js"
import { addressOf, shorten } from "./terms.js"

const KINDS = { classes: "Classes", concepts: "Concepts", properties: "Properties" }

/** The view of trees; the kind is in the address. */
export function browseView(parameters) {
  const chosen = parameters.get("kind") in KINDS ? parameters.get("kind") : "classes"
  const tabs = Object.entries(KINDS).map(([kind, name]) =>
    el("a", { href: `#/browse?kind=${kind}`, "aria-current": kind === chosen ? "page" : null }, name))
  const tree = el("ul", { role: "tree", "aria-label": KINDS[chosen], class: "tree" })
  const size = el("p", { class: "quiet" })
  tree.addEventListener("keydown", (event) => onKey(event, tree))
  tree.addEventListener("focusin", (event) => rove(tree, event.target.closest("[role=treeitem]")))
  children(chosen, undefined, 0).then(
    ({ nodes, count: found }) => {
      size.textContent = `${count(found, "root")}`
      addNodes(tree, chosen, undefined, nodes, found, 1)
      rove(tree, tree.querySelector("[role=treeitem]"))
      if (!found) size.textContent = `There are no ${KINDS[chosen].toLowerCase()}.`
    },
    (error) => tree.replaceWith(problem(error)),
  )
  return [el("h1", {}, "Browse"), el("nav", { class: "tabs", "aria-label": "Kinds" }, tabs), size, tree]
}

const children = (kind, parent, offset) =>
  json("workbench/hierarchy", { kind, parent, language, offset: offset || undefined })

/** Append nodes to a list, and a last one that brings more where there are more. */
function addNodes(list, kind, parent, nodes, found, level) {
  list.append(...nodes.map((node) => nodeElement(node, kind, level)))
  const left = found - list.querySelectorAll(":scope > .node").length
  if (left <= 0) return
  const more = el("li", { role: "treeitem", class: "more", tabindex: -1, "aria-level": level },
    el("span", { class: "line" }, `${left.toLocaleString("en")} more …`))
  const load = async () => {
    const offset = list.querySelectorAll(":scope > .node").length
    const page = await children(kind, parent, offset)
    more.remove()
    addNodes(list, kind, parent, page.nodes, page.count, level)
    list.children[offset].focus()
  }
  more.addEventListener("click", load)
  more.addEventListener("open", load)
  list.append(more)
}

function nodeElement({ iri, label, children: below }, kind, level) {
  const item = el("li", { role: "treeitem", class: "node", tabindex: -1, "aria-level": level, "aria-expanded": below ? "false" : null })
  const toggle = el("span", { class: "toggle", "aria-hidden": "true" }, below ? "▸" : "")
  const link = el("a", { href: addressOf(`<${iri}>`), tabindex: -1, title: shorten(iri), dir: "auto" }, label)
  item.append(el("span", { class: "line" }, toggle, link, below ? el("span", { class: "quiet" }, ` ${below.toLocaleString("en")}`) : ""))
  let list
  item.addEventListener("open", async () => {
    const isOpen = item.getAttribute("aria-expanded") === "true"
    item.setAttribute("aria-expanded", String(!isOpen))
    toggle.textContent = isOpen ? "▸" : "▾"
    if (list) {
      list.hidden = isOpen
      return
    }
    list = el("ul", { role: "group" })
    item.append(list)
    try {
      const { nodes, count: found } = await children(kind, iri, 0)
      addNodes(list, kind, iri, nodes, found, level + 1)
      announce(`${label}: ${found.toLocaleString("en")} below`)
    } catch (error) {
      list.append(problem(error))
    }
  })
  toggle.addEventListener("click", () => below && item.dispatchEvent(new Event("open")))
  return item
}

/** Let one node be reached by Tab: the one that had the focus last. */
function rove(tree, item) {
  if (!item) return
  tree.querySelectorAll('[tabindex="0"]').forEach((each) => each.setAttribute("tabindex", "-1"))
  item.setAttribute("tabindex", "0")
}

/** The keys of a tree, as the ARIA practices have them. */
function onKey(event, tree) {
  const item = event.target.closest("[role=treeitem]")
  const shown = [...tree.querySelectorAll("[role=treeitem]")].filter((each) => each.offsetParent)
  const row = shown.indexOf(item)
  const isOpen = item.getAttribute("aria-expanded")
  const open = () => item.dispatchEvent(new Event("open"))
  const actions = {
    ArrowDown: () => shown[row + 1]?.focus(),
    ArrowUp: () => shown[row - 1]?.focus(),
    Home: () => shown[0].focus(),
    End: () => shown.at(-1).focus(),
    ArrowRight: () => (isOpen === "false" ? open() : isOpen && shown[row + 1]?.focus()),
    ArrowLeft: () => (isOpen === "true" ? open() : item.parentElement.closest("[role=treeitem]")?.focus()),
    Enter: () => (item.classList.contains("more") ? open() : item.querySelector("a").click()),
    " ": () => (isOpen || item.classList.contains("more")) && open(),
  }
  if (!actions[event.key] || event.ctrlKey || event.altKey || event.metaKey) return
  event.preventDefault()
  actions[event.key]()
}
