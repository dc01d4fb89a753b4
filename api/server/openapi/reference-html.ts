import { escapeHtml } from "../../faces/handbook/escape-html.ts"
import { refusalsOf } from "./document.ts"
import type { Description, Example, Operation, Parameter } from "../operation/operation.ts"
import { refusals } from "../operation/refusals.ts"
import { type FieldRow, fieldRows, inJson, inWords } from "./schema-words.ts"

/** All calls as part of a handbook page, which needs no script. @param server address for the examples */
export function referenceHtml({ operations, schemas, tags }: Required<Description>, server: string): string {
  const groups = Object.keys(tags).map((tag) => ({ tag, calls: operations.filter((one) => one.tag === tag) }))
  return [
    `<h2 id="calls">Calls${anchor("calls")}</h2>`,
    table(
      ["call", "does"],
      operations.map((one) => [
        `<a href="#${one.id}"><code>${one.method.toUpperCase()} ${escapeHtml(one.path)}</code></a>`,
        inline(one.summary),
      ]),
    ),
    ...groups.flatMap(({ tag, calls }) => [
      `<h2 id="${idOf(tag)}">${tag}${anchor(idOf(tag))}</h2>`,
      `<p>${inline(tags[tag]!)}</p>`,
      ...calls.map((call) => callHtml(call, schemas, server)),
    ]),
    `<h2 id="refusals">Refusals${anchor("refusals")}</h2>`,
    `<p>Every refusal is JSON of the form <code>{"detail": {"error": "…"}}</code>, with the id of the request in the header <code>X-Request-Id</code>.</p>`,
    table(
      ["status", "meaning"],
      Object.entries(refusals).map(([status, { description }]) => [
        `<code>${status}</code>`,
        inline(description),
      ]),
    ),
    "",
  ].join("\n")
}

const ACCESS = {
  none: "No key is needed.",
  key: "Needs a key.",
  operator: "Needs a key with the role <code>operator</code> or <code>admin</code>.",
  admin: "Needs a key with the role <code>admin</code>.",
} as const

function callHtml(call: Operation, schemas: Required<Description>["schemas"], server: string): string {
  const body = call.body && fieldRows(call.body.schema, schemas)
  const answers = Object.entries(call.answers).map(([status, { description, schema, streams }]) => {
    const rows = fieldRows(schema, schemas)
    const title = `<code>${status}</code> ${inline(description)}${streams ? " Or a stream of events." : ""}`
    if (rows.length === 0) return `<p class="answer">${title}</p>`
    return `<details class="answer"><summary>${title}</summary>\n${fieldTable(rows)}\n</details>`
  })
  const refused = refusalsOf(call)
    .filter((status) => call.answers[status] === undefined)
    .map((status) => `<code>${status}</code>`)
  return [
    `<section class="call">`,
    `<h3 id="${call.id}"><code class="method ${call.method}">${call.method.toUpperCase()}</code> <code>${breakable(call.path)}</code>${anchor(call.id)}</h3>`,
    `<p>${inline(call.summary)}. ${call.description === undefined ? "" : `${inline(call.description)} `}${ACCESS[call.access]}</p>`,
    call.parameters &&
      `<h4>Parameters</h4>\n${fieldTable(
        call.parameters.map((one) => parameterRow(one, schemas)),
        "required",
      )}`,
    body && body.length > 0 && `<h4>Body</h4>\n${fieldTable(body, "required")}`,
    `<h4>Answers</h4>`,
    ...answers,
    `<p class="refusals"><a href="#refusals">Refusals</a>: ${refused.join(" ")}</p>`,
    ...exampleHtml(call, server),
    "</section>",
  ]
    .filter((part) => part)
    .join("\n")
}

const parameterRow = (
  { name, in: place, required = false, schema, description }: Parameter,
  schemas: Required<Description>["schemas"],
): FieldRow => ({
  name,
  values: inWords(schema, schemas),
  required,
  default: schema["default"] === undefined ? null : inJson(schema["default"]),
  description: place === "path" ? `In the path. ${description}` : description,
})

/** @param mark shown with required fields; left out for responses, in which most fields are always present */
function fieldTable(rows: readonly FieldRow[], mark = ""): string {
  return table(
    ["field", "values", "meaning"],
    rows.map((row) => [
      `<code>${breakable(row.name)}</code>${row.required && mark !== "" ? ` <span class="required">${mark}</span>` : ""}`,
      inline(row.values),
      [
        row.required ? "" : row.default === null ? "" : `Default ${inline(`\`${row.default}\``)}.`,
        inline(row.description),
      ]
        .filter((part) => part !== "")
        .reverse()
        .join(" "),
    ]),
  )
}

/** The first call that succeeds, as a command, and its response. */
function exampleHtml(call: Operation, server: string): string[] {
  const example = call.examples?.find(({ status }) => status < 400) ?? call.examples?.[0]
  if (example === undefined) return []
  const answer = example.answer === undefined ? "" : code(JSON.stringify(example.answer, null, 2), "json")
  return [`<h4>Example</h4>`, code(curl(call, example, server), "sh"), answer]
}

function curl(call: Operation, { path = {}, query = {}, body }: Example, server: string): string {
  const filled = call.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""))
  const search = new URLSearchParams(query).toString()
  const address = `${server}${filled}${search === "" ? "" : `?${search}`}`
  const method = call.method === "get" || body !== undefined ? "" : `-X ${call.method.toUpperCase()} `
  const put = body !== undefined && call.method === "put" ? "-X PUT " : ""
  const lines = [
    `curl -s ${method}${put}${search === "" ? address : `'${address}'`}`,
    call.access !== "none" && `-H "Authorization: Bearer $API_KEY"`,
    body && `-H "Content-Type: application/json"`,
    body && `-d '${JSON.stringify(body)}'`,
  ]
  return lines.filter((line) => line).join(" \\\n  ")
}

const code = (text: string, language: string): string =>
  `<pre tabindex="0"><code class="language-${language}">${escapeHtml(text)}\n</code></pre>`

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${cell}</${tag.split(" ")[0]}>`).join("")
  return [
    `<div class="table" tabindex="0"><table>`,
    `<thead><tr>${cells(head, 'th scope="col"')}</tr></thead>`,
    `<tbody>${rows.map((row) => `<tr>${cells(row, "td")}</tr>`).join("\n")}</tbody>`,
    "</table></div>",
  ].join("\n")
}

const anchor = (id: string): string =>
  `<a class="anchor" href="#${id}" aria-label="Link to this section"></a>`
const idOf = (tag: string): string => tag.toLowerCase().replaceAll(" ", "-")

/** Text with `code`, safe for HTML. */
const inline = (text: string): string => escapeHtml(text).replaceAll(/`([^`]*)`/g, "<code>$1</code>")

/** A long name that can break between its parts, so that it fits on a phone. */
const breakable = (name: string): string => escapeHtml(name).replaceAll(/([/._])(?=.)/g, "$1<wbr>")
