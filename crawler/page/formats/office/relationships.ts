import { readXml } from "../archive/xml.ts"
import type { Zip } from "../archive/zip.ts"

/** Targets of a part's relationships by id (ECMA-376 part 2 §9.3): paths in the archive, or addresses. */
export function readRelationships(files: Pick<Zip, "bytes">, part: string): Map<string, string> {
  const slash = part.lastIndexOf("/")
  const folder = part.slice(0, slash + 1)
  const targets = new Map<string, string>()
  readXml(files.bytes(`${folder}_rels/${part.slice(slash + 1)}.rels`), {
    start(name, { Id: id = "", Target: target = "", TargetMode: mode }) {
      if (name !== "Relationship") return
      const path = mode === "External" ? target : URL.parse(target, `zip:/${folder}`)?.pathname.slice(1)
      if (path !== undefined) targets.set(id, path)
    },
  })
  return targets
}
