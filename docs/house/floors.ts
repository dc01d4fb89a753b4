import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { FLOORS, ROOT, roomOf, WINGS } from "./imports.ts"

/** The markers around the tables in docs/architecture.md. */
const BEFORE = "Each floor imports only from itself and from the floors below it:\n"
const BEHIND = "\nA wing is a folder"

/** Updates the tables of floors in the text to the current folders and the first lines of their READMEs. */
export function withFloors(text: string): string {
  const [start, end] = [text.indexOf(BEFORE), text.indexOf(BEHIND)]
  if (start < 0 || end < start)
    throw new Error("docs/architecture.md has lost the sentences around its tables")
  return text.slice(0, start + BEFORE.length) + FLOORS.toReversed().map(floorTable).join("") + text.slice(end)
}

function floorTable(floor: string): string {
  const rows = foldersOf(floor).map((name) => {
    const path = `${floor}/${name}`
    const rooms = WINGS.has(path)
      ? foldersOf(path).filter((room) => roomOf(`${path}/${room}/x`) !== path)
      : []
    return `| [${name}](../${path}/README.md) | ${purposeOf(path)} | ${rooms.join(", ")} |\n`
  })
  return `\n**${floor}**: ${purposeOf(floor)}\n\n| folder | what it is for | rooms in it |\n|---|---|---|\n${rows.join("")}`
}

/** The subfolders that have a README. */
export const foldersOf = (path: string): string[] =>
  readdirSync(join(ROOT, path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(ROOT, path, entry.name, "README.md")))
    .map(({ name }) => name)
    .sort()

/** The text after the folder's name in the first line of its README: `# jobs: runs of sources`. */
function purposeOf(path: string): string {
  const [first = ""] = readFileSync(join(ROOT, path, "README.md"), "utf8").split("\n")
  const at = first.indexOf(": ")
  return at < 0 ? "" : first.slice(at + 2)
}
