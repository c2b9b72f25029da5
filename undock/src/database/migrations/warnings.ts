import { readFrames } from '../engine/frames.ts'

const NOTICE = 'N'.charCodeAt(0)
const RAISED = '01000'

/** What `raise warning` said in a response. Postgres' own warnings, of a transaction within another or a right that was
 *  not there to revoke, have codes of their own. */
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
    // 'V' is the severity in no language.
    if (fields.get('V') === 'WARNING' && fields.get('C') === RAISED) found.push(fields.get('M') ?? '')
  }
  return found
}
