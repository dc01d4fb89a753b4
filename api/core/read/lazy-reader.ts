import type { CrawlerConfig, Reader } from "#crawler"
import type { Rereader, RereaderParts } from "#crawler/upkeep/reread/rereader.ts"

/**
 * A reader whose code is loaded when the first page is read: that code makes up a third of this process's code, and
 * many appliances only search.
 */
export function lazyReader(config: CrawlerConfig): Reader {
  let opening: Promise<Reader> | undefined
  const open = (): Promise<Reader> =>
    (opening ??= import("#crawler/fetch/visit/reader.ts").then(({ createReader }) =>
      createReader(config, { purpose: "live" }),
    ))
  return {
    read: async (url, options) => (await open()).read(url, options),
    sitemap: async (site, options) => (await open()).sitemap(site, options),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}

/** A rereader for pages in the index, whose code is loaded in the same way when it is first used. */
export function lazyRereader(parts: RereaderParts): Pick<Rereader, "read" | "readLive"> & AsyncDisposable {
  let opening: Promise<Rereader> | undefined
  const open = (): Promise<Rereader> =>
    (opening ??= import("#crawler/upkeep/reread/rereader.ts").then((room) => new room.Rereader(parts)))
  return {
    read: async (page, options) => (await open()).read(page, options),
    readLive: async (page, options) => (await open()).readLive(page, options),
    async [Symbol.asyncDispose]() {
      await (await opening)?.[Symbol.asyncDispose]()
    },
  }
}
