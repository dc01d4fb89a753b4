import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"

import { createPublicClient, createTestClient, createWalletClient, http, parseAbi, publicActions } from "viem"
import { baseSepolia } from "viem/chains"

import type { Address } from "../chain/address.ts"
import { CHAIN_PACKAGE, chainProgram } from "./chain-program.ts"
import { deployer, drainPayer, payer, payerAxios, payerV1 } from "./wallets.ts"
import { freePort } from "#base/testing/free-port.ts"

/** The network that the local chain claims to be, so that clients accept its token without configuration. */
export const NETWORK = "eip155:84532"
/**
 * The network as viem describes it. We switch off viem's search for replaced transactions: during that search viem
 * ignores new blocks, and if it misses the one with our transaction, it waits in vain for another until its timeout.
 */
export const LOCAL_CHAIN = { ...baseSepolia, supportsTransactionReplacementDetection: false }
/** The address of USDC on Base Sepolia. */
export const USDC: Address = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
const MULTICALL: Address = "0xcA11bde05977b3631167028862bE2a173976CA11"
const FUNDS = 10_000_000n
const POLL_MS = 20

export const tokenAbi = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function mint(address,uint256)",
  "function transfer(address,uint256) returns (bool)",
  "function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)",
])

interface Artifact {
  readonly abi: readonly unknown[]
  readonly bytecode: Address
  readonly deployedBytecode: Address
}

const artifact = (name: string): Artifact =>
  JSON.parse(readFileSync(join(import.meta.dirname, `artifacts/${name}.json`), "utf8")) as Artifact

/** Why no chain can run here, as the end of a message; empty if one can. */
export const noChain: string = chainProgram() === null ? `: ${CHAIN_PACKAGE} is not installed` : ""

/** A separate chain on loopback, with a token that behaves like USDC and payers who own some. */
export async function startChain() {
  const program = chainProgram()
  if (program === null) throw new Error(`${CHAIN_PACKAGE} is not installed`)
  const port = await freePort()
  const rpcUrl = `http://127.0.0.1:${port}`
  const child = spawn(
    program,
    ["--host", "127.0.0.1", "--port", String(port), "--chain-id", String(LOCAL_CHAIN.id), "--silent"],
    { stdio: ["ignore", "ignore", "inherit"] },
  )
  const exited = once(child, "exit")
  const kill = () => child.kill("SIGKILL")
  // Stops the chain even if a test never disposes of it.
  process.once("exit", kill)
  await using starting = new AsyncDisposableStack()
  starting.defer(async () => {
    process.off("exit", kill)
    child.kill("SIGTERM")
    await exited
  })

  const network = { chain: LOCAL_CHAIN, transport: http(rpcUrl, { retryCount: 0 }), pollingInterval: POLL_MS }
  const reader = createPublicClient(network)
  const control = createTestClient({ ...network, mode: "anvil" })
  while (!(await reader.getChainId().catch(() => null))) {
    if (child.exitCode !== null) throw new Error(`the chain exited with code ${child.exitCode}`)
    await pause(POLL_MS)
  }
  const wallet = (account: typeof deployer) =>
    createWalletClient({ ...network, account }).extend(publicActions)

  async function send(
    account: typeof deployer,
    functionName: "mint" | "transfer",
    to: Address,
    amount: bigint,
  ) {
    const sender = wallet(account)
    const hash = await sender.writeContract({
      address: USDC,
      abi: tokenAbi,
      functionName,
      args: [to, amount],
    })
    await sender.waitForTransactionReceipt({ hash })
  }

  await control.setCode({ address: MULTICALL, bytecode: artifact("MiniMulticall3").deployedBytecode })
  // The token is deployed normally once, which fills in its constants; then its code is copied to USDC's address.
  const { abi, bytecode } = artifact("TestUSDC")
  const hash = await wallet(deployer).deployContract({ abi, bytecode })
  const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
  await control.setCode({ address: USDC, bytecode: (await reader.getCode({ address: contractAddress! }))! })
  for (const { address } of [payer, payerV1, payerAxios, drainPayer])
    await send(deployer, "mint", address, FUNDS)

  const started = starting.move()
  return {
    rpcUrl,
    reader,
    control,
    wallet,
    balance: (address: Address) =>
      reader.readContract({ address: USDC, abi: tokenAbi, functionName: "balanceOf", args: [address] }),
    mint: (to: Address, amount: bigint) => send(deployer, "mint", to, amount),
    transfer: (from: typeof deployer, to: Address, amount: bigint) => send(from, "transfer", to, amount),
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export type TestChain = Awaited<ReturnType<typeof startChain>>

export { freePort }
