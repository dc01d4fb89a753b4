import { expect, test } from "vitest"
import { InTurn } from "./in-turn.ts"

test("half of the receivers are spoken to for one key at most, however slow they are", async () => {
  const sending = new InTurn(4, () => {})
  const slow = Promise.withResolvers<void>()
  const begun: string[] = []
  const begin = (receiver: string, key: string) =>
    sending.begin(
      receiver,
      () => {
        begun.push(receiver)
        return slow.promise
      },
      key,
    )
  for (const receiver of ["a1", "a2", "a3", "a4"]) begin(receiver, "a")
  expect([begun, sending.served, sending.room]).toEqual([["a1", "a2"], ["a"], 2])
  begin("b1", "b")
  expect([begun, [...sending.busy], sending.room]).toEqual([["a1", "a2", "b1"], ["a1", "a2", "b1"], 1])
  slow.resolve()
  await sending.ended()
  expect([sending.served, sending.room]).toEqual([[], 4])
})
