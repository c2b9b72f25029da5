// The public API, called with a client generated from its own description (types/api.ts).
import { fileURLToPath } from 'node:url'
import { Validator } from '@seriousme/openapi-schema-validator'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import createApiClient from 'openapi-fetch'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import type { paths } from '../../types/api.ts'
import { startStack, type TestStack } from '../../undock/src/test-kit/start-stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const LIGHTHOUSE = 'de300000-0000-4000-8000-000000000104'
const ALL_SCOPES = ['documents:write', 'search', 'comments:write', 'members:read']
const UUID = /^[0-9a-f-]{36}$/

let stack: TestStack
let demo: SupabaseClient<Database>
let address: string

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT })
  address = `${stack.url}/functions/v1/api/v1`
  demo = createClient<Database>(stack.url, stack.keys.publishable, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(() => stack?.stop())

async function somebody() {
  const { id, session } = await stack.createUser()
  const client = createClient<Database>(stack.url, stack.keys.publishable, {
    accessToken: async () => session.access_token,
  })
  return { id, client }
}
async function makeKey(scopes: string[], { library = READING_ROOM, as = demo } = {}) {
  const { data } = await as.rpc('create_api_key', { library, name: scopes.join(' '), scopes, days: 30 }).throwOnError()
  return z.parse(z.object({ id: z.string(), key: z.string() }), data)
}
const clientOf = (key: string) =>
  createApiClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${key}` } })
const withKey = async (scopes: string[]) => clientOf((await makeKey(scopes)).key)

/** A raw request, whatever the description says. */
async function raw(path: string, init: RequestInit = {}) {
  const response = await fetch(`${address}${path}`, init)
  const body: unknown = JSON.parse((await response.text()) || 'null')
  return { status: response.status, type: response.headers.get('Content-Type'), headers: response.headers, body }
}

test('the description is valid OpenAPI 3.1, and each operation has a name, a scope and errors', async () => {
  const { body } = await raw('/openapi.json')
  expect(await new Validator().validate(z.parse(z.record(z.string(), z.unknown()), body))).toMatchObject({
    valid: true,
  })
  const Description = z.object({
    openapi: z.string(),
    paths: z.record(
      z.string(),
      z.record(
        z.string(),
        z.object({
          operationId: z.string(),
          summary: z.string(),
          security: z.array(z.object({ key: z.array(z.string()) })),
          responses: z.record(z.string(), z.unknown()),
        }),
      ),
    ),
  })
  const description = z.parse(Description, body)
  expect(description.openapi).toBe('3.1.0')
  const operations = Object.values(description.paths).flatMap((path) => Object.values(path))
  expect(operations.length).toBeGreaterThan(20)
  for (const { operationId, responses } of operations)
    expect([operationId, Object.keys(responses)]).toContainEqual(
      expect.arrayContaining(['400', '401', '403', '404', '429', '503']),
    )
})

test('a client adds, lists, pages through, changes and searches documents', async () => {
  const api = await withKey(ALL_SCOPES)
  const { data: library } = await api.GET('/library')
  expect(library).toMatchObject({
    id: READING_ROOM,
    key: { scopes: expect.arrayContaining(['documents:read', 'comments:read']) },
  })

  const titles: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 5; page++) {
    const { data } = await api.GET('/documents', {
      params: { query: { limit: 2, sort: 'title', ...(cursor ? { cursor } : {}) } },
    })
    titles.push(...(data?.data.map(({ title }) => title) ?? []))
    expect(data?.total).toBe(page === 0 ? 6 : null)
    cursor = data?.next_cursor ?? undefined
    if (!cursor) break
  }
  expect(titles).toHaveLength(6)
  expect(titles).toEqual(titles.toSorted())

  const { data: tag } = await api.POST('/tags', { body: { name: 'from a program' } })
  const { data: collection } = await api.POST('/collections', { body: { name: 'Programs' } })
  if (!tag || !collection) throw new Error('No tag or collection was created')
  const { data: field } = await demo
    .rpc('save_field', { collection: collection.id, field: null as unknown as string, name: 'Pages', kind: 'number' })
    .throwOnError()

  const note = await api.POST('/documents', {
    body: {
      kind: 'note',
      title: 'Sent',
      text: 'A heliograph flashes.',
      collection_id: collection.id,
      tag_ids: [tag.id],
    },
  })
  expect(note.response.status).toBe(201)
  const id = note.data?.id ?? ''
  expect(note.data).toMatchObject({ kind: 'note', collection_id: collection.id, tags: [{ name: 'from a program' }] })
  const changed = await api.PATCH('/documents/{id}', {
    params: { path: { id } },
    body: { title: 'Heliograph', tag_ids: [], fields: [{ field_id: field.id, values: [3] }] },
  })
  expect(changed.data).toMatchObject({ title: 'Heliograph', tags: [], fields: [{ name: 'Pages', values: [3] }] })
  const fields = JSON.stringify([{ field_id: field.id, from: 3, to: 3 }])
  const narrowed = await api.GET('/documents', {
    params: { query: { collection: collection.id, fields, kind: ['note', 'file'] } },
  })
  expect(narrowed.data?.data.map(({ title }) => title)).toEqual(['Heliograph'])
  expect((await api.GET('/documents/{id}/text', { params: { path: { id } } })).data?.markdown).toBe(
    'A heliograph flashes.',
  )

  expect((await api.DELETE('/documents/{id}', { params: { path: { id } } })).data?.deleted_at).toBeTruthy()
  expect((await api.GET('/trash')).data?.data.map((document) => document.id)).toEqual([id])
  expect((await api.POST('/documents/{id}/restore', { params: { path: { id } } })).data?.deleted_at).toBeNull()

  const { data: comment } = await api.POST('/documents/{id}/comments', {
    params: { path: { id } },
    body: { body: 'Which year?' },
  })
  const resolved = await api.PATCH('/comments/{id}', {
    params: { path: { id: comment?.id ?? '' } },
    body: { resolved: true },
  })
  expect(resolved.data?.resolved_at).toBeTruthy()
  expect((await api.GET('/documents/{id}/comments', { params: { path: { id } } })).data?.data).toHaveLength(1)
  expect((await api.DELETE('/comments/{id}', { params: { path: { id: comment?.id ?? '' } } })).response.status).toBe(
    204,
  )

  const { data: hits } = await api.GET('/search', { params: { query: { q: 'ligthouse', limit: 3 } } })
  expect(hits).toMatchObject({ searched: 'lighthouse' })
  expect(hits?.data[0]).toMatchObject({
    document_id: LIGHTHOUSE,
    highlights: expect.arrayContaining([[expect.any(Number), expect.any(Number)]]),
  })
  expect((await api.GET('/members')).data?.data).toMatchObject([{ display_name: 'Dana Demo', role: 'owner' }])

  const { data: told } = await demo
    .from('activity')
    .select('actor_id, subject')
    .eq('document_id', id)
    .eq('verb', 'document.added')
    .single()
    .throwOnError()
  expect(told).toMatchObject({ subject: { api_key: ALL_SCOPES.join(' ') } })
})

test('references are set when a document is added or later', async () => {
  const api = await withKey(ALL_SCOPES)
  const reference = {
    type: 'article-journal',
    author: [{ family: 'Fresnel', given: 'Augustin' }],
    issued: { 'date-parts': [[1822, 7, 29]] },
    'container-title': 'Annales de Chimie',
    note: 'As CSL has it.',
  }
  const body = { kind: 'note' as const, title: 'On lamps', reference }
  const { data: added } = await api.POST('/documents', { body })
  expect(added).toMatchObject({ reference, author: 'Augustin Fresnel', dated: '1822-07-29' })
  const link = { kind: 'link' as const, url: 'https://example.org/lamps', reference: { DOI: '10.1000/182' } }
  expect((await api.POST('/documents', { body: link })).data?.reference).toEqual({ DOI: '10.1000/182' })

  const one = { params: { path: { id: added?.id ?? '' } } }
  const change = async (to: { title?: string; reference?: { [property: string]: unknown } | null }) =>
    await api.PATCH('/documents/{id}', { ...one, body: to })
  expect((await change({ title: 'Of lamps' })).data?.reference).toEqual(reference)
  expect((await change({ reference: { DOI: '10.1000/183' } })).data?.reference).toEqual({ DOI: '10.1000/183' })
  expect((await api.GET('/documents/{id}', one)).data?.reference).toEqual({ DOI: '10.1000/183' })
  expect((await change({ reference: { volume: 11 } })).error).toMatchObject({ code: 'invalid_request' })
  expect((await change({ reference: { note: 'x'.repeat(8192) } })).error).toMatchObject({ code: 'not_accepted' })
  expect((await change({ reference: null })).data?.reference).toBeNull()

  // Stored references may have any form; invalid parts are omitted.
  const odd = { author: 'nobody', volume: 7, DOI: '10.1000/184' }
  await demo
    .from('documents')
    .update({ reference: odd })
    .eq('id', added?.id ?? '')
    .throwOnError()
  const { data } = await api.GET('/documents', { params: { query: { sort: 'updated_at', limit: 100 } } })
  expect(data?.data.find(({ id }) => id === added?.id)?.reference).toEqual({ DOI: '10.1000/184' })

  const reader = await withKey(['documents:read'])
  expect((await reader.PATCH('/documents/{id}', { ...one, body: { reference: null } })).error).toMatchObject({
    code: 'missing_scope',
  })
})

test('files are uploaded directly or to an upload URL, and downloaded', async () => {
  const api = await withKey(['documents:write'])
  const form = () => {
    const form = new FormData()
    form.set('file', new File(['The tide turns.'], 'tide; "high".txt', { type: 'application/x-odd' }))
    return form
  }
  const sent = await api.POST('/documents/file', {
    body: { file: '' },
    bodySerializer: form,
    headers: { 'Idempotency-Key': 'tide' },
  })
  expect(sent.data).toMatchObject({ kind: 'file', title: 'tide; "high".txt', media_type: 'text/plain', size_bytes: 15 })
  const again = await api.POST('/documents/file', {
    body: { file: '' },
    bodySerializer: form,
    headers: { 'Idempotency-Key': 'tide' },
  })
  expect([again.data?.id, again.response.headers.get('Idempotency-Replayed')]).toEqual([sent.data?.id, 'true'])
  const stored = await stack.query(`select from storage.objects where name like '%/file'`)
  expect(stored).toHaveLength(1)
  const file = await api.GET('/documents/{id}/file', { params: { path: { id: sent.data?.id ?? '' } } })
  expect(await (await fetch(file.data?.url ?? '')).text()).toBe('The tide turns.')

  const drawing = await api.POST('/documents/file', {
    body: { file: '' },
    bodySerializer: () => {
      const form = new FormData()
      form.set('file', new File(['<svg onload="steal()"/>'], 'lamp.svg', { type: 'image/svg+xml' }))
      return form
    },
  })
  expect(drawing.data).toMatchObject({ title: 'lamp.svg', media_type: 'application/octet-stream' })

  const { data: upload } = await api.POST('/uploads', { body: { file_name: 'log.md' } })
  if (!upload) throw new Error('No upload was created')
  const early = await api.POST('/documents', { body: { kind: 'file', upload_id: upload.id, file_name: 'log.md' } })
  expect(early.error).toMatchObject({ code: 'not_accepted', detail: expect.stringContaining('upload didn’t finish') })
  await fetch(upload.url, { method: 'PUT', body: '# Log', headers: { 'Content-Type': upload.media_type } })
  const late = await api.POST('/documents', {
    body: { kind: 'file', upload_id: upload.id, file_name: 'log.md', title: 'Log' },
  })
  expect(late.data).toMatchObject({ id: upload.id, title: 'Log', media_type: 'text/markdown' })
  const twice = await api.POST('/documents', { body: { kind: 'file', upload_id: upload.id, file_name: 'log.md' } })
  expect(twice.error).toMatchObject({ code: 'conflict' })
})

test('requests with the same idempotency key run once, even concurrently', async () => {
  const api = await withKey(['documents:write'])
  const send = (title: string) =>
    api.POST('/documents', { body: { kind: 'note', title }, headers: { 'Idempotency-Key': 'one' } })
  const [one, other] = await Promise.all([send('Once'), send('Once')])
  expect(one.data?.id).toMatch(UUID)
  expect(other.data).toEqual(one.data)
  expect((await send('Else')).error).toMatchObject({ status: 422, code: 'reused_idempotency_key' })
  expect((await api.GET('/documents', { params: { query: { title: 'once' } } })).data?.data).toHaveLength(1)
})

test('unchanged responses are 304, and every response has the rate limit', async () => {
  const { key, id } = await makeKey(['documents:read'])
  const headers = { Authorization: `Bearer ${key}` }
  const first = await raw(`/documents/${LIGHTHOUSE}`, { headers })
  const second = await raw(`/documents/${LIGHTHOUSE}`, {
    headers: { ...headers, 'If-None-Match': first.headers.get('ETag') ?? '' },
  })
  expect([second.status, second.headers.get('RateLimit')]).toEqual([304, expect.stringMatching(/^"key";r=298;t=\d+$/)])
  // Browsers may call it and read the rate limit headers.
  expect(first.headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(first.headers.get('Access-Control-Expose-Headers')).toContain('RateLimit')
  await stack.query('update private.api_key_uses set requests = 300 where key_id = $1', [id])
  const limited = await raw('/library', { headers })
  expect(limited).toMatchObject({ status: 429, type: 'application/problem+json', body: { code: 'too_many_requests' } })
  expect(Number(limited.headers.get('Retry-After'))).toBeGreaterThan(0)
})

test('a key is limited to its scopes and its library', async () => {
  const eve = await somebody()
  const { data: hers } = await eve.client.rpc('create_library', { name: 'Hers' }).throwOnError()
  const { data: secret } = await eve.client
    .rpc('add_note', { library: hers.id, title: 'Secret', body: 'x' })
    .throwOnError()
  const { data: place } = await eve.client
    .from('collections')
    .insert({ library_id: hers.id, name: 'Place' })
    .select()
    .single()
    .throwOnError()
  const { data: mark } = await eve.client
    .from('tags')
    .insert({ library_id: hers.id, name: 'mark' })
    .select()
    .single()
    .throwOnError()

  const reader = await withKey(['documents:read'])
  expect((await reader.POST('/documents', { body: { kind: 'note', title: 'x' } })).error).toMatchObject({
    status: 403,
    code: 'missing_scope',
    detail: expect.stringContaining('documents:write'),
  })
  expect((await reader.GET('/search', { params: { query: { q: 'x' } } })).error).toMatchObject({
    code: 'missing_scope',
  })

  const api = await withKey(ALL_SCOPES)
  const ofHers = { params: { path: { id: secret.id } } }
  for (const refused of [
    await api.GET('/documents/{id}', ofHers),
    await api.GET('/documents/{id}/text', ofHers),
    await api.GET('/documents/{id}/file', ofHers),
    await api.GET('/documents/{id}/comments', ofHers),
    await api.PATCH('/documents/{id}', { ...ofHers, body: { title: 'Mine' } }),
    await api.DELETE('/documents/{id}', ofHers),
    await api.POST('/documents/{id}/comments', { ...ofHers, body: { body: 'x' } }),
    await api.GET('/collections/{id}/fields', { params: { path: { id: place.id } } }),
  ])
    expect(refused.error).toMatchObject({ status: 404, code: 'not_found' })
  for (const refused of [
    await api.POST('/documents', { body: { kind: 'note', title: 'x', collection_id: place.id } }),
    await api.POST('/documents', { body: { kind: 'note', title: 'x', tag_ids: [mark.id] } }),
    await api.PATCH('/documents/{id}', { params: { path: { id: LIGHTHOUSE } }, body: { collection_id: place.id } }),
    await api.POST('/collections', { body: { name: 'x', parent_id: place.id } }),
  ])
    expect(refused.error).toMatchObject({ status: 422, code: 'not_accepted' })
  const filtered = await api.GET('/documents', { params: { query: { collection: place.id, tag: [mark.id] } } })
  expect(filtered.data).toMatchObject({ data: [], total: 0 })
})

test('hostile and invalid requests are rejected with a reason', async () => {
  const { key } = await makeKey(ALL_SCOPES)
  const headers = { Authorization: `Bearer ${key}` }
  const post = (body: string) => ({ method: 'POST', headers: { ...headers, 'Content-Type': 'application/json' }, body })
  const injected = encodeURIComponent(`'; drop table documents; --`)
  const cursor = (place: unknown) => Buffer.from(JSON.stringify(['000000000000', place])).toString('base64url')
  const cases: [status: number, code: string, path: string, init?: RequestInit][] = [
    [401, 'no_key', '/library', {}],
    [401, 'invalid_key', '/library', { headers: { Authorization: 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x' } }],
    [401, 'invalid_key', '/library', { headers: { Authorization: `Bearer ${key.slice(0, -1)}` } }],
    [
      401,
      'invalid_key',
      '/library',
      { headers: { Authorization: `Bearer ${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}` } },
    ],
    [400, 'key_in_address', `/library?api_key=${key}`],
    [400, 'key_in_address', `/library?q=${key}`],
    [400, 'invalid_request', '/documents?limit=1000000'],
    [400, 'invalid_request', `/documents?sort=${injected}`],
    [400, 'invalid_request', `/documents?tag=${injected}`],
    [400, 'invalid_request', `/documents?fields=${injected}`],
    [400, 'invalid_request', '/documents?colection=x'],
    [400, 'invalid_cursor', '/documents?cursor=%00'],
    [400, 'invalid_cursor', `/documents?cursor=${cursor({ value: injected, id: LIGHTHOUSE })}`],
    [400, 'invalid_request', '/documents/not-an-id'],
    [404, 'not_found', '/nothing'],
    [404, 'not_found', '/library', { method: 'DELETE', headers }],
    [415, 'unsupported_media_type', '/documents', { method: 'POST', headers, body: 'kind=note' }],
    [400, 'invalid_request', '/documents', post('{"kind"')],
    [400, 'invalid_request', '/documents', post('{"kind":"folder"}')],
    [400, 'invalid_request', '/documents', post('{"kind":"note","title":"x","reference":[]}')],
    [422, 'not_accepted', '/documents', post('{"kind":"note","title":"x","reference":{"DOI":"a\\u0000b"}}')],
    [413, 'too_large', '/documents', post(JSON.stringify({ kind: 'note', title: 'x', text: 'x'.repeat(1_600_000) }))],
    [422, 'not_accepted', '/documents', post('{"kind":"note","title":"a\\u0000b"}')],
    [409, 'conflict', '/tags', post('{"name":"history"}')],
    [422, 'not_accepted', '/documents', post('{"kind":"link","url":"http://user:pass@example.org/"}')],
  ]
  for (const [status, code, path, init = { headers }] of cases)
    expect(await raw(path, init), path).toMatchObject({
      status,
      type: 'application/problem+json',
      body: { status, code, detail: expect.stringMatching(/^.{20,}\.$/s) },
    })
  const titles = await raw(`/documents?title=${injected}&author=${injected}`, { headers })
  expect(titles).toMatchObject({ status: 200, body: { data: [] } })
})

test("assistants search, read, cite and add over MCP within the key's scopes", async () => {
  let number = 0
  const rpc = async (key: string | undefined, method: string, params: object = {}) => {
    const response = await fetch(`${stack.url}/functions/v1/api/v1/mcp`, {
      method: 'POST',
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++number, method, params }),
    })
    const text = (await response.text()).replace(/^[\s\S]*?data: /, '')
    return { status: response.status, body: z.parse(Reply, JSON.parse(text)) }
  }
  const Reply = z.object({
    code: z.optional(z.string()),
    error: z.optional(z.object({ message: z.string() })),
    result: z.optional(
      z.looseObject({
        tools: z.optional(z.array(z.object({ name: z.string() }))),
        content: z.optional(z.array(z.object({ text: z.string() }))),
        isError: z.optional(z.boolean()),
      }),
    ),
  })
  const { key } = await makeKey(['documents:write', 'search'])
  const use = async (name: string, input: object, as = key) => {
    const { body } = await rpc(as, 'tools/call', { name, arguments: input })
    return {
      isError: body.result?.isError === true || body.error !== undefined,
      text: body.result?.content?.[0]?.text ?? body.error?.message ?? '',
    }
  }
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  expect((await rpc(key, 'initialize', client)).body.result).toMatchObject({ serverInfo: { name: 'carrel' } })
  expect((await rpc(key, 'tools/list')).body.result?.tools?.map(({ name }) => name)).toEqual([
    'search',
    'read',
    'cite',
    'add',
  ])

  const added = await use('add', { title: 'A wick', text: 'The zwick of a lamp is trimmed.' })
  expect(added).toMatchObject({ isError: false, text: expect.stringContaining('"kind":"note"') })
  const { id } = z.parse(z.object({ id: z.string() }), JSON.parse(added.text))
  await expect.poll(async () => (await use('search', { query: 'zwick' })).text, { timeout: 60_000 }).toContain(id)
  expect((await use('read', { document_id: id })).text).toContain('is trimmed')
  expect(JSON.parse((await use('cite', { document_id: id })).text)).toMatchObject({ type: 'document', title: 'A wick' })

  // A key is limited to its scopes and library.
  expect((await rpc(undefined, 'tools/list')).body.code).toBe('no_key')
  expect((await rpc('carrel_x', 'tools/list')).status).toBe(401)
  const { key: reader } = await makeKey(['documents:read'])
  expect(await use('add', { title: 'x', text: 'x' }, reader)).toEqual({
    isError: true,
    text: 'This needs a key with the scope documents:write; yours has documents:read.',
  })
  expect(await use('search', { query: 'lamp' }, reader)).toMatchObject({
    isError: true,
    text: expect.stringContaining('scope search'),
  })
  const { client: other } = await somebody()
  const { data: theirs } = await other.rpc('create_library', { name: 'Theirs' }).throwOnError()
  const { key: elsewhere } = await makeKey(['documents:read', 'search'], { library: theirs.id, as: other })
  for (const tool of ['read', 'cite'])
    expect(await use(tool, { document_id: id }, elsewhere)).toMatchObject({
      isError: true,
      text: expect.stringContaining('no such document'),
    })
  expect(JSON.parse((await use('search', { query: 'zwick' }, elsewhere)).text)).toMatchObject({ data: [] })
  for (const [tool, input] of [
    ['read', { document_id: `${id}/../../library` }],
    ['read', { document_id: id, cursor: '&limit=1' }],
    ['search', { query: '', limit: 1e9 }],
    ['search', { query: 'lamp', limit: '1; drop table documents' }],
    ['add', { title: 'x', text: 'y', url: 'https://example.org' }],
    ['add', { title: 'x', url: 'file:///etc/passwd' }],
    ['no_tool', {}],
  ] as const)
    expect(await use(tool, input), JSON.stringify(input)).toMatchObject({
      isError: true,
      text: expect.not.stringMatching(/\n\s+at /),
    })
  const broken = await fetch(`${stack.url}/functions/v1/api/v1/mcp`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}` },
    body: '{',
  })
  expect(broken.status).toBeGreaterThanOrEqual(400)
  expect(broken.status).toBeLessThan(500)
})

test('a key stops working when it is revoked or its creator leaves', async () => {
  const { key, id } = await makeKey(['documents:read'])
  const api = clientOf(key)
  expect((await api.GET('/library')).response.status).toBe(200)
  await demo.rpc('revoke_api_key', { key: id }).throwOnError()
  expect((await api.GET('/library')).error).toMatchObject({ status: 401, code: 'revoked_key' })

  const ben = await somebody()
  await stack.query(`insert into public.members values ($1, $2, 'owner')`, [READING_ROOM, ben.id])
  const his = clientOf((await makeKey(['documents:read'], { as: ben.client })).key)
  expect((await his.GET('/documents')).data?.data.length).toBeGreaterThan(0)
  await stack.query('delete from public.members where user_id = $1', [ben.id])
  expect((await his.GET('/documents')).error).toMatchObject({ status: 403, code: 'owner_not_a_member' })
})
