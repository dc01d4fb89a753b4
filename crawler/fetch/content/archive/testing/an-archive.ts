import { randomUUID } from "node:crypto"
import { open } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import type { PageUrl } from "#engine"
import { ArchiveContent } from "../archive-content.ts"
import { formatOf } from "../formats.ts"
import { OpenArchives } from "../open-archives.ts"
import { temporaryFolder } from "../../../../testing/crawl-fixture.ts"

export const ADDRESS = "https://nas.example/docs/"
export const ALL = { maxBytes: 1_000_000 }

/** The path of an archive made by another program; files/README.md says which one. */
export const madeBy = (name: string): string => fileURLToPath(new URL(`files/${name}`, import.meta.url))

/** A WARC file of these pages, each in a separate gzip member. */
export function warcOf(pages: Readonly<Record<string, string>>, date = "2026-01-02T03:04:05Z"): Buffer {
  const members = Object.entries(pages).map(([url, html]) => {
    const answer = `HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}`
    const header = [
      "WARC/1.1",
      "WARC-Type: response",
      `WARC-Record-ID: <urn:uuid:${randomUUID()}>`,
      `WARC-Date: ${date}`,
      `WARC-Target-URI: ${url}`,
      "Content-Type: application/http; msgtype=response",
      `Content-Length: ${Buffer.byteLength(answer)}`,
    ]
    return gzipSync(`${header.join("\r\n")}\r\n\r\n${answer}\r\n\r\n`)
  })
  return Buffer.concat(members)
}

/** An archive as a source reads it. */
export class AnArchive implements AsyncDisposable {
  readonly #folder = temporaryFolder()
  readonly #archives: OpenArchives
  readonly content: ArchiveContent

  constructor(path: string) {
    let files = 0
    const scratch = () => open(join(this.#folder.path, `${(files += 1)}`), "wx+")
    this.#archives = new OpenArchives(scratch)
    const options = { path, format: formatOf(path)!, address: ADDRESS, archives: this.#archives }
    this.content = new ArchiveContent(options)
  }

  /** The text of each entry, or why it couldn't be read, by address below {@link ADDRESS}. */
  async read(): Promise<Record<string, string>> {
    const texts: [string, string][] = []
    for await (const entries of this.content.list(this.listing))
      for (const { url } of entries)
        texts.push([decodeURIComponent(url.replace(ADDRESS, "")), await this.textAt(url)])
    return Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  async textAt(url: string): Promise<string> {
    const loaded = await this.content.load(url as PageUrl, ALL)
    if (loaded.kind === "fetched") return Buffer.from(loaded.body).toString()
    return "because" in loaded ? `${loaded.because}: ${"detail" in loaded ? loaded.detail : ""}` : loaded.kind
  }

  /** The note passed on by the last call of `list`. */
  note = ""
  readonly listing = {
    signal: new AbortController().signal,
    onTrouble: async (note: string) => {
      this.note = note
    },
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#archives[Symbol.asyncDispose]()
    this.#folder[Symbol.dispose]()
  }
}
