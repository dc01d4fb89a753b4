import { expect, test } from "vitest"
import { openStateStore } from "#base/store/state-store.ts"
import { aPage } from "#engine/testing/pages.ts"
import { KnownAddresses, type Visited } from "../../crawl/frontier/known-addresses.ts"
import { Jobs } from "../../jobs/jobs.ts"
import { pageHash } from "../../page/page-hash.ts"
import { defineSource } from "../../source.ts"
import { temporaryFolder } from "../../testing/crawl-fixture.ts"
import { StateMender } from "./mend-state.ts"

test("a page of two sources has each source's state corrected to match the index", async () => {
  using folder = temporaryFolder()
  const db = await openStateStore(folder.path)
  try {
    void new Jobs(db)
    const known = new KnownAddresses(db)
    const [both, lost] = [aPage("both", { source: "b", sharedWith: ["a"] }), aPage("lost", { source: "b" })]
    for (const name of ["a", "b"]) {
      const source = defineSource({ name, seeds: ["https://docs.example.com/"] })
      const visits = [both, lost].map((page): Visited => ({
        url: page.url,
        outcome: "indexed",
        detail: null,
        hash: pageHash({ ...page, source: name }),
      }))
      await known.record({ id: 1, source }, visits)
    }
    const mender = await StateMender.open(db, folder.path)
    await mender.holds(both)
    await mender.holds(lost)
    expect((await mender.mend()).addresses).toBe(1)
    expect(await known.get(lost.url, "a")).toMatchObject({ hash: null, dueAt: 0 })
    for (const [url, name] of [
      [both.url, "a"],
      [both.url, "b"],
      [lost.url, "b"],
    ] as const) {
      expect((await known.get(url, name))?.hash).not.toBeNull()
    }
  } finally {
    db.close()
  }
})
