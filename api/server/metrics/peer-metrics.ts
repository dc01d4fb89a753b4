import { Counter, Gauge, type Registry } from "prom-client"

import type { PeerCounts } from "../../services/federation/federation.ts"

/** How well peer appliances respond. */
export function registerPeers(registry: Registry, peers: () => readonly PeerCounts[]): void {
  const up: Gauge = new Gauge({
    name: "fossick_peer_up",
    help: "1 while the peer is considered up, 0 while it is not asked.",
    labelNames: ["peer"],
    registers: [],
    collect() {
      up.reset()
      for (const { name, isUp } of peers()) up.set({ peer: name }, isUp ? 1 : 0)
    },
  })
  const questions: Counter = new Counter({
    name: "fossick_peer_questions_total",
    help: "Questions to the peer since the start, by outcome.",
    labelNames: ["peer", "state"],
    registers: [],
    collect() {
      questions.reset()
      for (const { name, asked: counts } of peers())
        for (const [state, count] of counts) questions.inc({ peer: name, state }, count)
    },
  })
  for (const metric of [up, questions]) registry.registerMetric(metric)
}
