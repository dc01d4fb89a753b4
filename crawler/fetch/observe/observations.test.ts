import { expect, test } from "vitest"
import { emptyState } from "#base/store/testing/empty-state.ts"
import type { PageUrl } from "#engine"
import type { Observer } from "../../source.ts"
import {
  identityOf,
  learnedReaders,
  type Observation,
  Observations,
  observationsOf,
  type ObservedSource,
} from "./observations.ts"

const basic = (user: string) => ({ kind: "basic", user, password: "${WIKI}" }) as const
const staff: Observer = { name: "staff", login: basic("staff"), readers: { allow: ["group:staff"] } }
const guest: Observer = { name: "guest", login: basic("guest"), readers: { allow: ["group:Guests"] } }
const anyone: Observer = { name: "anyone", login: "none", readers: "everybody" }
const hr: Observer = { name: "hr", login: "same", readers: { allow: ["group:hr"] } }
const wiki = (...observers: Observer[]): ObservedSource => ({ name: "wiki", observers })

const [A, B, C] = ["a", "b", "c"].map((path) => `https://wiki.example/${path}` as PageUrl) as [
  PageUrl,
  PageUrl,
  PageUrl,
]
const seen = (observer: Observer, more: Partial<Observation> = {}): Observation => ({
  observer: observer.name,
  identity: identityOf(observer),
  shown: true,
  reason: "the same text",
  text: "t",
  at: 100,
  ...more,
})

test("a page's readers are those of every observer that was shown it", () => {
  const all = wiki(hr, staff, guest, anyone)
  const readers = (...shownTo: Observer[]) =>
    learnedReaders(
      all,
      [staff, guest, anyone].map((one) => seen(one, { shown: shownTo.includes(one) })),
    )
  expect(readers()).toEqual({ allow: [["group:hr"]], deny: [] })
  expect(readers(staff, guest)).toEqual({
    allow: [["group:hr", "group:staff", "group:guests"]],
    deny: [],
  })
  expect(readers(anyone)).toEqual({ allow: [], deny: [] })
  expect(learnedReaders(wiki(staff), [])).toEqual({ allow: [[]], deny: [] })
})

test("observations are stored by page, and dropped with a new login, a new name or the page itself", async () => {
  const db = emptyState()
  const all = new Observations(db, wiki(hr, staff, guest))
  await all.keep(A, [seen(staff), seen(guest, { shown: false, reason: "403" })])
  await all.keep(A, [seen(staff, { at: 200 })])
  await all.keep(B, [seen(guest)])
  await new Observations(db, { ...wiki(staff), name: "other" }).keep(A, [seen(staff)])
  expect([...(await all.of(A)).values()]).toEqual([
    seen(guest, { shown: false, reason: "403" }),
    seen(staff, { at: 200 }),
  ])
  expect(await all.pages("", 9)).toEqual([A, B])
  expect(await all.pages(A, 1)).toEqual([B])
  const another = { ...staff, login: basic("another") }
  const now = new Observations(db, wiki(another, guest))
  expect([...(await now.of(A)).keys()]).toEqual(["guest"])
  await now.forgetOthers()
  expect([...(await all.of(A)).keys()]).toEqual(["guest"])
  await all.forget([A])
  expect(await all.pages("", 9)).toEqual([B])
  await new Observations(db, wiki()).forgetOthers()
  expect(await all.pages("", 9)).toEqual([])
  expect(await observationsOf(db, A)).toEqual([
    { source: "other", observer: "staff", shown: true, reason: "the same text", at: 100 },
  ])
})

test("a page is unseen if no observer has looked at it, or too long ago", async () => {
  const all = new Observations(emptyState(), wiki(staff, guest))
  await all.keep(A, [seen(staff, { at: 50 }), seen(guest)])
  await all.keep(B, [seen(staff, { at: 50, shown: false }), seen(guest)])
  expect(await all.unseenAmong([A, B, C], 50)).toEqual([A, C])
  expect(await all.unseenAmong([A, B, C], 49)).toEqual([C])
  expect(await all.unseenAmong([A, B, C], 100)).toEqual([A, B, C])
})
