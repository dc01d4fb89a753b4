import { ok, operations } from "../operation/operation.ts"
import { byName, listOf, namedObject, oneOf, optional, text } from "../schema/schemas.ts"
import { EXCLUDABLE } from "./health.ts"

const Health = namedObject("Health", { status: oneOf(["ok"]) })
const Readiness = namedObject("Readiness", {
  status: oneOf(["ready", "degraded", "not ready"]),
  checks: byName(text(), "By part of the appliance: `ok`, or what is wrong and what to do."),
  ...optional({ warnings: listOf(text(), "Problems while all parts work, and what to do about them.") }),
})

/** How the appliance is. */
export const healthOperations = operations("Operation", "none", {
  healthz: {
    at: "GET /healthz",
    summary: "Whether the process answers",
    answers: ok(Health, "It does."),
    examples: [{ summary: "Is it alive?", answer: { status: "ok" } }],
  },
  readyz: {
    at: "GET /readyz",
    summary: "Whether it can serve: index, model and crawler",
    query: {
      exclude: oneOf(
        EXCLUDABLE,
        "A part that is looked at and shown, and is no reason not to be ready: questions are answered without a crawler.",
      ),
    },
    answers: {
      200: {
        description: "It can. `degraded`: it only searches, as the PostgreSQL server cannot be reached.",
        schema: Readiness,
      },
      503: { description: "Something is missing.", schema: Readiness },
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
    description: "Not there, or open to anybody, where `FOSSICK_METRICS` says so.",
    access: "admin",
    answers: {
      200: { description: "In the text format.", schema: text(), type: "text/plain" },
    },
    examples: [{ summary: "All of them" }],
  },
})
