import { Agent, request as send } from 'node:http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type StorageServer, startStorageServer } from '../../testing/storage-server.ts'

let harness: StorageServer
beforeAll(async () => {
  harness = await startStorageServer({
    script: `insert into storage.buckets (id, name, file_size_limit, allowed_mime_types)
      values ('docs', 'docs', 500000, '{text/*}')`,
  })
})
afterAll(() => harness.close())

/** Uploads, then sends another request on the same connection, which a server may close only after announcing it. */
async function uploadThenAsk(body: Buffer, headers: Record<string, string>): Promise<[number, boolean, number]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const call = (path: string, method: string, content?: Buffer) =>
    new Promise<{ status: number; reused: boolean }>((resolve, reject) => {
      const request = send(`${harness.url}/storage/v1${path}`, {
        agent,
        method,
        headers: { authorization: `Bearer ${harness.identity.keys.serviceRole}`, ...(content && headers) },
      })
      request.once('error', reject)
      request.once('response', (response) => {
        response.resume().once('end', () => resolve({ status: response.statusCode ?? 0, reused: request.reusedSocket }))
      })
      request.end(content)
    })
  const uploaded = await call('/object/docs/a.txt', 'POST', body)
  await call('/bucket', 'GET')
  // The bridge to Node's server waits half a second for an unread body before closing the connection.
  await new Promise((resolve) => setTimeout(resolve, 700))
  const asked = await call('/bucket', 'GET')
  agent.destroy()
  return [uploaded.status, asked.reused, asked.status]
}

const form = (size: number): Buffer =>
  Buffer.concat([
    Buffer.from('--x\r\ncontent-disposition: form-data; name="f"; filename="f"\r\ncontent-type: text/plain\r\n\r\n'),
    Buffer.alloc(size),
    Buffer.from('\r\n--x--\r\n'),
  ])

test.each([
  ['a disallowed type', Buffer.alloc(400_000), { 'content-type': 'image/png' }],
  ['too large, with Content-Length', Buffer.alloc(5_000_000), { 'content-type': 'text/plain' }],
  ['too large in chunks', Buffer.alloc(5_000_000), { 'content-type': 'text/plain', 'transfer-encoding': 'chunked' }],
  ['too large in a form', form(5_000_000), { 'content-type': 'multipart/form-data; boundary=x' }],
])('a rejected upload (%s) gets a response and leaves its connection usable', async (_name, body, headers) => {
  expect(await uploadThenAsk(body, headers as Record<string, string>)).toEqual([400, true, 200])
})
