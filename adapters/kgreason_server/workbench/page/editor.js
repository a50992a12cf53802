// The editor of queries: CodeMirror with the classes, properties and prefixes of the store to complete.

import { autocompletion, completionKeymap } from "@codemirror/autocomplete"
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language"
import { sparql } from "@codemirror/legacy-modes/mode/sparql"
import { EditorState, Prec } from "@codemirror/state"
import { EditorView, drawSelection, keymap, lineNumbers } from "@codemirror/view"
import { tags } from "@lezer/highlight"
import { json, language } from "./api.js"
import { el } from "./dom.js"
import styles from "./editor.css"
import { shorten } from "./terms.js"

const KEYWORDS = (
  "SELECT DISTINCT WHERE OPTIONAL FILTER UNION MINUS GRAPH SERVICE BIND VALUES ASK CONSTRUCT DESCRIBE FROM NAMED " +
  "GROUP BY HAVING ORDER LIMIT OFFSET COUNT SUM MIN MAX AVG SAMPLE GROUP_CONCAT STR LANG DATATYPE BOUND REGEX CONTAINS " +
  "STRSTARTS STRENDS EXISTS NOT IN AS ASC DESC PREFIX"
).split(" ")

let names

/** The names that are completed, asked for once. */
async function completions() {
  names ??= json("workbench/names", { language }).then(options).catch(() => {
    names = undefined
    return []
  })
  return names
}

function options({ prefixes, classes, properties }) {
  const named = (type) => ({ iri, label, count }) => ({
    label: shorten(iri),
    type,
    detail: label && !iri.endsWith(label) ? label : undefined,
    info: `${count.toLocaleString("en")} ${type === "class" ? "members" : "triples"}`,
    boost: Math.log10(count + 1),
  })
  return [
    ...properties.map(named("property")),
    ...classes.map(named("class")),
    ...Object.keys(prefixes).map((prefix) => ({ label: `${prefix}:`, type: "namespace" })),
    ...KEYWORDS.map((word) => ({ label: word, type: "keyword", boost: -50 })),
  ]
}

async function complete(context) {
  const word = context.matchBefore(/[\w:<>/#.-]+/)
  const isVariable = context.matchBefore(/[?$]\w*/)
  if (isVariable || (!word && !context.explicit)) return null
  return { from: word?.from ?? context.pos, options: await completions(), validFor: /^[\w:<>/#.-]*$/ }
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "cm-word" },
  { tag: tags.string, class: "cm-text" },
  { tag: tags.comment, class: "cm-remark" },
  { tag: tags.variableName, class: "cm-variable" },
  { tag: tags.atom, class: "cm-name" },
])

/**
 * An editor of a query, as its element and a function for its text; `run` is called by Ctrl-Enter.
 *
 * It is in a shadow root: there CodeMirror adopts its styles, where in a document it would write a style element, which
 * the policy of the page forbids.
 */
export function editor(text, run, name = "SPARQL query") {
  const element = el("div", { class: "editor" })
  const root = element.attachShadow({ mode: "open" })
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(styles)
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: text,
      extensions: [
        Prec.highest(keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }])),
        lineNumbers(),
        history(),
        drawSelection(),
        bracketMatching(),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ "aria-label": name, spellcheck: "false" }),
        StreamLanguage.define(sparql),
        syntaxHighlighting(colours),
        autocompletion({ override: [complete], icons: false }),
        keymap.of([...completionKeymap, ...defaultKeymap, ...historyKeymap]),
      ],
    }),
  })
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  return { element, text: () => view.state.doc.toString() }
}
