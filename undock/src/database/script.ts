import { decode, encodeScript } from './engine/exchange.ts'
import type { Session } from './session.ts'

/** Runs a script by the simple protocol; what it leaves open (`begin` without end) is rolled back. */
export async function runScript({ exchange }: Pick<Session, 'exchange'>, script: string): Promise<void> {
  const bytes = await exchange(encodeScript(script))
  let isOpen = true
  try {
    isOpen = decode(bytes).status !== 'I'
  } finally {
    // Also after an error: the session is everybody's. Where nothing is open, this is no more than a warning.
    if (isOpen) await exchange(encodeScript('rollback'))
  }
}
