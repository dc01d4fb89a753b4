import { Router } from "@koa/router"
import { expect, test } from "vitest"

import type { Context, RequestState } from "../../context.ts"
import { ApiError } from "../../errors.ts"
import { accepted, ok, operations } from "../operation/operation.ts"
import { bodyOf } from "../operation/published.ts"
import { count, flag, object, oneOf, optional, text, whole, withDefault } from "../schema/schemas.ts"
import { serve } from "./serve-operation.ts"

const calls = operations("Shelves", "admin", {
  listBooks: {
    at: "GET /admin/shelves/{shelf}/books",
    summary: "The books of a shelf",
    query: {
      limit: withDefault(whole(1, 10, "Books at most."), 5),
      state: oneOf(["lent", "there"], "In this state only."),
    },
    answers: ok(object({ shelf: text(), limit: count(), state: text() }), "The books."),
  },
  lendBook: {
    at: "POST /admin/books/{id}/lend",
    summary: "Lend a book",
    body: bodyOf({
      to: text("Whom.", { "x-judged": { minLength: 1 } }),
      days: withDefault(whole(1, 30, "How long."), 14),
      ...optional({ note: text() }),
      again: flag("Whether it was lent to them before."),
    }),
    answers: accepted(object({ id: text(), days: count() }), "It is lent."),
  },
})

/** A router with both calls, used without a socket. */
async function ask(method: string, path: string, body: object = {}) {
  const router = new Router<RequestState>({ prefix: "/admin" })
  serve(router, calls.listBooks, ({ path: { shelf }, query }) => {
    if (shelf === "none") throw new ApiError(404, "There is no such shelf.")
    return { shelf, limit: query.limit, state: query.state ?? "any" }
  })
  serve(router, calls.lendBook, ({ path: { id }, body: { days } }) => ({ id, days }))
  const url = new URL(path, "http://localhost")
  const ctx = {
    method,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    request: {},
    state: { body },
    status: 404,
    body: undefined as unknown,
  }
  await router.routes()(ctx as unknown as Context as never, async () => {})
  return { status: ctx.status, body: ctx.body }
}

test("a handler gets path, query and body as the operation describes them, and answers with its status", async () => {
  expect((await ask("GET", "/admin/shelves/7/books?state=lent")).body).toEqual({
    shelf: "7",
    limit: 5,
    state: "lent",
  })
  expect(await ask("POST", "/admin/books/3/lend", { to: "Ada" })).toEqual({
    status: 202,
    body: { id: "3", days: 14 },
  })
})

test("a body is checked before the handler runs, a parameter when the handler reads it", async () => {
  await expect(ask("POST", "/admin/books/3/lend", { days: 31 })).rejects.toThrow(
    "to is missing; days must be <= 30.",
  )
  await expect(ask("GET", "/admin/shelves/7/books?limit=0")).rejects.toThrow(
    "Invalid limit. Must be a whole number from 1 to 10.",
  )
  await expect(ask("GET", "/admin/shelves/none/books?limit=0")).rejects.toThrow("There is no such shelf.")
})

test("rules that only the handler checks are published, and not enforced before it runs", async () => {
  expect(calls.lendBook.body?.schema).toMatchObject({
    required: ["to"],
    properties: { to: { type: "string", description: "Whom.", minLength: 1 } },
    additionalProperties: false,
  })
  expect((await ask("POST", "/admin/books/3/lend", { to: "" })).status).toBe(202)
})
