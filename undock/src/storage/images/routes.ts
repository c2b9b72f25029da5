import { asService } from '../caller.ts'
import { storageError } from '../errors.ts'
import { type Call, type Route, route } from '../http/router.ts'
import { parse } from '../http/validation.ts'
import { findObject } from '../objects/objects.ts'
import { named, publicObject, tokenOf } from '../objects/routes.ts'
import type { ObjectRow } from '../objects/rows.ts'
import { ImageRenderer, parseTransformation, Transformation } from './images.ts'

/** One for all stacks of the process: what it limits is the machine's work. */
const renderer = new ImageRenderer()

const render = (call: Call, row: ObjectRow, transformation: Transformation, expires?: Date) =>
  renderer.render(
    call.request,
    row,
    transformation,
    { download: call.query.get('download') ?? undefined, expires },
    call.deps,
  )

/** `/render/image/…` @see storage-api src/http/routes/render */
export const renderRoutes: readonly Route[] = [
  route('GET|HEAD', '/render/image/public/{bucket}/{key...}', 'anyone', 'storage.render.image_public', async (call) => {
    const transformation = transformationOf(call)
    return render(call, await publicObject(call), transformation)
  }),
  route(
    'GET|HEAD',
    '/render/image/authenticated/{bucket}/{key...}',
    'key',
    'storage.render.image_authenticated',
    async (call) => {
      const transformation = transformationOf(call)
      const { bucket, key } = named(call)
      return render(call, await findObject(bucket, key, call.caller, call.deps), transformation)
    },
  ),
  route('GET|HEAD', '/render/image/sign/{bucket}/{key...}', 'anyone', 'storage.render.image_sign', async (call) => {
    requireEnabled(call)
    const { bucket, key } = named(call)
    const token = await call.deps.signer.verifyDownload(tokenOf(call), `${bucket}/${key}`)
    const row = await findObject(bucket, key, asService(call.caller), call.deps)
    const transformation = parseTransformation(token.transformations ?? '')
    // The token's own claim: `origin` is not among the transformations and yet means something.
    const format = token.format === 'origin' ? { format: 'origin' as const } : {}
    return render(call, row, { ...transformation, ...format }, new Date(token.exp * 1000))
  }),
]

function transformationOf(call: Call): Transformation {
  requireEnabled(call)
  return parse(Transformation, Object.fromEntries(call.query), 'querystring')
}

function requireEnabled({ deps }: Call): void {
  if (deps.config.image_transformation?.enabled) return
  throw storageError('FeatureNotEnabled', {
    message: 'Image transformation is off: set enabled = true under [storage.image_transformation] in config.toml',
  })
}
