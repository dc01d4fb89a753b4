import { chmodSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { readSettings } from "#base/settings.ts"
import { until } from "#base/testing/until.ts"
import type { PageUrl } from "#engine"
import { openEngine } from "#engine/open-engine.ts"
import { engineSettings } from "#engine/settings.ts"
import { HashingEmbedder } from "#engine/testing/hashing-embedder.ts"
import { startModelServer } from "#engine/testing/model-server.ts"
import { DocumentStore, type Document } from "./fetch/content/documents/document-store.ts"
import { Jobs } from "./jobs/jobs.ts"
import { Sources } from "./sources/sources.ts"
import { temporaryFolder } from "./testing/crawl-fixture.ts"
import { WholeCrawler } from "./testing/whole-crawler.ts"

const FILES = "https://nas.example/files/"
const NOTES = "https://notes.example/"

// The crawler's processes aren't told about the change; they notice it themselves.
test(
  "a change to the readers of files and documents reaches the index without new vectors",
  { tags: ["acl"] },
  async () => {
    using folder = temporaryFolder()
    await using model = await startModelServer({ embedder: new HashingEmbedder() })
    const vectors = { FOSSICK_EMBEDDINGS_URL: `${model.url}/v1`, FOSSICK_EMBEDDINGS_MODEL: "words" }
    const isRead = ({ body }: { readonly body: object }) => /the board|The lift/.test(JSON.stringify(body))
    const [root, dataDir] = [join(folder.path, "files"), join(folder.path, "data")]
    mkdirSync(join(root, "hr"), { recursive: true })
    mkdirSync(dataDir)
    chmodSync(root, 0o755)
    chmodSync(join(root, "hr"), 0o755)
    writeFileSync(join(root, "hr/pay.md"), "# Pay\n\nThe board is paid on the first of the month.\n")
    writeFileSync(join(root, "menu.md"), "# Menu\n\nThere are dumplings on Thursday.\n")
    const db = await openStateStore(dataDir)
    onTestFinished(() => db.close())
    const sources = new Sources(db, new Jobs(db))
    await sources.put({ name: "files", folder: root, folderReaders: "posix", seeds: [FILES] }, "file")
    await sources.put({ name: "notes", documents: true, seeds: [NOTES] })
    const documents = new DocumentStore(db)
    const note: Document = {
      id: "1",
      url: `${NOTES}1` as PageUrl,
      body: new TextEncoder().encode("The lift is repaired on Monday."),
      type: "text/plain",
      facts: {},
      updatedAt: null,
      metadata: {},
      readers: null,
    }
    await documents.put("notes", [note])
    const crawler = new WholeCrawler(dataDir, vectors)
    const settings = readSettings(engineSettings, { FOSSICK_DATA_DIR: dataDir, ...vectors })
    /** The page's readers in the index; `undefined` if anyone may read it; `null` if the page isn't there. */
    const readersOf = async (url: string) => {
      await using engine = await openEngine(settings, { mode: "read" })
      const [held] = await engine.withVectors([url as PageUrl])
      return held?.vectors ? held.page.readers : null
    }
    const becomes = async (url: string, readers: unknown) => {
      await until(async () => JSON.stringify((await readersOf(url)) ?? "open") === JSON.stringify(readers))
    }
    const isThere = (url: string) => until(async () => (await readersOf(url)) !== null)
    try {
      for (const url of [`${FILES}hr/pay.md`, `${FILES}menu.md`, `${NOTES}1`]) await isThere(url)
      const made = model.requests.filter(isRead).length
      writeFileSync(join(root, "hr/.fossick-readers.yaml"), "allow: [group:hr]\n")
      await becomes(`${FILES}hr/pay.md`, [{ source: "files", allow: [["group:hr"]], deny: [] }])
      await documents.setReaders("notes", new Map([["1", { allow: ["group:janitors"] }]]))
      await becomes(`${NOTES}1`, [{ source: "notes", allow: [["group:janitors"]], deny: [] }])
      // Only its owner can read the folder.
      chmodSync(join(root, "hr"), 0o700)
      await until(async () => {
        const [known] = (await readersOf(`${FILES}hr/pay.md`)) ?? []
        return known?.allow.some((list) => list.every((one) => one.startsWith("user:"))) === true
      })
      expect(await readersOf(`${FILES}menu.md`)).toBeUndefined()
      expect(model.requests.filter(isRead)).toHaveLength(made)
    } finally {
      await crawler.kill()
    }
  },
)
