import type { BodySchema } from "../../server/wire/body-schema.ts"

export const firstSourceBody: BodySchema<{ readonly source?: string }> = {
  properties: {
    source: { type: "string", minLength: 1, description: "Its name; left out: none goes first." },
  },
}

/** Of a call that takes no body, or an empty object. */
export const runBackupBody: BodySchema<Record<string, never>> = { properties: {} }

export const SETTING_PARTS = ["api", "crawler", "engine", "payments"] as const
export const SETTING_ORIGINS = ["environment", "file", "default"] as const
