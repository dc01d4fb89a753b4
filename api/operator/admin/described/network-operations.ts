import { networkBody, networkLookBody } from "../schemas.ts"
import type { JsonSchema, Operation } from "../../../server/operation/operation.ts"
import { count, listOf, object, oneOf, ref, text, time, yesNo } from "../../../server/operation/schemas.ts"

// The calls of routes/networks/networks.ts, as the description of the API has them.

const WEB_ADDRESS = String.raw`^\s*[Hh][Tt][Tt][Pp][Ss]?://`
const url: JsonSchema = { ...networkLookBody.properties.url, pattern: WEB_ADDRESS }

export const networkOperations: readonly Operation[] = [
  {
    id: "listNetworks",
    method: "get",
    path: "/admin/networks",
    tag: "Sources",
    summary: "Private networks that are open for sources declared here",
    access: "admin",
    answers: { 200: { description: "The networks.", schema: ref("NetworkList") } },
    examples: [{ summary: "All of them", status: 200 }],
  },
  {
    id: "lookAtNetwork",
    method: "post",
    path: "/admin/networks/look",
    tag: "Sources",
    summary: "Where a host is, and what may be opened for it",
    description:
      "Opens nothing. Only an admin key learns this; other callers cannot tell a private name from an unknown one.",
    access: "admin",
    body: {
      schema: { type: "object", required: ["url"], properties: { url }, additionalProperties: false },
      required: true,
    },
    answers: { 200: { description: "Where it is.", schema: ref("NetworkLook") } },
    refusals: [409, 422],
    examples: [{ summary: "A host of this machine", body: { url: "http://127.0.0.1:9/" }, status: 200 }],
  },
  {
    id: "openNetwork",
    method: "post",
    path: "/admin/networks",
    tag: "Sources",
    summary: "Open a private network, on one port",
    description:
      "For crawls of sources that are declared here, and for no live call. Link-local networks, the metadata services of clouds and ports of the appliance's own services are never opened.",
    access: "admin",
    body: {
      schema: {
        type: "object",
        required: [...networkBody.required!],
        properties: { ...networkBody.properties, url },
        additionalProperties: false,
      },
      required: true,
    },
    answers: { 201: { description: "It is open.", schema: ref("OpenedNetwork") } },
    refusals: [409, 422],
    examples: [
      {
        summary: "One address of this machine",
        body: { url: "http://127.0.0.1:9/", network: "127.0.0.1/32", confirmed: true },
        status: 201,
      },
    ],
  },
  {
    id: "closeNetwork",
    method: "delete",
    path: "/admin/networks/{id}",
    tag: "Sources",
    summary: "Close one again",
    description: "From the next run on; pages that were read stay in the index.",
    access: "admin",
    parameters: [
      {
        name: "id",
        in: "path",
        required: true,
        description: "Number of the network.",
        schema: { type: "integer", minimum: 1 },
      },
    ],
    answers: { 200: { description: "It is closed.", schema: ref("NetworkClosed") } },
    refusals: [404],
    examples: [{ summary: "One that is not open", path: { id: "999" }, status: 404 }],
  },
]

const opened = object({
  id: count(),
  network: text("In CIDR notation."),
  port: count(),
  host: text("The host that it was opened for."),
  opened_at: time(),
})

export const networkSchemas = {
  OpenedNetwork: opened,
  NetworkList: object({
    on: yesNo("Whether any may be opened, and those below count: `FOSSICK_ADMIN_NETWORKS`."),
    networks: listOf(ref("OpenedNetwork")),
  }),
  NetworkLook: object({
    host: text(),
    port: count(),
    addresses: listOf(text()),
    is: oneOf(["private", "public", "none"], "`none`: it has no address."),
    choices: listOf(text(), "Networks that may be opened for it, the narrowest first."),
    open: yesNo("Whether it is open already."),
  }),
  NetworkClosed: object({ id: count(), closed: { const: true } }),
}
