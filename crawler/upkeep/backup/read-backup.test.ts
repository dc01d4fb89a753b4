import { assert, asyncProperty, integer, nat } from "fast-check"
import { execFileSync, execSync } from "node:child_process"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { ExportFileError } from "#engine/lifecycle/move/format/export-file-error.ts"
import { aPage, urlOf } from "#engine/testing/pages.ts"
import { BackupFileError } from "./backup-format.ts"
import { verifyBackup } from "./read-backup.ts"
import { Folders, SmallAppliance } from "./testing/small-appliance.ts"

const BLOCK = 512
/** The position of the checksum in a header. */
const CHECKSUM = { from: 148, to: 156 }

const folders = new Folders()
const file = folders.at("backup.tar")
let whole: Buffer

beforeAll(async () => {
  await using appliance = await SmallAppliance.open(folders.at("data"))
  await appliance.engine.index([aPage("a"), aPage("b")])
  await appliance.engine.settled()
  const images = [{ url: "https://docs.example.com/a.png", description: null }]
  await appliance.lookAtImages({ url: urlOf("a"), images })
  await appliance.backUp(file)
  whole = readFileSync(file)
})
afterAll(() => {
  folders[Symbol.dispose]()
})

/** The result of verifying a backup with these bytes. */
async function verified(bytes: Uint8Array | string): Promise<string> {
  const changed = folders.at("changed.tar")
  writeFileSync(changed, bytes)
  try {
    await verifyBackup(changed)
    return "sound"
  } catch (error) {
    if (error instanceof BackupFileError || error instanceof ExportFileError) return error.code
    throw error
  }
}

/** The positions of the header and the file that a byte belongs to; `null` after the last file. */
function entryAt(at: number): { readonly header: number; readonly end: number } | null {
  for (let header = 0; whole[header] !== 0;) {
    const size = Number.parseInt(whole.toString("latin1", header + 124, header + 135), 8)
    const end = header + BLOCK + size
    const next = Math.ceil(end / BLOCK) * BLOCK
    if (at < next) return { header, end }
    header = next
  }
  return null
}

/** Whether a byte is padding: between the end of a file and the end of its block. */
function isPadding(at: number): boolean {
  const entry = entryAt(at)
  return entry !== null && at >= entry.end
}

/**
 * Whether a change leaves an archive's meaning intact: it affects padding, or the checksum of a header. The checksum
 * doesn't cover itself, and its number can be written in several ways: with blanks instead of leading zeros, or with
 * anything after its NUL. The empty blocks at the end are recognised by all their bytes except those of the checksum.
 */
function changesNothing(changed: Buffer, at: number): boolean {
  if (isPadding(at)) return true
  const entry = entryAt(at)
  const header = entry?.header ?? at - (at % BLOCK)
  if (at < header + CHECKSUM.from || at >= header + CHECKSUM.to) return false
  if (entry === null) return true
  const numberIn = (bytes: Buffer) =>
    Number.parseInt(
      bytes.toString("utf8", header + CHECKSUM.from, header + CHECKSUM.to).replace(/^[ \0]+/, ""),
      8,
    )
  return numberIn(changed) === numberIn(whole)
}

test("a backup is a plain tar file, with checksums as from sha256sum", () => {
  const list = execFileSync("tar", ["tf", file], { encoding: "utf8" }).trim().split("\n")
  expect(list).toEqual(["manifest.json", "state.db", "index/00000001", "images/01/1.webp", "SHA256SUMS"])
  const out = folders.at("unpacked")
  mkdirSync(out)
  execFileSync("tar", ["xf", file, "-C", out])
  expect(execSync("sha256sum -c SHA256SUMS", { cwd: out, encoding: "utf8" })).toContain("state.db: OK")
})

test("a complete backup is valid", async () => {
  expect(await verified(whole)).toBe("sound")
  expect(await verifyBackup(file)).toMatchObject({
    format: 1,
    engine: "embedded",
    pages: 2,
    exportedPages: 2,
  })
})

test("a changed byte anywhere is detected", async () => {
  await assert(
    asyncProperty(nat(whole.length - 1), integer({ min: 1, max: 255 }), async (at, flip) => {
      const changed = Buffer.from(whole)
      changed[at] = changed[at]! ^ flip
      const found = await verified(changed)
      expect(found === "sound").toBe(changesNothing(changed, at))
    }),
    // The last byte of a checksum is never read; in its first byte, a zero and a blank are the same.
    {
      numRuns: 150,
      examples: [
        [CHECKSUM.to - 1, 1],
        [CHECKSUM.from, 0x30 ^ 0x20],
        [CHECKSUM.from + 3, 1],
        [whole.length - 2 * BLOCK + CHECKSUM.from, 1],
        [whole.length - BLOCK + CHECKSUM.to, 1],
      ],
    },
  )
  expect(await verified(whole)).toBe("sound")
})

test("a truncation anywhere is detected", async () => {
  // The last file is followed by empty blocks, which only tapes needed.
  await assert(
    asyncProperty(nat(whole.length - 2 * BLOCK - 1), async (length) => {
      const found = await verified(whole.subarray(0, length))
      expect(["TRUNCATED", "NOT_A_BACKUP", "DAMAGED", isPadding(length) ? "sound" : ""]).toContain(found)
    }),
    { numRuns: 100 },
  )
  expect(await verified(whole)).toBe("sound")
})

test("other files, and backups from a newer Fossick, are rejected with what they are", async () => {
  expect(await verified("")).toBe("NOT_A_BACKUP")
  expect(await verified("something else altogether, and long enough ".repeat(50))).toBe("NOT_A_BACKUP")
  const tarOf = (name: string, text: string) => {
    const folder = folders.at(`tar-of-${name}`)
    mkdirSync(folder)
    writeFileSync(`${folder}/${name}`, text)
    return execFileSync("tar", ["c", "--format=ustar", "-C", folder, name])
  }
  expect(await verified(tarOf("diary.txt", "nothing of note"))).toBe("NOT_A_BACKUP")
  const manifest = { format: 2, fossick: "9.0.0" }
  expect(await verified(tarOf("manifest.json", JSON.stringify(manifest)))).toBe("FORMAT_TOO_NEW")
})

test("an entry that does not belong in a backup is rejected, wherever it points", async () => {
  mkdirSync(folders.at("unpacked-again"))
  execFileSync("tar", ["xf", file, "-C", folders.at("unpacked-again")])
  writeFileSync(folders.at("unpacked-again/evil.sh"), "true")
  const names = ["manifest.json", "state.db", "evil.sh", "index/00000001", "SHA256SUMS"]
  const made = execFileSync("tar", ["c", "--format=ustar", "-C", folders.at("unpacked-again"), ...names])
  expect(await verified(made)).toBe("DAMAGED")
})
