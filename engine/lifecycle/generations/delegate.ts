import type { Engine } from "../../engine.ts"

/** Makes every part of an engine a separate property, so that each can be replaced. */
export function delegate(engine: Engine): Engine {
  return {
    supports: engine.supports,
    index: (pages) => engine.index(pages),
    load: (pages) => engine.load(pages),
    remove: (urls) => engine.remove(urls),
    search: (query, options) => engine.search(query, options),
    facets: (query, options) => engine.facets(query, options),
    suggest: (query) => engine.suggest(query),
    get: (url) => engine.get(url),
    holdersOf: (url) => engine.holdersOf(url),
    allPages: (options) => engine.allPages(options),
    withVectors: (urls) => engine.withVectors(urls),
    coverage: (url) => engine.coverage(url),
    stats: () => engine.stats(),
    languages: () => engine.languages(),
    pagesByReaders: () => engine.pagesByReaders(),
    pagesWithoutVectors: (source) => engine.pagesWithoutVectors(source),
    settled: () => engine.settled(),
    [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose](),
  }
}

/** The same engine, except that closing it also runs something else afterwards, once. */
export function onClose(engine: Engine, afterwards: () => PromiseLike<void>): Engine {
  let closed: Promise<void> | undefined
  const close = async () => {
    try {
      await engine[Symbol.asyncDispose]()
    } finally {
      await afterwards()
    }
  }
  return { ...delegate(engine), [Symbol.asyncDispose]: () => (closed ??= close()) }
}
