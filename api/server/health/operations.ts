import { ok, operations } from "../operation/operation.ts"
import { byName, listOf, namedObject, oneOf, optional, text } from "../schema/schemas.ts"
import { EXCLUDABLE } from "./health.ts"

const Health = namedObject("Health", { status: oneOf(["ok"]) })
const Readiness = namedObject("Readiness", {
  status: oneOf(["ready", "degraded", "not ready"]),
  checks: byName(text(), "By part of the appliance: `ok`, or what is wrong and what to do."),
  ...optional({
    warnings: listOf(text(), "Problems that don't stop any part from working, and what to do about them."),
  }),
})

/** The appliance's health. */
export const healthOperations = operations("Operation", "none", {
  healthz: {
    at: "GET /healthz",
    summary: "Whether the process answers",
    answers: ok(Health, "The process answers."),
    examples: [{ summary: "Is it alive?", answer: { status: "ok" } }],
  },
  readyz: {
    at: "GET /readyz",
    summary: "Whether the appliance can serve requests: index, model and crawler",
    query: {
      exclude: oneOf(
        EXCLUDABLE,
        "A part that is checked and listed but does not count for readiness: questions are answered without a crawler.",
      ),
    },
    answers: {
      200: {
        description:
          "The appliance can serve requests. `degraded`: it can only search, because the PostgreSQL server cannot be reached.",
        schema: Readiness,
      },
      503: { description: "A part is not working.", schema: Readiness },
    },
    examples: [
      {
        summary: "Is it ready?",
        answer: { status: "ready", checks: { index: "ok", model: "ok", crawler: "ok" } },
      },
    ],
  },
  openapi: {
    at: "GET /openapi.json",
    summary: "This document",
    answers: {
      200: {
        description: "OpenAPI 3.1.",
        schema: { type: "object", required: ["openapi", "info", "paths"] },
      },
    },
    examples: [{ summary: "The document" }],
  },
  metrics: {
    at: "GET /metrics",
    summary: "Counts and times, for Prometheus",
    description: "`FOSSICK_METRICS` can turn it off or open it to everyone.",
    access: "admin",
    answers: {
      200: { description: "The metrics in Prometheus' text format.", schema: text(), type: "text/plain" },
    },
    examples: [{ summary: "All of them" }],
  },
})
