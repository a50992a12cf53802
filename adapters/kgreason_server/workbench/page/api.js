// Requests to the server that the page came from, and to no other.

const TOKEN = "kgreason-token"

/** The token that the user has given in this tab; it is nowhere else. */
export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value) => (value ? sessionStorage.setItem(TOKEN, value) : sessionStorage.removeItem(TOKEN)),
}

/** An answer that is an error, with what the server says of it. */
export class Problem extends Error {
  constructor(status, detail) {
    super(detail)
    this.status = status
  }
}

export const language = navigator.language || "en"

/** The response of the server to a request. */
export async function request(path, options = {}) {
  const headers = new Headers(options.headers)
  if (token.get()) headers.set("Authorization", `Bearer ${token.get()}`)
  let response
  try {
    response = await fetch(path, { ...options, headers })
  } catch (error) {
    if (error.name === "AbortError") throw error
    throw new Problem(0, "the server does not answer")
  }
  if (!response.ok) throw new Problem(response.status, await detailOf(response))
  return response
}

/** The JSON at an address, with parameters of which undefined ones are left out. */
export async function json(path, parameters = {}, options = {}) {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given)
  return (await request(given.length ? `${path}?${query}` : path, options)).json()
}

/** The answer of a query as SPARQL results or Turtle, and how long it took. */
export async function query(text, signal) {
  const begun = performance.now()
  const headers = {
    "Content-Type": "application/sparql-query",
    Accept: "application/sparql-results+json, text/turtle;q=0.9",
  }
  const response = await request("sparql", { method: "POST", body: text, headers, signal })
  const isTable = response.headers.get("Content-Type").includes("json")
  const found = isTable ? { results: await response.json() } : { turtle: await response.text() }
  return { ...found, milliseconds: performance.now() - begun }
}

/** The events of the server, until the signal; a lost connection is taken up again where it was. */
export async function listen(onEvent, signal) {
  let last
  for (let pause = 500; !signal.aborted; pause = Math.min(2 * pause, 10000)) {
    try {
      const headers = { Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) }
      const response = await request("changes", { headers, signal })
      pause = 500
      for await (const event of events(response.body)) {
        if (event.id) last = event.id
        onEvent(event.name, JSON.parse(event.data))
      }
    } catch (error) {
      if (signal.aborted) return
      onEvent("lost", { detail: error.message })
      if (error.status === 401 || error.status === 404) return
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}

async function* events(body) {
  let text = ""
  for await (const piece of pieces(body.pipeThrough(new TextDecoderStream()))) {
    const blocks = (text + piece).split("\n\n")
    text = blocks.pop()
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s)))
      if (fields.data) yield { name: fields.event, id: fields.id, data: fields.data }
    }
  }
}

async function* pieces(stream) {
  const reader = stream.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value
}

async function detailOf(response) {
  const text = await response.text()
  try {
    return JSON.parse(text).detail ?? text
  } catch {
    return text.trim() || response.statusText
  }
}
