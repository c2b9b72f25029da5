import type { RecordedBody } from './bodies.ts'

/** A place where two bodies differ. @property path Such as `0.title`; empty for the whole body.
 *  @property before JSON; undefined where it is missing, and so for `after`. */
export type BodyDifference = { readonly path: string; readonly before?: string; readonly after?: string }

/** The differences of two bodies; null if one is unknown. */
export function differencesOf(before: RecordedBody | null, after: RecordedBody | null): BodyDifference[] | null {
  if ((before && 'omitted' in before) || (after && 'omitted' in after)) return null
  return compare(jsonOrText(before?.text), jsonOrText(after?.text), '')
}

/** JSON where it is, else the text itself. */
function jsonOrText(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function compare(before: unknown, after: unknown, path: string): BodyDifference[] {
  const [old, now] = [before, after].map((value) => JSON.stringify(value))
  if (old === now) return []
  if (!isNested(before) || !isNested(after) || Array.isArray(before) !== Array.isArray(after))
    return [{ path, ...(old !== undefined && { before: old }), ...(now !== undefined && { after: now }) }]
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
    compare(before[name], after[name], path === '' ? name : `${path}.${name}`),
  )
}

const isNested = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
