import { literal } from './literal.ts'

export type Refusal = { readonly code: string; readonly message: string; readonly hint?: string }

/** A statement that fails with this error in place of the one that is refused, so that a transaction around it fails too. */
export function refusalStatement({ code, message, hint }: Refusal): string {
  const options = { errcode: code, message, ...(hint === undefined ? {} : { hint }) }
  const using = Object.entries(options).map(([name, value]) => `${name} = ${literal(value)}`)
  return `do $undock$ begin raise exception using ${using.join(', ')}; end $undock$`
}
