import { execFileSync, spawnSync } from "node:child_process"
import { chmodSync, chownSync, lstatSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { EVERYBODY, mayRead, NOBODY, type Readers } from "#engine/index/page/readers.ts"
import { temporaryFolder } from "../../../testing/crawl-fixture.ts"
import { AccountNames } from "./account-names.ts"
import { FolderReaders } from "./folder-readers.ts"
import { readersByMode, READ } from "./modes.ts"
import { readReadersFile } from "./readers-file.ts"

const names = new AccountNames()

/** A folder with these files, and a function that reads who may read them. */
async function aFolder(files: Readonly<Record<string, string>>, byModes = false) {
  const folder = temporaryFolder()
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder.path, path)), { recursive: true })
    writeFileSync(join(folder.path, path), text)
  }
  const troubles: string[] = []
  return {
    path: (name: string) => join(folder.path, name),
    troubles,
    async readers(path: string): Promise<Readers> {
      const options = { byModes, onTrouble: (trouble: string) => void troubles.push(trouble) }
      const all = await FolderReaders.ofWalk(folder.path, options)
      return await all.of(path.split("/"), lstatSync(join(folder.path, path)))
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

describe("a readers file", () => {
  test("applies to its folder and everything below, and narrows the rules of folders above it", async () => {
    using folder = await aFolder({
      ".fossick-readers.yaml": "allow: group:Staff\n",
      "a.md": "",
      "hr/.fossick-readers.yaml": "deny: [group:interns]\nfiles: { pay.md: { allow: [user:anna] } }\n",
      "hr/pay.md": "",
      "hr/more/b.md": "",
    })
    const staff = { allow: [["group:staff"]], deny: [] }
    expect(await folder.readers("a.md")).toEqual(staff)
    expect(await folder.readers("hr/more/b.md")).toEqual({ ...staff, deny: ["group:interns"] })
    expect(await folder.readers("hr/pay.md")).toEqual({
      allow: [["group:staff"], ["user:anna"]],
      deny: ["group:interns"],
    })
    expect(folder.troubles).toEqual([])
  })

  test.each([
    ["nothing, as while it is written", ""],
    ["a list", "- group:hr"],
    ["a field that is none", "alow: [group:hr]"],
    ["a name that is none", "allow: [hr]"],
    ["a denial that is none", "deny: [interns]"],
    ["no YAML", "allow: [group:hr"],
    ["a field twice", "allow: [group:hr]\nallow: [group:it]"],
    ["a wrong file", "files: { a.md: { allow: [hr] } }"],
    ["aliases", "allow: &a [group:hr]\ndeny: *a"],
  ])("with %s lets nobody read what is below", async (_, text) => {
    const { below, problem } = await readReadersFile(Buffer.from(text))
    expect(below).toEqual(NOBODY)
    expect(problem).not.toBeNull()
  })

  test("that isn't a file or isn't text lets nobody read what is below, and the operator is notified", async () => {
    using folder = await aFolder({ "a/x.md": "", "b/x.md": "", "elsewhere.yaml": "allow: signed-in" })
    symlinkSync(folder.path("elsewhere.yaml"), folder.path("a/.fossick-readers.yaml"))
    writeFileSync(folder.path("b/.fossick-readers.yaml"), Buffer.from([0xff, 0xfe]))
    expect([await folder.readers("a/x.md"), await folder.readers("b/x.md")]).toEqual([NOBODY, NOBODY])
    expect(folder.troubles).toEqual([
      "a/.fossick-readers.yaml (it cannot be read, ELOOP)",
      expect.stringContaining("b/.fossick-readers.yaml"),
    ])
  })
})

describe("a file mode", () => {
  const allowed = async (mode: number) =>
    await readersByMode({ mode, uid: 4_001, gid: 4_002 }, "none", READ, names)
  test.each([
    [0o644, EVERYBODY],
    [0o640, { allow: [["user:uid-4001", "group:gid-4002"]], deny: [] }],
    [0o600, { allow: [["user:uid-4001"]], deny: [] }],
    [0o000, NOBODY],
    // The kernel uses the first matching entry and no other.
    [0o604, { allow: [], deny: ["group:gid-4002"] }],
    [0o040, { allow: [["group:gid-4002"]], deny: ["user:uid-4001"] }],
  ])("%o grants access to the users it names", async (mode, readers) => {
    expect(await allowed(mode)).toEqual(readers)
  })

  test("grants nobody else access when an unseen ACL may be hidden behind it", async () => {
    const known = { mode: 0o666, uid: 0, gid: 0 }
    expect(await readersByMode(known, "unknown", READ, names)).toEqual({ allow: [["user:root"]], deny: [] })
  })
})

test(
  "makes a page readable by exactly those whom the kernel lets read the file",
  { tags: ["acl", "root"] },
  async () => {
    const users = [5001, 5002, 5003]
    const groups = [6001, 6002]
    using folder = await aFolder({ "d/odd ü\nname.md": "text", "d/b.md": "text", "d/c.md": "text" }, true)
    const setfacl = (what: string, path: string) => execFileSync("setfacl", ["-m", what, folder.path(path)])
    const paths = ["d/odd ü\nname.md", "d/b.md", "d/c.md"]
    for (const path of [...paths, "d"]) chownSync(folder.path(path), 5001, 6001)
    chmodSync(folder.path("."), 0o755)
    const changes: (() => void)[] = [
      () => chmodSync(folder.path("d"), 0o750),
      () => chmodSync(folder.path("d/b.md"), 0o640),
      // A mask that limits a group whose bits are no longer shown in the mode.
      () => setfacl("u:5002:r,g::-,g:6002:r", "d/c.md"),
      () => setfacl("u:5003:r,m::-", "d/odd ü\nname.md"),
      () => setfacl("g:6002:x,u:5003:-", "d"),
      () => setfacl("o::r,g:6002:-", "d/c.md"),
      () => chmodSync(folder.path("d"), 0o711),
    ]
    for (const change of changes) {
      change()
      for (const path of paths) {
        const readers = await folder.readers(path)
        for (const uid of users)
          for (const own of [[], [6001], [6002], groups]) {
            const who = new Set([`user:uid-${uid}`, ...own.map((gid) => `group:gid-${gid}`)])
            const may = mayRead(who, readers)
            const opened = opens(folder.path(path), uid, own)
            // If others may read and a group may not, the group's denial outweighs everything else here.
            const isDenied = readers.deny.some((one) => one.startsWith("group:") && who.has(one))
            expect([path, uid, own, may]).toEqual([path, uid, own, opened && !isDenied])
          }
      }
    }
  },
)

/** Whether the kernel lets a process with these numbers open a file. */
function opens(path: string, uid: number, groups: readonly number[]): boolean {
  const lists = groups.length === 0 ? ["--clear-groups"] : [`--groups=${groups.join(",")}`]
  const ids = [`--reuid=${uid}`, "--regid=65534", ...lists]
  return spawnSync("setpriv", [...ids, "cat", path]).status === 0
}
