import { spawn } from "node:child_process"
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { KnownAddresses } from "../../crawl/frontier/known-addresses.ts"
import { CrawlFixture, temporaryFolder, testConfig } from "../../testing/crawl-fixture.ts"
import { docx, wordParagraph } from "../../testing/documents.ts"
import { article, bytes, startTestSite } from "../../testing/test-site.ts"
import { OfficeConverter } from "./office-converter.ts"
import { runConverter } from "./run-converter.ts"

// Shell scripts replace LibreOffice here; legacy-office.test.ts uses the real one.

const WORD = readFileSync(join(import.meta.dirname, "testing/files/Word6.doc"))
const PROSE = "The pump stands on a level floor, and its inlet is below the water, so that it draws no air."
const POSIX = { tags: ["posix"] }

/** A script that runs in place of LibreOffice; `$OUT` is the folder for its output. */
function standIn(folder: string, script: string): string {
  const path = join(folder, "soffice")
  const options = `while [ $# -gt 1 ]; do if [ "$1" = --outdir ]; then OUT=$2; fi; shift; done`
  writeFileSync(path, `#!/bin/sh\n${options}\nmkdir -p "$OUT"\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

const isRunning = (pid: number): boolean => {
  try {
    // Outside Linux, a process that has ended but has not been waited for still counts as running.
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}
const pidIn = (file: string): number => Number(readFileSync(file, "utf8"))

test(
  "without a converter, the outcome names what to install, and the file is read once it is there",
  POSIX,
  async () => {
    await using site = await startTestSite({
      "/": article("Pumps", { links: ["/old.doc"] }),
      "/old.doc": bytes(WORD, { "content-type": "application/msword", etag: '"1"' }),
    })
    await using fixture = await CrawlFixture.open()
    using folder = temporaryFolder()
    const source = { name: "pumps", seeds: [site.url("/")] }
    const crawl = async (converter: string) => {
      await fixture.crawl(source, { config: testConfig({ FOSSICK_OFFICE_CONVERTER: converter }) })
      const known = await new KnownAddresses(fixture.db).get(site.url("/old.doc") as never)
      return [known?.outcome, known?.detail]
    }
    expect(await crawl("off")).toEqual([
      "skipped:unsupported-type",
      "an Office file in a format from before 2007; FOSSICK_OFFICE_CONVERTER is off",
    ])
    expect((await crawl(join(folder.path, "soffice")))[1]).toMatch(/soffice, which isn't a program$/)

    const made = join(folder.path, "made.docx")
    writeFileSync(made, docx(wordParagraph(PROSE), { title: "A letter" }))
    const program = standIn(folder.path, `env > ${folder.path}/env; cp ${made} "$OUT/document.docx"`)
    expect((await crawl(program))[0]).toBe("indexed")
    const page = [...fixture.engine.pages.values()].find(({ url }) => url === site.url("/old.doc"))
    expect(page).toMatchObject({ title: "A letter", markdown: expect.stringContaining(PROSE) })

    const names = readFileSync(join(folder.path, "env"), "utf8").match(/^\w+(?==)/gm) ?? []
    expect(names.filter((name) => !["PWD", "OLDPWD", "SHLVL", "_", "OUT"].includes(name)).toSorted()).toEqual(
      ["HOME", "LANG", "PATH", "TMPDIR"],
    )
  },
)

test(
  "a hung converter is killed with all its child processes, and its folder is deleted",
  POSIX,
  async () => {
    using folder = temporaryFolder()
    const [pid, home] = [join(folder.path, "pid"), join(folder.path, "home")]
    const program = standIn(
      folder.path,
      `sleep 1000 & printf %s "$HOME" > ${home}; echo $! > ${pid}.new; mv ${pid}.new ${pid}; wait`,
    )
    const giveUp = new AbortController()
    const given = runConverter(program, "doc", WORD, {
      timeoutMs: 600_000,
      memoryMb: 500,
      signal: giveUp.signal,
    })
    await expect.poll(() => existsSync(pid)).toBe(true)
    giveUp.abort()
    expect(await given).toEqual({ kind: "closed", detail: "the caller stopped waiting" })
    await expect.poll(() => isRunning(pidIn(pid))).toBe(false)
    expect(existsSync(readFileSync(home, "utf8"))).toBe(false)

    expect(await runConverter(program, "doc", WORD, { timeoutMs: 1, memoryMb: 500 })).toEqual({
      kind: "timeout",
      detail: "LibreOffice took more than 1 ms to convert it",
    })
  },
)

test("a hung converter dies with the process that started it", POSIX, async () => {
  using folder = temporaryFolder()
  const pid = join(folder.path, "pid")
  const program = standIn(folder.path, `sleep 1000 & echo $! > ${pid}.new; mv ${pid}.new ${pid}; wait`)
  const code = `
    import { runConverter } from ${JSON.stringify(join(import.meta.dirname, "run-converter.ts"))}
    await runConverter(${JSON.stringify(program)}, "doc", Buffer.from("x"), { timeoutMs: 600_000, memoryMb: 500 })`
  const parent = spawn(process.execPath, ["--input-type=module-typescript", "-e", code], {
    env: { ...process.env, TMPDIR: folder.path },
    stdio: ["ignore", "ignore", "inherit"],
  })
  await expect.poll(() => existsSync(pid)).toBe(true)
  parent.kill("SIGKILL")
  await expect.poll(() => isRunning(pidIn(pid))).toBe(false)
})

test("a converter that fails, creates no file or creates a link gives the reason", POSIX, async () => {
  using folder = temporaryFolder()
  const limits = { timeoutMs: 600_000, memoryMb: 500 }
  const run = async (script: string) => await runConverter(standIn(folder.path, script), "doc", WORD, limits)
  expect(await run("echo out of memory >&2; exit 77")).toEqual({
    kind: "crashed",
    detail: "LibreOffice exited with code 77 while converting the file: out of memory",
  })
  expect(await run("kill -SEGV $$")).toMatchObject({
    kind: "crashed",
    detail: expect.stringContaining("by SIGSEGV"),
  })
  const unreadable = {
    kind: "unreadable",
    detail: "LibreOffice can't open it: it is damaged, password protected, or needs too much memory",
  }
  expect(await run("exit 0")).toEqual(unreadable)
  expect(await run(`ln -s /etc/passwd "$OUT/document.docx"`)).toEqual(unreadable)
})

test("files are converted one at a time, and waiting ones do not start after closing", POSIX, async () => {
  using folder = temporaryFolder()
  const log = join(folder.path, "log")
  const program = standIn(folder.path, `echo begun >> ${log}; sleep 1000`)
  const converter = new OfficeConverter({ configured: program, timeoutMs: 600_000, memoryMb: 500 })
  const signal = new AbortController().signal
  const all = Promise.all([1, 2, 3].map(async () => await converter.convert("doc", WORD, signal)))
  await expect.poll(() => existsSync(log)).toBe(true)
  await converter[Symbol.asyncDispose]()
  expect((await all).map(({ kind }) => kind)).toEqual(["closed", "closed", "closed"])
  expect(readFileSync(log, "utf8")).toBe("begun\n")
})
