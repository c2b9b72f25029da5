import { restError } from '../errors.ts'
import { type MediaType, mediaTypeName } from '../media-type.ts'
import type { ApiRequest } from '../request/request.ts'
import {
  handlerKey,
  type MediaHandler,
  type QualifiedName,
  type ResolvedHandler,
  type SchemaCache,
} from '../schema-cache/model.ts'
import type { RestSettings } from '../settings.ts'

export type NegotiateOptions = {
  /** The table whose rows the result has; it may have media handlers of its own. */
  readonly target: QualifiedName
  /** Whether the request left the columns to the table; only then its own handlers apply. */
  readonly hasDefaultSelect: boolean
  readonly cache: SchemaCache
  readonly settings: RestSettings
}

/** Finds the first media type of the Accept header that the result can be rendered in.
 *  @throws PGRST107 */
export function negotiate(
  { action, accepts, preferences }: ApiRequest,
  { target, hasDefaultSelect, cache, settings }: NegotiateOptions,
): ResolvedHandler {
  const lookup = (media: MediaType): ResolvedHandler | undefined => {
    const name = mediaTypeName(media)
    return (
      (hasDefaultSelect
        ? (cache.mediaHandlers.get(handlerKey(target, '*/*')) ?? cache.mediaHandlers.get(handlerKey(target, name)))
        : undefined) ?? cache.mediaHandlers.get(handlerKey(null, name))
    )
  }
  const builtIn = (media: MediaType): MediaHandler | null =>
    media.kind === 'object' || media.kind === 'strippedArray' ? media : null
  const match = (media: MediaType): ResolvedHandler | undefined => {
    const own = builtIn(media)
    if (own) return { handler: own, media }
    if (media.kind !== 'plan') return lookup(media)
    if (!settings.planEnabled) return undefined
    const handler = builtIn(media.of) ?? lookup(media.of)?.handler
    return handler && { handler, media }
  }
  const found = accepts.map(match).find((one) => one !== undefined)
  if (!found) throw restError('PGRST107', [accepts.map(mediaTypeName).join(', ')])
  const bodyless =
    (action.kind === 'mutate' && preferences.representation !== 'representation') ||
    (action.kind === 'read' && action.headersOnly) ||
    (action.kind === 'call' && action.method === 'HEAD')
  return bodyless ? { handler: { kind: 'none' }, media: found.media } : found
}
