/** Makes this process, and processes that it starts, keep their state at `address` (`FOSSICK_STATE`; empty: in files) until the returned object is disposed of. */
export function stateOn(address: string): Disposable {
  const { FOSSICK_STATE: before } = process.env
  process.env["FOSSICK_STATE"] = address
  return {
    [Symbol.dispose]() {
      if (before === undefined) delete process.env["FOSSICK_STATE"]
      else process.env["FOSSICK_STATE"] = before
    },
  }
}
