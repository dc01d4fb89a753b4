import { execFile } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { describe, expect, test } from "vitest"
import { isHeavyText, isReadableType, sniff } from "../content-type.ts"
import { TEXT_FORMATS } from "./registry.ts"
import { fileOf, read } from "./testing/read-page.ts"

type Name = (typeof TEXT_FORMATS)[number]["name"]

/** For each kind: a file's name, its content, and some words of its text. When you add a kind, add a file here. */
const FILES: Readonly<Record<Name, readonly [name: string, body: string | Uint8Array, words: string]>> = {
  asciidoc: ["safe-modes.adoc", fileOf("safe-modes.adoc"), "Asciidoctor provides security levels"],
  rst: ["connections.rst", fileOf("connections.rst"), "directly to a standard Redis node"],
  "org-mode": ["irc.org", fileOf("irc.org"), "turns Emacs into an IRC client"],
  notebook: ["redis-hashes.ipynb", fileOf("redis-hashes.ipynb"), "how to work with Redis Hashes"],
  openapi: ["openapi.yaml", fileOf("petstore.yaml"), "How many items to return"],
  code: ["pump.py", "def pump():\n    return 'plain words'\n", "def pump()"],
}

describe.each(TEXT_FORMATS.map((format) => [format.name, format] as const))("%s", (name, format) => {
  const [file, body, words] = FILES[name]

  test("is recognised by its name when neither server nor folder gives a specific type", async () => {
    for (const type of ["text/plain", "", "application/octet-stream"]) {
      const page = await read(file, body, type)
      expect(page.type).toBe(name)
      expect(page.markdown).toContain(words)
    }
  })

  test("is downloaded by each of its types, and by its names when the server's type is loose", () => {
    for (const type of format.types) {
      expect(isReadableType(type, "https://x.example/")).toBe(true)
      expect(sniff(type, new Uint8Array(Buffer.from(body)), "https://x.example/")).toEqual({ kind: "text" })
    }
    const names = [...format.extensions.map((ending) => `a.${ending}`), ...(format.fileNames ?? [])]
    for (const type of format.looseTypes ?? []) {
      expect(isReadableType(type, `https://x.example/${names[0]}`)).toBe(true)
      expect(isReadableType(type, "https://x.example/data")).toBe(false)
    }
  })
})

test("every format has its file, and no two claim the same type, extension or name", () => {
  const files = readdirSync(join(import.meta.dirname, "kinds")).filter((file) => file.endsWith(".ts"))
  expect(files).toHaveLength(TEXT_FORMATS.length)
  for (const key of ["types", "extensions", "fileNames"] as const) {
    const claimed = TEXT_FORMATS.flatMap(
      (format) => (format as { [K in typeof key]?: readonly string[] })[key] ?? [],
    )
    expect(claimed).toEqual([...new Set(claimed)])
    expect(claimed).toEqual(claimed.map((one) => one.toLowerCase()))
  }
})

test("listing the formats loads none of their readers", async () => {
  const module = new URL("../content-type.ts", import.meta.url).href
  const watch = `
    import { registerHooks } from "node:module"
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(${JSON.stringify(module)})
    console.log(JSON.stringify(loaded))`
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", watch])
  const loaded = JSON.parse(stdout) as string[]
  expect(loaded).toContainEqual(expect.stringContaining("/texts/kinds/asciidoc.ts"))
  expect(
    loaded.filter((url) => /asciidoctor|\/yaml\/|read-(?:rst|org|code)|notebook\.ts$|markup\//.test(url)),
  ).toEqual([expect.stringContaining("/kinds/notebook.ts")])
})

test("formats with large libraries are read where documents are", () => {
  const isHeavy = (name: Name) => {
    const [file, body] = FILES[name]
    return isHeavyText("text/plain", new Uint8Array(Buffer.from(body)), `https://x.example/${file}`)
  }
  expect(TEXT_FORMATS.map(({ name }) => name).filter(isHeavy)).toEqual(["openapi", "asciidoc"])
})

test("markdown that begins with HTML is markdown, and a script that contains a page is a script", async () => {
  expect(
    await read("guide.md", '<p align="center"><img src="a.png"></p>\n\n# Pumps\n\nText.', ""),
  ).toMatchObject({
    type: "markdown",
    title: "Pumps",
  })
  const script = "<!DOCTYPE html>\n<html><?php\nfunction pump() {\n}\n"
  expect(await read("index.php", script, "")).toMatchObject({ type: "code", title: "index.php" })
})

test("a file that contradicts its name is read as text", async () => {
  expect(await read("broken.ipynb", "{ not JSON")).toMatchObject({ type: "text" })
  expect(await read("openapi.yaml", "name: only settings\n")).toMatchObject({ type: "code" })
})
