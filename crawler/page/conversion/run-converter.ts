import { spawn } from "node:child_process"
import { lstat, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { becomes, type LegacyFormat } from "../formats/legacy-office.ts"
import { PROFILE } from "./profile.ts"

/** The converted file, or why it was not converted. */
export type Conversion =
  | { readonly kind: "converted"; readonly body: Uint8Array<ArrayBuffer> }
  | { readonly kind: "unreadable" | "crashed" | "timeout" | "too-large" | "closed"; readonly detail: string }

/** Address space that LibreOffice uses before it opens a file: version 7.4 used 470 MB with a small file, of which 220 MB were resident. */
const OWN_MEMORY_MB = 500
/** Maximum number of bytes that LibreOffice may write to one file. Archives are read up to 128 MB unpacked. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_STDERR = 2000

/**
 * Limits the resources of everything that the script starts, cuts it off from the network if the system lets every user
 * do that, and gives other processes priority over it. The line that runs in the background kills the process group
 * when the process that started the script exits, because that closes its end of the pipe.
 */
const SCRIPT = `
memory=$1 seconds=$2 blocks=$3; shift 3
ulimit -c 0; ulimit -t "$seconds"; ulimit -f "$blocks"; ulimit -v "$memory" 2>/dev/null
(read -r _ <&3; kill -s KILL 0) >/dev/null 2>&1 &
exec 3<&-
if unshare -rn true 2>/dev/null; then set -- unshare -rn "$@"; fi
exec nice -n 19 "$@"
`
const FILTERS: Readonly<Record<LegacyFormat, string>> = {
  doc: "docx:MS Word 2007 XML",
  xls: "xlsx:Calc MS Excel 2007 XML",
  ppt: "pptx:Impress MS PowerPoint 2007 XML",
}

/** The time and memory that a program may use, and the signal with which its caller ends it. */
export interface ConversionLimits {
  readonly timeoutMs: number
  /** Memory for the file in megabytes, in addition to the program's own. */
  readonly memoryMb: number
  readonly signal?: AbortSignal | undefined
}

/**
 * Converts a file in a temporary folder, which is also the program's home and profile and is removed afterwards.
 * @param program the path of LibreOffice's `soffice`
 */
export async function runConverter(
  program: string,
  format: LegacyFormat,
  body: Uint8Array,
  limits: ConversionLimits,
): Promise<Conversion> {
  const folder = await mkdtemp(join(tmpdir(), "fossick-office-"))
  try {
    const profile = join(folder, "profile")
    const input = join(folder, `document.${format}`)
    const outputs = join(folder, "converted")
    await mkdir(join(profile, "user"), { recursive: true })
    await writeFile(join(profile, "user", "registrymodifications.xcu"), PROFILE)
    await writeFile(input, body)
    const options = ["--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo"]
    const work = ["--convert-to", FILTERS[format], "--outdir", outputs, input]
    const profileUrl = pathToFileURL(profile).href
    const command = [program, ...options, `-env:UserInstallation=${profileUrl}`, ...work]
    const end = await ended(command, folder, limits)
    if (typeof end !== "string") return end
    const output = join(outputs, `document.${becomes(format)}`)
    // A link would lead to a file that the document's author has no right to read.
    const found = await lstat(output).catch(() => null)
    if (found?.isFile() !== true) return { kind: "unreadable", detail: end }
    if (found.size > MAX_BYTES)
      return { kind: "too-large", detail: `LibreOffice converted it to ${found.size} bytes` }
    return { kind: "converted", body: await readFile(output) }
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** Runs the program to its end. If the program ended, returns its output as a string, to explain a missing output file. */
function ended(
  command: readonly string[],
  folder: string,
  { timeoutMs, memoryMb, signal }: ConversionLimits,
): Promise<string | Exclude<Conversion, { kind: "converted" }>> {
  const seconds = Math.ceil(timeoutMs / 1000)
  const numbers = [(OWN_MEMORY_MB + memoryMb) * 1024, seconds, MAX_BYTES / 512].map(String)
  return new Promise((resolve) => {
    const child = spawn("/bin/sh", ["-c", SCRIPT, "sh", ...numbers, ...command], {
      cwd: folder,
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: folder, TMPDIR: folder, LANG: "C.UTF-8" },
      // The program gets its own process group, so that everything it starts is killed with it.
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    })
    let cause: Exclude<Conversion, { kind: "converted" }> | null = null
    let stderr = ""
    const kill = () => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
      } catch {
        // All processes of the group have already ended.
      }
    }
    const stop = (why: NonNullable<typeof cause>) => {
      cause ??= why
      kill()
    }
    const abort = () => {
      stop({ kind: "closed", detail: "the caller stopped waiting" })
    }
    const timer = setTimeout(() => {
      stop({ kind: "timeout", detail: `LibreOffice took more than ${timeoutMs} ms to convert it` })
    }, timeoutMs)
    signal?.addEventListener("abort", abort, { once: true })
    child.stderr?.on("data", (data: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += data.toString()
    })
    child.once("error", ({ message }) => {
      stop({ kind: "crashed", detail: `LibreOffice could not be started: ${message}` })
      if (child.pid === undefined) finish(null, null)
    })
    // Kills the rest of the group, such as the background line that is waiting for the end of this process.
    child.once("exit", kill)
    child.once("close", finish)
    if (signal?.aborted) abort()

    function finish(code: number | null, by: NodeJS.Signals | null) {
      clearTimeout(timer)
      signal?.removeEventListener("abort", abort)
      if (cause !== null) resolve(cause)
      else if (code === 0)
        resolve("LibreOffice can't open it: it is damaged, password protected, or needs too much memory")
      else {
        const how = by === null ? `with code ${code}` : `by ${by}`
        const said = stderr.trim().split("\n").at(-1) ?? ""
        const words = `LibreOffice exited ${how} while converting the file`
        resolve({ kind: "crashed", detail: said === "" ? words : `${words}: ${said.slice(0, 200)}` })
      }
    }
  })
}
