// Writes ../built from the sources here. With a folder as argument, writes there: for a test that compares the two.

import { build } from "esbuild"
import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const here = dirname(fileURLToPath(import.meta.url))
const target = process.argv[2] ?? join(here, "..", "built")
mkdirSync(target, { recursive: true })

const result = await build({
  absWorkingDir: here,
  entryPoints: { workbench: "main.js" },
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  target: ["es2022"],
  legalComments: "none",
  loader: { ".css": "text" },
  metafile: true,
})
await build({ absWorkingDir: here, entryPoints: { workbench: "style.css" }, outdir: target, minify: true })
writeFileSync(join(target, "index.html"), readFileSync(join(here, "index.html")))
writeFileSync(join(target, "licences.txt"), licences(Object.keys(result.metafile.inputs)))
writeFileSync(join(target, "sources.json"), JSON.stringify(digests(), null, 2) + "\n")

/** The licences of the packages that the page is made with. */
function licences(inputs) {
  const names = new Set(inputs.flatMap((path) => path.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/)?.[1] ?? []))
  const texts = [...names].sort().map((name) => {
    const folder = join(here, "node_modules", name)
    const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}\n`
  })
  return texts.join(`\n${"-".repeat(80)}\n\n`)
}

/** The SHA-256 of each source, so that a test without npm sees whether the page is that of its sources. */
function digests() {
  const names = readdirSync(here).filter((name) => /\.(js|mjs|css|html|json)$/.test(name)).sort()
  return Object.fromEntries(
    names.map((name) => [name, createHash("sha256").update(readFileSync(join(here, name))).digest("hex")]),
  )
}
