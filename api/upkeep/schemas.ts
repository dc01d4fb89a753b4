import type { BodySchema } from "../wire/body-schema.ts"

export const firstSourceBody: BodySchema<{ readonly source?: string }> = {
  properties: {
    source: { type: "string", minLength: 1, description: "Its name; left out: none goes first." },
  },
}

export const SETTING_PARTS = ["api", "crawler", "engine", "payments"] as const
export const SETTING_ORIGINS = ["environment", "file", "default"] as const
