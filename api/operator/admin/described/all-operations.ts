import { auditOperations, auditSchemas } from "../../audit/operations.ts"
import { judgedOperations, judgedSchemas } from "../../judging/operations.ts"
import type { Description } from "../../../server/operation/operation.ts"
import { publicKeyOperations, publicKeySchemas } from "../../../identity/public-keys/operations.ts"
import { queryOperations, querySchemas } from "../../../services/queries/operations.ts"
import { ruleOperations, ruleSchemasOfAnswers } from "../../rules/operations.ts"
import { upkeepOperations, upkeepSchemas } from "../../upkeep/operations.ts"
import { keyOperations, keySchemas } from "../../usage/described/key-operations.ts"
import { adminSchemas } from "./answers.ts"
import { networkOperations, networkSchemas } from "./network-operations.ts"
import { adminOperations } from "./operations.ts"

/** All calls below `/admin`, in the order of the reference. */
export const adminDescription: Description = {
  operations: [
    ...adminOperations,
    ...ruleOperations,
    ...queryOperations,
    ...upkeepOperations,
    ...networkOperations,
    ...auditOperations,
    ...judgedOperations,
    ...keyOperations,
    ...publicKeyOperations,
  ],
  schemas: {
    ...adminSchemas,
    ...ruleSchemasOfAnswers,
    ...querySchemas,
    ...upkeepSchemas,
    ...networkSchemas,
    ...auditSchemas,
    ...judgedSchemas,
    ...keySchemas,
    ...publicKeySchemas,
  },
}
