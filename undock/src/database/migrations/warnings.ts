import { readFrames } from '../protocol/frames.ts'

const NOTICE = 'N'.charCodeAt(0)
const RAISED = '01000'

/** The messages of `raise warning` in a response. Postgres' own warnings, such as for nested transactions, have other codes. */
export function readWarnings(bytes: Uint8Array): string[] {
  const found: string[] = []
  for (const { type, body } of readFrames(bytes)) {
    if (type !== NOTICE) continue
    const fields = new Map(
      body
        .toString('utf8')
        .split('\0')
        .map((field) => [field.slice(0, 1), field.slice(1)] as const),
    )
    // 'V' is the severity that is not translated.
    if (fields.get('V') === 'WARNING' && fields.get('C') === RAISED) found.push(fields.get('M') ?? '')
  }
  return found
}
