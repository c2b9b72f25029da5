import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { s3Of } from '../../testing/s3-client.ts'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10"><style>rect{fill:red}</style>
  <rect width="20" height="10"/><script>document.documentElement.setAttribute('ran', origin)</script></svg>`
const HTML = '<!doctype html><body><script>document.body.textContent = origin</script>text</body>'
const POLICY = "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; sandbox"

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, public) values ('open', 'open', true)`,
    toml: '[storage.image_transformation]\nenabled = true',
  })
})
afterAll(() => harness.close())

async function stored(name: string, contentType: string, body: string) {
  const bucket = harness.service.storage.from('open')
  const { error } = await bucket.upload(name, new Blob([body], { type: contentType }), { contentType, upsert: true })
  expect(error).toBeNull()
  const { data: signed } = await bucket.createSignedUrl(name, 60)
  const service = { authorization: `Bearer ${harness.identity.keys.serviceRole}` }
  const command = new GetObjectCommand({ Bucket: 'open', Key: name, ResponseContentType: contentType })
  return [
    [bucket.getPublicUrl(name).data.publicUrl, {}],
    [signed?.signedUrl ?? '', {}],
    [`${harness.url}/storage/v1/object/authenticated/open/${name}`, service],
    [await getSignedUrl(s3Of(harness), command, { expiresIn: 60 }), {}],
  ] as const
}

const guards = ({ headers }: Response) => [
  headers.get('content-security-policy'),
  headers.get('x-content-type-options'),
]

test.each([
  ['drawing.svg', 'image/svg+xml', SVG],
  ['drawing.txt', 'IMAGE/SVG+XML', SVG],
  ['page.xhtml', 'application/xhtml+xml', HTML],
  ['feed.xml', 'text/xml', '<x/>'],
  ['mail.mhtml', 'message/rfc822', HTML],
])('%s as %s may run no script at any of its URLs', async (name, type, body) => {
  for (const [url, headers] of await stored(name, type, body)) {
    expect(guards(await fetch(url, { headers }))).toEqual([POLICY, 'nosniff'])
  }
})

test.each([
  ['a.txt', 'text/plain', HTML],
  ['a.pdf', 'application/pdf', '%PDF-1.4'],
  ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document', 'x'],
])('%s is shown unchanged', async (name, type, body) => {
  for (const [url, headers] of await stored(name, type, body)) {
    const response = await fetch(url, { headers })
    expect([response.headers.get('content-type'), ...guards(response)]).toEqual([type, null, 'nosniff'])
  }
})

test('serves HTML as text, however its type is written', async () => {
  for (const type of ['text/html', 'Text/HTML; charset=utf-8']) {
    const [[url]] = await stored('page.html', type, HTML)
    const response = await fetch(url)
    expect([response.headers.get('content-type'), ...guards(response)]).toEqual(['text/plain', null, 'nosniff'])
  }
})

test('HEAD and a passed-through SVG have the same headers, and a converted SVG is an image', async () => {
  const [[url]] = await stored('drawing.svg', 'image/svg+xml', SVG)
  expect(guards(await fetch(url, { method: 'HEAD' }))).toEqual([POLICY, 'nosniff'])
  await s3Of(harness).send(new HeadObjectCommand({ Bucket: 'open', Key: 'drawing.svg' }))
  const rendered = url.replace('/object/', '/render/image/')
  const passed = await fetch(rendered)
  expect([passed.headers.get('content-type'), ...guards(passed)]).toEqual(['image/svg+xml', POLICY, 'nosniff'])
  const image = await fetch(`${rendered}?format=webp`)
  expect([image.headers.get('content-type'), ...guards(image)]).toEqual(['image/webp', null, 'nosniff'])
})
