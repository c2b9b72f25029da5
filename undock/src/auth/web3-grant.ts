import { z } from 'zod'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { text } from './params.ts'

export const Web3Grant = z.object({ chain: text, message: text, signature: text })

/** Refuses as upstream does with Web3 sign-in switched off. */
export async function web3Grant(deps: AuthDeps, { chain }: z.infer<typeof Web3Grant>): Promise<never> {
  if (chain !== 'solana' && chain !== 'ethereum') throw authError('web3ChainUnsupported')
  throw authError(deps.config.web3[chain].enabled ? 'web3Unavailable' : 'web3Disabled')
}
