import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'
import { describeTransformation, encodeTransformation, parseTransformation, type Transformation } from './images.ts'

describe('the parameters of a transformation', () => {
  test.each([
    [{ width: 100 }, ['width:100', 'resizing_type:fill']],
    [{ height: 9000, width: 50, resize: 'contain' }, ['height:2500', 'width:50', 'resizing_type:fit']],
    [
      { width: 5, resize: 'fill', quality: 70, format: 'webp' },
      ['width:5', 'resizing_type:force', 'quality:70', 'format:webp'],
    ],
    [{ format: 'origin' }, []],
    [{ width: 1, gravity: 'fp', x_offset: 0, y_offset: 1 }, ['width:1', 'resizing_type:fill', 'gravity:fp:0:1']],
    [{ gravity: 'sm' }, ['gravity:sm']],
  ] as [Transformation, string[]][])('%j', (transformation, words) => {
    expect(describeTransformation(transformation)).toEqual(words)
    const { format, ...kept } = parseTransformation(encodeTransformation(transformation))
    const { format: asked, ...rest } = transformation
    expect(kept).toEqual({ ...rest, ...(rest.height && { height: Math.min(rest.height, 2500) }) })
    expect(format).toBe(asked === 'origin' ? undefined : asked)
  })

  test('drops other fields of a token', () => {
    expect(parseTransformation('width:1e9999,height:;drop,__proto__:x,resize:undefined')).toEqual({})
  })
})

describe('rendering', () => {
  let harness: StorageServer
  let service: string
  beforeAll(async () => {
    harness = await startStorageServer({
      toml: '[storage.image_transformation]\nenabled = true',
      script: "insert into storage.buckets (id, name, public) values ('open', 'open', true), ('shut', 'shut', false)",
    })
    service = harness.identity.keys.serviceRole
    const picture = { create: { width: 400, height: 200, channels: 3, background: '#c00' } } as const
    const jpeg = await sharp(picture).jpeg().toBuffer()
    for (const bucket of ['open', 'shut']) {
      await harness.service.storage
        .from(bucket)
        .upload('a.jpg', jpeg, { contentType: 'image/jpeg', cacheControl: '60' })
    }
    const store = harness.service.storage.from('open')
    await store.upload('lies.png', 'not an image', { contentType: 'image/png' })
    await store.upload('cut.jpg', jpeg.subarray(0, 300), { contentType: 'image/jpeg' })
    const bomb = await sharp({ create: { width: 12_000, height: 12_000, channels: 3, background: '#000' } })
      .png()
      .toBuffer()
    await store.upload('bomb.png', bomb, { contentType: 'image/png' })
  })
  afterAll(() => harness.close())

  const render = (path: string, headers: HeadersInit = {}, token?: string) =>
    harness.fetch(`/render/image/${path}`, { headers }, token)

  test.each([
    ['width=100', {}, 'image/jpeg', 100, 50],
    ['width=100&height=100', {}, 'image/jpeg', 100, 100],
    ['width=100&resize=contain', {}, 'image/jpeg', 100, 50],
    ['width=100&height=100&resize=fill&quality=20', {}, 'image/jpeg', 100, 100],
    ['width=10&format=webp', {}, 'image/webp', 10, 5],
    ['width=10', { accept: 'image/webp,*/*' }, 'image/webp', 10, 5],
    ['width=10&format=origin', { accept: 'image/webp,*/*' }, 'image/jpeg', 10, 5],
    ['width=50&height=50&gravity=fp&x_offset=0&y_offset=1', {}, 'image/jpeg', 50, 50],
    ['width=50&height=50&gravity=sm', {}, 'image/jpeg', 50, 50],
    ['', {}, 'image/jpeg', 400, 200],
  ] as const)('%s', async (query, headers, type, width, height) => {
    const response = await render(`public/open/a.jpg?${query}`, headers)
    const image = await sharp(Buffer.from(await response.arrayBuffer())).metadata()
    expect([response.status, response.headers.get('content-type'), image.width, image.height]).toEqual([
      200,
      type,
      width,
      height,
    ])
    expect(response.headers.get('cache-control')).toBe('max-age=60')
  })

  test('a private image needs a token, or a signed URL that fixes the transformation', async () => {
    expect((await render('public/shut/a.jpg?width=5')).status).toBe(400)
    expect((await render('authenticated/shut/a.jpg?width=5', {}, harness.identity.keys.anon)).status).toBe(400)
    expect((await render('authenticated/shut/a.jpg?width=5', {}, service)).status).toBe(200)
    const { data } = await harness.service.storage
      .from('shut')
      .createSignedUrl('a.jpg', 60, { transform: { width: 20 } })
    const signed = await fetch(`${data?.signedUrl}&width=300`)
    expect(signed.headers.get('x-transformations')).toBe('width:20,resizing_type:fill')
    expect((await sharp(Buffer.from(await signed.arrayBuffer())).metadata()).width).toBe(20)
  })

  test.each([
    ['lies.png?width=5', 'The source image is invalid or unsupported for rendering'],
    ['cut.jpg?width=5', 'The source image is invalid or unsupported for rendering'],
    ['bomb.png?width=5', 'The source image resolution is too large to process'],
    ['a.jpg?width=wide', 'querystring/width must be number'],
    ['a.jpg?quality=5', 'querystring/quality must be >= 20'],
    ['a.jpg?gravity=fp', 'Focal point requires x and y coordinates within 0-1 range'],
    ['none.jpg?width=5', 'Object not found'],
  ])('%s is an error, not a crash', async (path, message) => {
    const response = await render(`public/open/${path}`)
    expect([response.status, (await response.json()).message]).toEqual([400, message])
  })

  test('an SVG stays unchanged unless a format is requested', async () => {
    const drawing = '<?xml version="1.0"?>\n<!-- a --><svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"/>'
    await harness.service.storage.from('open').upload('a.svg', Buffer.from(drawing), { contentType: 'image/svg+xml' })
    const same = await render('public/open/a.svg?width=20', { accept: 'image/webp' })
    expect([same.headers.get('content-type'), await same.text()]).toEqual(['image/svg+xml', drawing])
    expect((await render('public/open/a.svg?width=20&format=webp')).headers.get('content-type')).toBe('image/webp')
  })

  test('serves an image to each of many concurrent requests', async () => {
    const sizes = Array.from({ length: 40 }, (_, index) => index + 1)
    const statuses = await Promise.all(
      sizes.map(async (size) => (await render(`public/open/a.jpg?width=${size}`)).status),
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
