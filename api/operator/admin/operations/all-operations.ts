import { applianceOperations } from "../../../faces/appliance-operations.ts"
import { auditOperations } from "../../audit/operations.ts"
import { historyOperations } from "../../history/operations.ts"
import { judgedOperations } from "../../judging/operations.ts"
import type { Description } from "../../../server/operation/operation.ts"
import { publicKeyOperations } from "../../../identity/public-keys/operations.ts"
import { paymentOperations } from "../../../doors/x402/books/operations.ts"
import { queryOperations } from "../../../services/queries/operations.ts"
import { ruleOperations } from "../../rules/operations.ts"
import { outboundOperations } from "../../outbound/operations.ts"
import { peopleOperations } from "../../people/operations.ts"
import { readersOperations } from "../../people/readers-operations.ts"
import { upkeepOperations } from "../../upkeep/operations.ts"
import { keyOperations } from "../../usage/described/key-operations.ts"
import { callerOperations } from "./callers.ts"
import { draftOperations } from "./drafts.ts"
import { indexOperations } from "./index-and-model.ts"
import { jobOperations } from "./jobs.ts"
import { networkOperations } from "./networks.ts"
import { pageOperations } from "./pages.ts"
import { removalOperations } from "./removals.ts"
import { deleteOperations, sourceOperations } from "./sources.ts"
import { webhookOperations } from "./webhooks.ts"

/** All calls below `/admin`, in the order of the reference. */
export const adminDescription: Description = {
  operations: [
    applianceOperations,
    sourceOperations,
    jobOperations,
    deleteOperations,
    draftOperations,
    networkOperations,
    removalOperations,
    pageOperations,
    indexOperations,
    webhookOperations,
    callerOperations,
    paymentOperations,
    ruleOperations,
    queryOperations,
    upkeepOperations,
    historyOperations,
    auditOperations,
    outboundOperations,
    judgedOperations,
    peopleOperations,
    readersOperations,
    keyOperations,
    publicKeyOperations,
  ].flatMap((group) => Object.values(group)),
}
