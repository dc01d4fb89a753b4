import { type HDAccount, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { createNonceManager } from "viem"
import { jsonRpc } from "viem/nonce"

// The accounts every local chain of this kind starts with. Their keys are public: never use them on a real network.
const MNEMONIC = "test test test test test test test test test test test junk"
const account = (addressIndex: number): HDAccount => mnemonicToAccount(MNEMONIC, { addressIndex })

export const payer: HDAccount = account(1)
/** The payee. */
export const payee: HDAccount = account(2)
/** An account that owns none of the token. */
export const brokePayer: HDAccount = account(3)
/** An account that spends its tokens elsewhere while it is paying. */
export const drainPayer: HDAccount = account(4)
export const payerV1: HDAccount = account(5)
export const stranger: HDAccount = account(6)
export const payerAxios: HDAccount = account(7)
export const deployer: HDAccount = account(9)

/** Each facilitator counts its own transactions: viem would share one counter, and a second chain would then never answer. */
export const facilitatorAccount = (): PrivateKeyAccount =>
  privateKeyToAccount("0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80", {
    nonceManager: createNonceManager({ source: jsonRpc() }),
  })
