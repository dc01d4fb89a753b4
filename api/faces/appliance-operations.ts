import { ok, operations } from "../server/operation/operation.ts"
import { closedBody } from "../server/operation/published.ts"
import { namedObject, object, orNull, text, yesNo } from "../server/schema/schemas.ts"

/** Characters of a name at most: it stands beside the search box. */
const MAX_NAME_CHARS = 40

const Appliance = namedObject("Appliance", {
  name: orNull(text("Shown on its pages; null: it has none.")),
  is_new: yesNo("Nothing was ever declared or crawled, its own handbook apart."),
})
const body = object({
  name: orNull(text("Shown on its pages; empty or null: it has none.", { maxLength: MAX_NAME_CHARS })),
})

/** What the appliance is called. */
export const applianceOperations = operations("Pages", "admin", {
  getAppliance: {
    at: "GET /admin/appliance",
    summary: "What the appliance is called, and whether it is new",
    answers: ok(Appliance, "The appliance."),
    examples: [{ summary: "The appliance" }],
  },
  nameAppliance: {
    at: "PUT /admin/appliance",
    summary: "Name it",
    body: closedBody(body),
    answers: ok(Appliance, "The appliance."),
    refusals: [422],
    examples: [{ summary: "A name", body: { name: "Pump works" } }],
  },
})
