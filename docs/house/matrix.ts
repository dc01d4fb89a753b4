import { FLOORS, type Import, importsOf, roomOf, sourceFiles } from "./imports.ts"

const CELL = 15
const LABEL = 190
const COLOURS: Readonly<Record<string, string>> = {
  base: "#6b7280",
  engine: "#2563eb",
  crawler: "#15803d",
  api: "#b45309",
  command: "#7c3aed",
}

/**
 * The rooms of the house and what each imports, as a picture: a design structure matrix (Steward 1981). Row and column
 * n are the same room; a mark says that the row's room imports the column's. Rooms stand so that all they import comes
 * before them: a mark above the diagonal would be a circle.
 */
export function drawMatrix(): string {
  const files = sourceFiles()
  const imports = importsOf(files)
  const rooms = roomsInOrder(files, imports)
  const place = new Map(rooms.map((room, index) => [room, index]))
  const pairs = new Set<string>()
  for (const { from, to } of imports) {
    const [a, b] = [roomOf(from), roomOf(to)]
    if (a !== b) pairs.add(`${a} ${b}`)
  }
  const size = rooms.length * CELL
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LABEL + size + 10} ${size + 60}" font-family="sans-serif" font-size="10">`,
    `<title>What each room of the code imports</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${LABEL}" y="20" font-size="12" fill="#111827">A mark in a row: the room of this row imports the room of this column. Nothing lies right of the diagonal.</text>`,
  ]
  for (const [row, room] of rooms.entries()) {
    const floor = room.split("/")[0] ?? ""
    const y = 40 + row * CELL
    lines.push(
      `<text x="${LABEL - 6}" y="${y + 11}" text-anchor="end" fill="${COLOURS[floor]}">${room}</text>`,
      `<rect x="${LABEL}" y="${y}" width="${(row + 1) * CELL}" height="${CELL - 1}" fill="${row % 2 === 0 ? "#f3f4f6" : "#f9fafb"}"/>`,
      `<rect x="${LABEL + row * CELL}" y="${y}" width="${CELL - 1}" height="${CELL - 1}" fill="${COLOURS[floor]}"/>`,
    )
  }
  for (const pair of [...pairs].sort()) {
    const [from = "", to = ""] = pair.split(" ")
    const [row, column] = [place.get(from) ?? 0, place.get(to) ?? 0]
    const side = CELL - 5
    const offset = 2
    lines.push(
      `<rect x="${LABEL + column * CELL + offset}" y="${40 + row * CELL + offset}" width="${side}" height="${side}" fill="${COLOURS[to.split("/")[0] ?? ""]}"><title>${from} imports ${to}</title></rect>`,
    )
  }
  return `${lines.join("\n")}\n</svg>\n`
}

/** Floor by floor; within a floor each room after those it imports, else by name. */
function roomsInOrder(files: readonly string[], imports: readonly Import[]): string[] {
  const rooms = [...new Set(files.map(roomOf))].sort()
  const needs = new Map(rooms.map((room) => [room, new Set<string>()]))
  for (const { from, to } of imports)
    if (roomOf(from) !== roomOf(to)) needs.get(roomOf(from))?.add(roomOf(to))
  const placed: string[] = []
  const place = (room: string): void => {
    if (placed.includes(room)) return
    placed.push(room)
    const at = placed.length - 1
    for (const need of [...(needs.get(room) ?? [])].sort()) place(need)
    placed.push(...placed.splice(at, 1))
  }
  for (const floor of FLOORS) for (const room of rooms) if (room.startsWith(`${floor}/`)) place(room)
  return placed
}
