// Terms in N-Triples, as the server writes them: short texts, and links to what is said of them.

import { json } from "./api.js"
import { el } from "./dom.js"

const XSD = "http://www.w3.org/2001/XMLSchema#"
const TYPE = "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>"
const LITERAL = /^"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?$/s
const LOCAL = /^(?:[A-Za-z0-9_](?:[\w.-]*[\w-])?)?$/

let prefixes = []

/** Read the prefixes of the store. */
export async function loadPrefixes() {
  const found = (await json("prefixes")).prefixes
  prefixes = Object.entries(found).filter(([, iri]) => iri).sort((one, other) => other[1].length - one[1].length)
}

export const declarations = () => prefixes.map(([prefix, iri]) => `@prefix ${prefix}: <${iri}> .`).join("\n")
export const knownPrefixes = () => prefixes

/** An IRI with a prefix where one fits. */
export function shorten(iri) {
  const fitting = prefixes.find(([, space]) => iri.startsWith(space) && LOCAL.test(iri.slice(space.length)))
  return fitting ? `${fitting[0]}:${iri.slice(fitting[1].length)}` : `<${iri}>`
}

/** A text in which all IRIs are short. */
export const shortenAll = (text) => text.replace(/<([^<>"\s]+)>/g, (_, iri) => shorten(iri))

/** A term in N-Triples as people read it. */
export function termText(term) {
  if (term.startsWith("<<(")) return shortenAll(term)
  if (term.startsWith("<")) return shorten(term.slice(1, -1))
  const literal = term.match(LITERAL)
  if (!literal) return term
  const [, text, tag, type] = literal
  const plain = text.replace(/\\(u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/gs, (_, code) => unescape(code))
  if (type && /^(integer|decimal|double|boolean|date|dateTime|gYear)$/.test(type.slice(XSD.length))) return plain
  return `“${plain}”${tag ? ` @${tag}` : ""}${type ? ` (${shorten(type)})` : ""}`
}

const unescape = (code) =>
  code.length > 1 ? String.fromCodePoint(parseInt(code.slice(1), 16)) : ({ n: "\n", t: "\t", r: "\r" }[code] ?? code)

export const addressOf = (term) => `#/resource?term=${encodeURIComponent(term)}`

/** A term as an element: a link where something may be said of it. `label` is shown in place of its name. */
export function termElement(term, label) {
  const text = label || termText(term)
  if (term.startsWith('"') || term.startsWith("<<(")) return el("span", { class: "literal", dir: "auto" }, text)
  return el("a", { href: addressOf(term), title: termText(term), dir: "auto" }, text)
}

/** A triple as an element. */
export function tripleElement([subject, predicate, object]) {
  const verb = predicate === TYPE ? el("a", { href: addressOf(predicate), title: "rdf:type" }, "a") : termElement(predicate)
  return el("span", { class: "triple" }, termElement(subject), " ", verb, " ", termElement(object))
}
