import { describe, expect, expectTypeOf, test } from "vitest"

import {
  flag,
  listOf,
  named,
  namedIn,
  namedObject,
  object,
  type Of,
  oneOf,
  optional,
  orNull,
  text,
} from "./schemas.ts"

const page = object({
  url: text("Its address."),
  format: oneOf(["pdf", "html"]),
  author: orNull(text()),
  ...optional({ note: text() }),
  hidden: flag("Whether lists leave it out."),
})

describe("an object", () => {
  test("is plain JSON Schema, with all fields required unless they are optional or have a default", () => {
    expect(JSON.parse(JSON.stringify(page))).toEqual({
      type: "object",
      required: ["url", "format", "author"],
      properties: {
        url: { type: "string", description: "Its address." },
        format: { type: "string", enum: ["pdf", "html"] },
        author: { type: ["string", "null"] },
        note: { type: "string" },
        hidden: { type: "boolean", description: "Whether lists leave it out.", default: false },
      },
    })
  })

  test("has the type of the matching values, with defaults filled in", () => {
    expectTypeOf<Of<typeof page>>().toEqualTypeOf<
      {
        readonly url: string
        readonly format: "pdf" | "html"
        readonly author: string | null
        readonly hidden: boolean
      } & { readonly note?: string }
    >()
  })
})

describe("a named schema", () => {
  const Author = namedObject("Author", { name: text() })
  const Book = namedObject("Book", { authors: listOf(Author) })

  test("becomes a reference where it is used, and is listed with the named schemas inside it", () => {
    expect(JSON.parse(JSON.stringify(listOf(Book)))).toEqual({
      type: "array",
      items: { $ref: "#/components/schemas/Book" },
    })
    expect([...namedIn({ answers: { 200: { schema: Book } } }).keys()]).toEqual(["Book", "Author"])
  })

  test("must have a name of its own", () => {
    expect(() => namedIn([Author, named("Author", text())])).toThrow("Two schemas are named Author.")
  })
})
