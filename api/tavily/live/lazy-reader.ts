import type { CrawlerConfig, Reader } from "#crawler"

/**
 * A reader that is loaded with the first page: what reading needs is a third of this process's code, and many an
 * appliance only searches.
 */
export function lazyReader(config: CrawlerConfig): Reader {
  let opening: Promise<Reader> | undefined
  const open = (): Promise<Reader> =>
    (opening ??= import("#crawler/visit/reader.ts").then(({ createReader }) =>
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
