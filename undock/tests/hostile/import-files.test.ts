// Importing files from a project whose rows contain unsafe paths and whose responses are wrong.
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { FolderContents } from '../../src/storage/files/folder.ts'
import { fetchFiles } from '../../src/storage/objects/fetch-files.ts'

let folder: string
let store: FolderContents
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'undock-import-'))
  store = await FolderContents.open(folder)
})
afterEach(() => rmSync(folder, { recursive: true }))

const VERSION = '00000000-0000-4000-8000-000000000001'
const OBJECT = { bucket: 'docs', name: 'a.txt', version: VERSION, size: 5 }

async function fetchFrom(
  object: typeof OBJECT | (Omit<typeof OBJECT, 'size'> & { size: null }),
  answer: RequestListener,
) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    answer(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const options = { signal: new AbortController().signal, onFile: () => undefined }
  const { files, failed } = await fetchFiles(store, [object], { url, key: 'secret' }, options)
  return { asked, files, reason: failed[0]?.reason }
}

const filesBelow = (path: string) =>
  readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length

test.each([
  ['a name with a parent path', { name: '../../../../../undock/v1/requests/all' }],
  ['a name with a parent path inside', { name: 'a/../../../../../../undock/v1/branches' }],
  ['a parent path as bucket', { bucket: '..' }],
  ['a name starting with ./', { name: './a.txt' }],
])("doesn't request %s, which would send the key to another route", async (_what, change) => {
  const { asked, reason } = await fetchFrom({ ...OBJECT, ...change }, (_request, response) => response.end('hello'))
  expect([asked, reason]).toEqual([[], expect.stringContaining('".."')])
})

test('escapes URL characters in a name', async () => {
  const { asked, files } = await fetchFrom({ ...OBJECT, name: 'a?b#c%2e%2e/ä' }, (_request, response) =>
    response.end('hello'),
  )
  expect([asked, files]).toEqual([['/storage/v1/object/authenticated/docs/a%3Fb%23c%252e%252e/%C3%A4'], 1])
})

test.each<[string, RequestListener, object, string]>([
  [
    'a redirect to another server',
    (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    {},
    'redirect',
  ],
  ['a response longer than its row says', (_request, response) => response.end('hello, world'), {}, ''],
  ['a response shorter than its row says', (_request, response) => response.end('hell'), {}, '4 bytes arrived'],
  [
    'an interrupted response',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '5' }).write('he')
      setImmediate(() => response.destroy())
    },
    {},
    '',
  ],
  [
    'a version with a parent path',
    (_request, response) => response.end('hello'),
    { version: '../../../../tmp/undock-import-victim' },
    '',
  ],
])('%s leaves no file', async (_what, answer, change, reason) => {
  const result = await fetchFrom({ ...OBJECT, ...change }, answer)
  expect(result.reason).toContain(reason)
  expect([result.files, filesBelow(folder)]).toEqual([0, 0])
})
