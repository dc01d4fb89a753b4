import { ok, operations } from "../server/operation/operation.ts"
import { closedBody } from "../server/operation/published.ts"
import { namedObject, object, orNull, text, yesNo } from "../server/schema/schemas.ts"

/** Maximum number of characters in a name: it is shown beside the search box. */
const MAX_NAME_CHARS = 40

const Appliance = namedObject("Appliance", {
  name: orNull(text("Name shown on the appliance's pages; null if it has none.")),
  is_new: yesNo("Whether only the appliance's own handbook has been declared or crawled so far."),
})
const body = object({
  name: orNull(
    text("Name to show on the appliance's pages; empty or null for none.", { maxLength: MAX_NAME_CHARS }),
  ),
})

/** The appliance's name. */
export const applianceOperations = operations("Pages", "admin", {
  getAppliance: {
    at: "GET /admin/appliance",
    access: "operator",
    summary: "The appliance's name, and whether it is new",
    answers: ok(Appliance, "The appliance."),
    examples: [{ summary: "The appliance" }],
  },
  nameAppliance: {
    at: "PUT /admin/appliance",
    summary: "Name the appliance",
    body: closedBody(body),
    answers: ok(Appliance, "The appliance."),
    refusals: [422],
    examples: [{ summary: "A name", body: { name: "Pump works" } }],
  },
})
