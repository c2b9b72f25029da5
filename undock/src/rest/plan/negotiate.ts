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

/** The first media type of the Accept header that the result can be given in.
 *  @param target The table whose rows the result has, maybe with handlers of its own.
 *  @throws PGRST107 */
export function negotiate(
  { action, accepts, preferences }: ApiRequest,
  target: QualifiedName,
  defaultSelect: boolean,
  cache: SchemaCache,
  { planEnabled }: RestSettings,
): ResolvedHandler {
  const lookup = (media: MediaType): ResolvedHandler | undefined => {
    const name = mediaTypeName(media)
    return (
      (defaultSelect
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
    if (!planEnabled) return undefined
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
