import { FLOORS, type Import, importsOf, roomOf, sourceFiles } from "./imports.ts"

/** Side of a cell, and the margins around the cells, in units of the image. */
const CELL = 12
const LEFT = 170
const RIGHT = 190
const TOP = 34
const GAP = 6

const COLOURS: Readonly<Record<string, string>> = {
  base: "#6b7280",
  engine: "#2563eb",
  crawler: "#15803d",
  api: "#b45309",
  faces: "#be185d",
  command: "#7c3aed",
}

/**
 * The rooms of the project and what each imports, as an image: a design structure matrix (Steward 1981). Row and column
 * n are the same room; a mark means that the row's room imports the column's. Rooms are ordered so that a room's
 * imports come before it: a mark above the diagonal would be a cycle.
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
  // Leave a gap between floors so that they are easy to tell apart.
  const floors = rooms.map((room) => floorOf(room))
  const at = rooms.map((_, index) => index * CELL + GAP * new Set(floors.slice(0, index + 1)).size)
  const size = (at.at(-1) ?? 0) + CELL
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${LEFT + size + RIGHT} ${TOP + size + 10}" font-family="sans-serif" font-size="10.5">`,
    `<title>What each room of the code imports</title>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${LEFT}" y="20" font-size="14" fill="#111827">A mark in a row means that its room imports the room of the column. All marks are left of the diagonal: there are no cycles.</text>`,
  ]
  for (const [row, room] of rooms.entries()) {
    const y = TOP + (at[row] ?? 0)
    const x = LEFT + (at[row] ?? 0)
    const colour = COLOURS[floorOf(room)]
    lines.push(
      `<text x="${LEFT - 4}" y="${y + 10}" text-anchor="end" fill="${colour}">${room}</text>`,
      `<rect x="${LEFT}" y="${y}" width="${x - LEFT + CELL - 1}" height="${CELL - 1}" fill="${row % 2 === 0 ? "#f3f4f6" : "#f9fafb"}"/>`,
      `<rect x="${x}" y="${y}" width="${CELL - 1}" height="${CELL - 1}" fill="${colour}"/>`,
      `<text x="${x + CELL + 3}" y="${y + 10}" fill="${colour}">${room.split("/").at(-1)}</text>`,
    )
  }
  for (const floor of FLOORS) {
    const from = at[floors.indexOf(floor)] ?? 0
    lines.push(
      `<text x="${LEFT + Math.min(from + 170, size + 40)}" y="${TOP + from + 24}" font-size="26" font-weight="bold" fill="${COLOURS[floor]}">${floor}</text>`,
    )
  }
  for (const pair of [...pairs].sort()) {
    const [from = "", to = ""] = pair.split(" ")
    const [row, column] = [at[place.get(from) ?? 0] ?? 0, at[place.get(to) ?? 0] ?? 0]
    const side = CELL - 4
    lines.push(
      `<rect x="${LEFT + column + 1.5}" y="${TOP + row + 1.5}" width="${side}" height="${side}" fill="${COLOURS[floorOf(to)]}"><title>${from} imports ${to}</title></rect>`,
    )
  }
  return `${lines.join("\n")}\n</svg>\n`
}

const floorOf = (room: string): string => room.split("/")[0] ?? ""

/** Ordered by floor; within a floor each room comes after those it imports, otherwise by name. */
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
