import { migrate, type StateStore } from "#crawler/state-store.ts"

/** What is counted in blocks: a credit is due each time a key's running count crosses a block. */
export type Meter = keyof typeof rates

/** Successful pages in a block, and what a full block costs. */
const rates = {
  "extract-basic": { block: 5, credits: 1 },
  "extract-advanced": { block: 5, credits: 2 },
  map: { block: 10, credits: 1 },
  "map-instructions": { block: 10, credits: 2 },
} as const satisfies Record<string, { block: number; credits: number }>

/**
 * Counts successes per key and tells the credits they bring. Counting runs on across calls, so that five
 * extracts of one page cost what one extract of five pages does, and a call may cost nothing.
 */
export interface CreditMeters {
  /** Adds `successes`, at least 0, and returns the credits that became due with them. */
  add(keyId: string, meter: Meter, successes: number): number
}

const steps = [
  `create table credit_meters (
     key_id text not null,
     meter text not null,
     successes integer not null,
     primary key (key_id, meter)
   ) strict`,
]

export function openCreditMeters(db: StateStore): CreditMeters {
  migrate(db, "credits", steps)
  const count = db.prepare(
    `insert into credit_meters (key_id, meter, successes) values (?, ?, ?)
     on conflict (key_id, meter) do update set successes = successes + excluded.successes
     returning successes`,
  )
  return {
    add(keyId, meter, successes) {
      if (successes === 0) return 0
      const after = Number(count.get(keyId, meter, successes)!["successes"])
      const { block, credits } = rates[meter]
      const blocks = Math.floor(after / block) - Math.floor((after - successes) / block)
      return blocks * credits
    },
  }
}
