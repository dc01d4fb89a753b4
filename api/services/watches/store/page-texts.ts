import { deflateRawSync, inflateRawSync } from "node:zlib"

import { prepareOnce, type StateStore } from "#base/store/state-store.ts"

/** Characters of a page's text that are kept; of longer pages only that they changed is told. */
const MOST_CHARS = 400_000

/** Texts of watched pages as they were last seen, packed, by their hash; each once, however many watch it. */
export class PageTexts {
  readonly #prepare: ReturnType<typeof prepareOnce>
  readonly #mostBytes: number
  #bytes: number | null = null

  /** @param mostBytes that all of them may take */
  constructor(db: StateStore, mostBytes: number) {
    this.#prepare = prepareOnce(db)
    this.#mostBytes = mostBytes
  }

  /** Keeps a text, counted for a key, if there is room for it. Runs in the caller's transaction. */
  async keep(hash: string, text: string, key: string): Promise<void> {
    if (text.length > MOST_CHARS || this.#mostBytes === 0) return
    if ((await this.#prepare("select 1 from watch_text where hash = ?").get(hash)) !== undefined) return
    const packed = deflateRawSync(text)
    const bytes = await this.#used()
    if (bytes + packed.byteLength > this.#mostBytes) return
    await this.#prepare("insert into watch_text (hash, packed, key) values (?, ?, ?)").run(hash, packed, key)
    this.#bytes = bytes + packed.byteLength
  }

  /** Null: it was not kept. */
  async get(hash: string): Promise<string | null> {
    const row = await this.#prepare("select packed from watch_text where hash = ?").get(hash)
    return row === undefined ? null : inflateRawSync(row["packed"] as Uint8Array).toString("utf8")
  }

  /** Forgets a text that no watch has seen last. Runs in the caller's transaction. */
  async release(hash: string): Promise<void> {
    await this.#prepare(
      "delete from watch_text where hash = ?1 and not exists (select 1 from watch_seen where hash = ?1)",
    ).run(hash)
    this.#bytes = null
  }

  /** Forgets all that no watch has seen last. Runs in the caller's transaction. */
  async releaseAll(): Promise<void> {
    await this.#prepare("delete from watch_text where hash not in (select hash from watch_seen)").run()
    this.#bytes = null
  }

  async #used(): Promise<number> {
    this.#bytes ??= Number(
      (await this.#prepare("select coalesce(sum(length(packed)), 0) as n from watch_text").get())?.["n"],
    )
    return this.#bytes
  }
}
