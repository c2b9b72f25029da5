import { tryJson } from '../kernel/json.ts'
import { hideFormSecrets, hideJsonSecrets } from './redaction.ts'

/** A recorded body: text with its secrets replaced, or why it wasn't recorded.
 *  @property hidden The paths of replaced values, such as `0.password`. */
export type RecordedBody = { readonly text: string; readonly hidden: readonly string[] } | { readonly omitted: string }

/** The maximum size of a kept body: 64 KiB. */
export const BODY_SIZE = 64 * 1024

export const BODIES_OFF =
  'bodies are not kept. Set bodies = true under [timeline] in supabase/undock.toml, start again, and repeat the request'

const TOO_LONG: RecordedBody = { omitted: `it is longer than ${BODY_SIZE / 1024} KiB` }
const NOT_READ: RecordedBody = { omitted: 'it was not read to its end' }
const OTHER_KIND: RecordedBody = { omitted: 'it is neither JSON nor a form, so secrets in it cannot be found' }

/** A body being read. */
export type BodyCollector = {
  onBytes(bytes: Uint8Array): void
  onEnd(): void
  /** What has been read so far; null for an empty body. */
  body(): RecordedBody | null
}

/** A body's message. @property type The header `content-type`. */
export type BodyKind = { readonly service: string; readonly type: string | null }

/** Collects a body if its type allows finding secrets. @param onDone Called once, at the end of the body. */
export function collectBody(kind: BodyKind, onDone: () => void = () => undefined): BodyCollector {
  let parts: Uint8Array[] | null = []
  let size = 0
  let body: RecordedBody | null | undefined
  return {
    onBytes(bytes) {
      size += bytes.byteLength
      if (size > BODY_SIZE) parts = null
      else parts?.push(bytes)
    },
    onEnd() {
      if (body !== undefined) return
      body = parts === null ? TOO_LONG : size === 0 ? null : recordBody(kind, Buffer.concat(parts).toString())
      parts = null
      onDone()
    },
    body: () => (body === undefined ? NOT_READ : body),
  }
}

/** Removes a body's secrets. */
export function recordBody({ service, type }: BodyKind, text: string): RecordedBody {
  const essence = type?.split(';')[0]?.trim().toLowerCase() ?? ''
  const hidden =
    essence === 'application/x-www-form-urlencoded'
      ? hideFormSecrets(text)
      : /[/+]json$/.test(essence) || looksLikeJson(text)
        ? hideJsonSecrets(text, service)
        : null
  return hidden ?? OTHER_KIND
}

/** The official clients send some JSON as text. */
const looksLikeJson = (text: string): boolean => /^\s*[[{]/.test(text)

/** Returns the response with a body that's collected while being read. */
export function watchResponse(response: Response, { onBytes, onEnd }: BodyCollector): Response {
  if (response.body === null) return response
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        onBytes(bytes)
        controller.enqueue(bytes)
      },
      flush: onEnd,
    }),
  )
  const { status, statusText, headers } = response
  return new Response(watched, { status, statusText, headers })
}

/** A place where two bodies differ. @property path Such as `0.title`; empty for the whole body.
 *  @property before JSON; undefined if missing. The same for `after`. */
export type BodyDifference = { readonly path: string; readonly before?: string; readonly after?: string }

/** The differences of two bodies; null if one is unknown. */
export function differencesOf(before: RecordedBody | null, after: RecordedBody | null): BodyDifference[] | null {
  if ((before && 'omitted' in before) || (after && 'omitted' in after)) return null
  return compare(jsonOrText(before?.text), jsonOrText(after?.text), '')
}

/** Returns the parsed JSON, or else the text. */
function jsonOrText(text: string | undefined): unknown {
  return text === undefined ? undefined : (tryJson(text) ?? text)
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
