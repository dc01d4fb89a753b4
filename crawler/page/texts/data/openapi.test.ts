import { expect, test } from "vitest"
import { toPassages } from "#engine/text/passages.ts"
import { fileOf, headingsIn, read } from "../testing/read-page.ts"

test("the pet store has a section for each operation and each schema", async () => {
  const page = await read("petstore.yaml", fileOf("petstore.yaml"))
  expect(page).toMatchObject({ title: "Swagger Petstore", type: "openapi" })
  expect(headingsIn(page)).toEqual([
    "## Servers",
    "## GET /pets: List all pets",
    "## POST /pets: Create a pet",
    "## GET /pets/{petId}: Info for a specific pet",
    "## Schema Pet",
    "## Schema Error",
  ])
  expect(page.markdown).toContain("| petId | path, required | string | The id of the pet to retrieve |")
  expect(page.markdown).toContain("**Response 200** application/json: Pets. A paged array of pets")
  expect(page.markdown).not.toMatch(/\$ref|operationId/)
  const passage = toPassages(page.markdown).find(({ text }) => text.includes("The id of the pet"))
  expect([...passage!.headings, passage!.text].join("\n")).toContain(
    "GET /pets/{petId}: Info for a specific pet",
  )
})

const api = (value: object, version = "3.1.0") =>
  read("openapi.json", JSON.stringify({ openapi: version, info: { title: "Pumps" }, ...value }))

test("path parameters apply to its operations, and references within the file are followed", async () => {
  const page = await api({
    components: {
      parameters: {
        "a/b": { name: "size", in: "query", schema: { type: "string", enum: ["small", "large"] } },
      },
      responses: { none: { description: "No such pump." } },
    },
    paths: {
      "/pumps/{id}": {
        parameters: [{ name: "id", in: "path", required: true, schema: { type: ["integer", "null"] } }],
        patch: {
          deprecated: true,
          description: "Changes it.\n\n- in part",
          tags: ["pumps"],
          parameters: [{ $ref: "#/components/parameters/a~1b" }],
          responses: { 404: { $ref: "#/components/responses/none" } },
        },
      },
    },
  })
  expect(page.markdown).toContain(
    "## PATCH /pumps/{id}\n\nDeprecated.\n\nChanges it.\n\n- in part\n\nTags: pumps",
  )
  expect(page.markdown).toContain(
    "| id | path, required | integer or null |  |\n| size | query | string | One of: small, large. |",
  )
  expect(page.markdown).toContain("**Response 404** No such pump.")
})

test("nested fields have their paths, and named schemas are referred to by name", async () => {
  const page = await api({
    paths: {},
    components: {
      schemas: {
        Pump: {
          description: "A pump.",
          allOf: [
            { $ref: "#/components/schemas/Thing" },
            {
              required: ["parts"],
              properties: {
                parts: {
                  type: "array",
                  items: {
                    type: "object",
                    properties: { name: { type: "string", description: "Its name." } },
                  },
                },
                owner: {
                  oneOf: [{ $ref: "#/components/schemas/Person" }, { type: "string", format: "uuid" }],
                },
              },
            },
          ],
        },
        Thing: { properties: { id: { type: "integer", format: "int64" } } },
        Person: {
          properties: {
            pump: { $ref: "#/components/schemas/Pump" },
            self: { $ref: "#/components/schemas/Person" },
          },
        },
      },
    },
  })
  expect(page.markdown).toContain(
    [
      "## Schema Pump\n\nA pump.\n\n| Field | Type | Description |\n| --- | --- | --- |",
      "| id | integer (int64) |  |",
      "| parts | list of object, required |  |",
      "| parts[].name | string | Its name. |".replaceAll("[]", "\\[\\]"),
      "| owner | Person or string (uuid) |  |",
    ].join("\n"),
  )
})

test("Swagger 2 in YAML is read, with a body, a host and keys", async () => {
  const page = await read(
    "api.yml",
    `swagger: "2.0"
info: {title: Pumps, description: All about pumps.}
host: api.example
basePath: /v1
schemes: [https]
securityDefinitions:
  key: {type: apiKey, in: header, name: X-Key}
paths:
  /pumps:
    post:
      summary: Add a pump
      parameters:
        - {in: body, name: body, schema: {$ref: "#/definitions/Pump"}}
        - {in: query, name: dry, type: boolean, default: false}
      responses:
        201: {description: Added, schema: {type: array, items: {$ref: "#/definitions/Pump"}}}
definitions:
  Pump: {properties: {size: {type: string}}}
`,
  )
  expect(page).toMatchObject({ title: "Pumps", description: "All about pumps." })
  expect(page.markdown).toContain("- https://api.example/v1")
  expect(page.markdown).toContain("| key | apiKey header X-Key |")
  expect(page.markdown).toContain(
    "| dry | query | boolean | Default: false. |\n\n**Request body** Pump\n\n**Response 201** list of Pump. Added",
  )
})

test("webhooks, callbacks and operations with other methods are sections", async () => {
  const page = await api(
    {
      webhooks: { dry: { post: { summary: "A pump runs dry" } } },
      paths: {
        "/watch": {
          query: { responses: {} },
          post: { callbacks: { dry: { "{$request.body#/url}": { post: { summary: "Says so" } } } } },
          additionalOperations: { COPY: {} },
        },
      },
    },
    "3.2.0",
  )
  expect(headingsIn(page)).toEqual([
    "## POST /watch",
    "### Callback POST {$request.body#/url}: Says so",
    "## QUERY /watch",
    "## COPY /watch",
    "## POST dry: A pump runs dry",
  ])
})

test("no other file is read, and a bomb of YAML aliases is not parsed", async () => {
  const page = await api({
    paths: { "/a": { $ref: "file:///etc/hosts" }, "/b": { get: { parameters: [{ $ref: "./b.yaml#/c" }] } } },
  })
  expect(headingsIn(page)).toEqual(["## GET /b"])
  const bomb = Array.from({ length: 20 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(20)}]`)
  expect((await read("openapi.yaml", `openapi: 3.0.0\na0: &a0 [x]\n${bomb.join("\n")}\n`)).type).toBe("code")
})
