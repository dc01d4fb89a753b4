import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { isMap, isSeq, parseDocument, Scalar, visit } from "yaml"
import { SourcesFileError, parseSources } from "../../sources/file/sources-file.ts"
import { FORMAT, sourceNode, sourceYaml } from "../../sources/file/source-yaml.ts"
import type { SourceSpec } from "../../source.ts"

/**
 * The text of a sources file with one more source at the end of its list; comments and everything else stay unchanged.
 * @param file its name, for messages
 * @throws SourcesFileError when the file is invalid, before or after the change.
 */
export function withSource(text: string, file: string, source: SourceSpec, note: string): string {
  if (text.trim() === "") return sourceYaml(source, note)
  const document = parseDocument(text, { merge: true })
  if (document.errors.length > 0) parseSources(text, file)
  if (document.contents === null) return `${text.trimEnd()}\n\n${sourceYaml(source, note)}`
  const isJson = text.trimStart().startsWith("{")
  // Errors that were already in the file are reported with their own lines, before anything is written.
  if (!isMap(document.contents) || document.has("sources")) parseSources(text, file)
  const list = document.get("sources", true)
  if (!isSeq(list)) document.set("sources", document.createNode([]))
  const sources = document.get("sources", true)
  if (!isSeq(sources))
    throw new SourcesFileError(file, [{ place: null, text: 'has no list of sources under "sources:"' }])
  if (sources.items.length === 0 && !isJson) sources.flow = false
  const node = sourceNode(document, source, note)
  if (sources.flow === true) {
    node.flow = true
    node.commentBefore = null
  } else if (sources.items.length > 0) node.spaceBefore = true
  if (isJson) {
    visit(node, {
      Scalar: (_, scalar) => {
        if (typeof scalar.value === "string") scalar.type = Scalar.QUOTE_DOUBLE
      },
    })
  }
  sources.add(node)
  const added = document.toString(FORMAT)
  parseSources(added, file)
  return added
}

/** Adds a source to the file, creating it if needed. @throws SourcesFileError, without having written anything */
export function appendSource(file: string, source: SourceSpec, note: string): void {
  const text = existsSync(file) ? readFileSync(file, "utf8") : ""
  const added = withSource(text, file, source, note)
  const beside = `${file}.new`
  writeFileSync(beside, added)
  renameSync(beside, file)
}
