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

const url = text("Address where a crawl will start, http or https.", { "x-judged": webAddress })

const OpenedNetwork = namedObject("OpenedNetwork", {
  id: count(),
  network: text("Network in CIDR notation."),
  port: count(),
  host: text("Host that the network was opened for."),
  opened_at: time(),
})
const NetworkList = namedObject("NetworkList", {
  on: yesNo(
    "Whether networks can be opened and the listed ones take effect; set by `FOSSICK_ADMIN_NETWORKS`.",
  ),
  networks: listOf(OpenedNetwork),
})
/** The addresses of a host, and the networks that an admin may open so that it can be crawled. */
export const NetworkLook = namedObject("NetworkLook", {
  host: text(),
  port: count(),
  addresses: listOf(text()),
  is: oneOf(["private", "public", "none"], "`none`: the host has no address."),
  choices: listOf(text(), "Networks that can be opened for the host, narrowest first."),
  open: yesNo("Whether the host is open already."),
})
const NetworkClosed = namedObject("NetworkClosed", { id: count(), closed: always(true) })

/** Private networks that sources declared over the API may crawl. */
export const networkOperations = operations("Sources", "admin", {
  listNetworks: {
    at: "GET /admin/networks",
    summary: "Private networks that are open to sources declared over the API",
    answers: ok(NetworkList, "The networks."),
    examples: [{ summary: "All of them" }],
  },
  lookAtNetwork: {
    at: "POST /admin/networks/look",
    summary: "The addresses of a host, and the networks that can be opened for it",
    description:
      "Opens nothing. Only admin keys get this answer; other callers cannot tell a private name from an unknown one.",
    body: bodyOf({ url }),
    answers: ok(NetworkLook, "The host."),
    refusals: [409, 422],
    examples: [{ summary: "A host of this machine", body: { url: "http://127.0.0.1:9/" } }],
  },
  openNetwork: {
    at: "POST /admin/networks",
    summary: "Open a private network, on one port",
    description:
      "Only crawls of sources declared over the API can use it; live calls can't. Link-local networks, cloud metadata services and the ports of the appliance's own services cannot be opened.",
    body: bodyOf({
      url,
      network: text("The address as a network (`10.20.30.7/32`), or the network it is in (`10.20.30.0/24`)."),
      confirmed: yesNo("Must be true: confirms that a person decided this.", { enum: [true] }),
    }),
    answers: created(OpenedNetwork, "Opened."),
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
    summary: "Close a private network",
    description: "Takes effect with the next run. Pages that were already read stay in the index.",
    path: { id: count("Number of the network.", { minimum: 1 }) },
    answers: ok(NetworkClosed, "Closed."),
    refusals: [404],
    examples: [{ summary: "A network that is not open", path: { id: "999" }, status: 404 }],
  },
})
