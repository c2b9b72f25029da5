import { decode, type ExchangeFunction, encodeScript } from './exchange.ts'

/** Runs a script by the simple protocol; a transaction that it leaves open is rolled back. */
export async function runScript({ exchange }: { readonly exchange: ExchangeFunction }, script: string): Promise<void> {
  const bytes = await exchange(encodeScript(script))
  let isOpen = true
  try {
    isOpen = decode(bytes).status !== 'I'
  } finally {
    // Also after an error, because others use the session. Without an open transaction this only warns.
    if (isOpen) await exchange(encodeScript('rollback'))
  }
}
