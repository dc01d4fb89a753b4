import { Ajv2020 } from "ajv/dist/2020.js"
import { describe, expect, test } from "vitest"

import { features } from "../../features.ts"
import { describedBy, openApiDocument, refusalsOf } from "./document.ts"
import { refusals } from "../operation/refusals.ts"
import { operationAt, undocumented } from "./testing/documented.ts"

const described = await describedBy(features)
const { operations, tags } = described
const document = openApiDocument(described, "http://localhost:8080", "1.2.3")

describe("the OpenAPI document", () => {
  test("has ids, headings and error responses for every operation", () => {
    expect(new Set(operations.map(({ id }) => id)).size).toBe(operations.length)
    for (const operation of operations) {
      expect(Object.keys(tags)).toContain(operation.tag)
      expect(operation.examples?.length).toBeGreaterThan(0)
      for (const status of refusalsOf(operation)) expect(refusals[status]).toBeDefined()
    }
  })

  test("has no broken references", () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map((one) => one[1]!)
    expect(references.length).toBeGreaterThan(50)
    for (const reference of new Set(references)) {
      const found = reference
        .split("/")
        .reduce<unknown>((node, step) => (node as Record<string, unknown> | undefined)?.[step], document)
      expect([reference, typeof found]).toEqual([reference, "object"])
    }
  })

  test("names each parameter of a path", () => {
    for (const { path, parameters = [] } of operations) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map((one) => one[1])
      expect(parameters.filter((one) => one.in === "path").map(({ name }) => name)).toEqual(named)
    }
  })

  test("has schemas that a validator accepts, and example bodies that match them", () => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, formats: formats() })
    ajv.addKeyword("components")
    ajv.addSchema({ $id: "document", components: document.components })
    for (const { id, body, examples = [] } of operations) {
      if (!body) continue
      const schema = JSON.parse(JSON.stringify(body.schema).replaceAll('"#/', '"document#/')) as object
      const validate = ajv.compile(schema)
      for (const example of examples.filter(({ status }) => status < 400 || status === 409)) {
        expect([id, validate(example.body ?? {}), validate.errors]).toEqual([id, true, null])
      }
    }
  })

  test("has example responses that match its schemas", () => {
    const complaints = operations.flatMap(({ method, path, examples = [] }) =>
      examples
        .filter(({ answer }) => answer !== undefined)
        .flatMap(({ status, answer }) => undocumented(method, path, { status, body: answer })),
    )
    expect(complaints).toEqual([])
  })
})

describe("a response checked against it", () => {
  const good = { detail: { error: "No." } }
  test("can have only a documented status and its fields", () => {
    expect(undocumented("POST", "/search", { status: 400, body: good })).toEqual([])
    expect(undocumented("POST", "//search/", { status: 400, body: good })).toEqual([])
    expect(undocumented("POST", "/search", { status: 404, body: good })).toHaveLength(1)
    expect(undocumented("POST", "/search", { status: 400, body: {} })).toHaveLength(1)
    expect(
      undocumented("POST", "/search", { status: 400, body: { detail: { error: "", extra: 1 } } }),
    ).toHaveLength(1)
  })

  test("belongs to the operation with the best matching path", () => {
    expect(operationAt("POST", "/admin/removals/approve")?.id).toBe("approveRemovals")
    expect(operationAt("GET", "/admin/sources/search")?.id).toBe("getSource")
    expect(operationAt("POST", "/tv/search")?.id).toBe("search")
    expect(operationAt("PATCH", "/search")).toBeNull()
  })
})

const formats = () => ({ uuid: true, "date-time": true, date: true, regex: true, uri: true }) as const
