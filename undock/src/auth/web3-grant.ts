import { z } from 'zod'
import { readBody } from './body.ts'
import type { Call } from './call.ts'
import type { AuthDeps } from './deps.ts'
import { authError } from './errors.ts'
import { text } from './params.ts'

const Web3Grant = z.object({ chain: text, message: text, signature: text })

/** Refuses as upstream does with Web3 sign-in switched off. */
export async function web3Grant(deps: AuthDeps, call: Call): Promise<never> {
  const { solana, ethereum } = deps.config.web3
  // Upstream says so before it reads what was sent.
  if (!solana.enabled && !ethereum.enabled) throw authError('web3Disabled')
  const { chain } = await readBody(call.request, Web3Grant)
  if (chain !== 'solana' && chain !== 'ethereum') throw authError('web3ChainUnsupported')
  throw authError(deps.config.web3[chain].enabled ? 'web3Unavailable' : 'web3Disabled')
}
