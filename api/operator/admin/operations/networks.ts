import { bodyOf } from "../../../server/operation/published.ts"
import { created, ok, operations } from "../../../server/operation/operation.ts"
import { webAddress } from "../../../server/operation/shared-fields.ts"
import {
  always,
  count,
  listOf,
  namedObject,
  oneOf,
  text,
  time,
  yesNo,
} from "../../../server/schema/schemas.ts"

const url = text("Where a crawl is to start, an http or https address.", { "x-judged": webAddress })

const OpenedNetwork = namedObject("OpenedNetwork", {
  id: count(),
  network: text("In CIDR notation."),
  port: count(),
  host: text("The host that it was opened for."),
  opened_at: time(),
})
const NetworkList = namedObject("NetworkList", {
  on: yesNo("Whether any may be opened, and those below count: `FOSSICK_ADMIN_NETWORKS`."),
  networks: listOf(OpenedNetwork),
})
/** Where a host is, and what an admin may open for it. */
export const NetworkLook = namedObject("NetworkLook", {
  host: text(),
  port: count(),
  addresses: listOf(text()),
  is: oneOf(["private", "public", "none"], "`none`: it has no address."),
  choices: listOf(text(), "Networks that may be opened for it, the narrowest first."),
  open: yesNo("Whether it is open already."),
})
const NetworkClosed = namedObject("NetworkClosed", { id: count(), closed: always(true) })

/** Private networks that are open for crawls of sources that are declared here. */
export const networkOperations = operations("Sources", "admin", {
  listNetworks: {
    at: "GET /admin/networks",
    summary: "Private networks that are open for sources declared here",
    answers: ok(NetworkList, "The networks."),
    examples: [{ summary: "All of them" }],
  },
  lookAtNetwork: {
    at: "POST /admin/networks/look",
    summary: "Where a host is, and what may be opened for it",
    description:
      "Opens nothing. Only an admin key learns this; other callers cannot tell a private name from an unknown one.",
    body: bodyOf({ url }),
    answers: ok(NetworkLook, "Where it is."),
    refusals: [409, 422],
    examples: [{ summary: "A host of this machine", body: { url: "http://127.0.0.1:9/" } }],
  },
  openNetwork: {
    at: "POST /admin/networks",
    summary: "Open a private network, on one port",
    description:
      "For crawls of sources that are declared here, and for no live call. Link-local networks, the metadata services of clouds and ports of the appliance's own services are never opened.",
    body: bodyOf({
      url,
      network: text("The address as a network (`10.20.30.7/32`), or the network it is in (`10.20.30.0/24`)."),
      confirmed: yesNo("Must be true: somebody decided this.", { enum: [true] }),
    }),
    answers: created(OpenedNetwork, "It is open."),
    refusals: [409, 422],
    examples: [
      {
        summary: "One address of this machine",
        body: { url: "http://127.0.0.1:9/", network: "127.0.0.1/32", confirmed: true },
      },
    ],
  },
  closeNetwork: {
    at: "DELETE /admin/networks/{id}",
    summary: "Close one again",
    description: "From the next run on; pages that were read stay in the index.",
    path: { id: count("Number of the network.", { minimum: 1 }) },
    answers: ok(NetworkClosed, "It is closed."),
    refusals: [404],
    examples: [{ summary: "One that is not open", path: { id: "999" }, status: 404 }],
  },
})
