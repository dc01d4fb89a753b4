import { type Operation, query } from "../operation/operation.ts"
import { listOf, object, oneOf, ref, text } from "../operation/schemas.ts"
import { EXCLUDABLE } from "./health.ts"

/** How the appliance is. */
export const healthOperations: readonly Operation[] = [
  {
    id: "healthz",
    method: "get",
    path: "/healthz",
    tag: "Operation",
    summary: "Whether the process answers",
    access: "none",
    answers: { 200: { description: "It does.", schema: ref("Health") } },
    examples: [{ summary: "Is it alive?", status: 200, answer: { status: "ok" } }],
  },
  {
    id: "readyz",
    method: "get",
    path: "/readyz",
    tag: "Operation",
    summary: "Whether it can serve: index, model and crawler",
    access: "none",
    parameters: [
      query(
        "exclude",
        "A part that is looked at and shown, and is no reason not to be ready: questions are answered without a crawler.",
        { type: "string", enum: EXCLUDABLE },
      ),
    ],
    answers: {
      200: {
        description: "It can; `degraded`: searches alone, while the server of the state cannot be reached.",
        schema: ref("Readiness"),
      },
      503: { description: "Something is missing.", schema: ref("Readiness") },
    },
    examples: [
      {
        summary: "Is it ready?",
        status: 200,
        answer: { status: "ready", checks: { index: "ok", model: "ok", crawler: "ok" } },
      },
    ],
  },
  {
    id: "openapi",
    method: "get",
    path: "/openapi.json",
    tag: "Operation",
    summary: "This document",
    access: "none",
    answers: {
      200: {
        description: "OpenAPI 3.1.",
        schema: { type: "object", required: ["openapi", "info", "paths"] },
      },
    },
    examples: [{ summary: "The document", status: 200 }],
  },
  {
    id: "metrics",
    method: "get",
    path: "/metrics",
    tag: "Operation",
    summary: "Counts and times, for Prometheus",
    description: "Not there, or open to anybody, where `FOSSICK_METRICS` says so.",
    access: "admin",
    answers: {
      200: { description: "In the text format.", schema: { type: "string" }, type: "text/plain" },
    },
    examples: [{ summary: "All of them", status: 200 }],
  },
]

const healthAnswer = object({ status: oneOf(["ok"]) })
const readyAnswer = object(
  {
    status: oneOf(["ready", "degraded", "not ready"]),
    checks: {
      type: "object",
      additionalProperties: { type: "string" },
      description: "By part of the appliance: `ok`, or what is wrong and what to do.",
    },
  },
  { optional: { warnings: listOf(text(), "What is out of order while all parts work, and what to do.") } },
)

export const healthSchemas = { Health: healthAnswer, Readiness: readyAnswer }
