// An upload that began before a file was stored can't change its bytes afterwards, when others have read or approved them.
import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'

let stack: Stack
let editor: SupabaseClient<Database>
let library: string
beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  editor = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  await editor.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  library = (await editor.rpc('create_library', { name: 'Lamps' }).throwOnError()).data.id
})
afterAll(() => stack?.stop())

test.each([
  ['documents', 'a.txt', 'text/plain'],
  ['documents', 'rendition.html', 'text/html'],
  ['pictures', `${randomUUID()}.png`, 'image/png'],
])('a signed address keeps a file of %s: %s', async (bucket, name, type) => {
  const files = editor.storage.from(bucket)
  const note = (await editor.rpc('add_note', { library, body: 'Lamps' }).throwOnError()).data.id
  const path = `${library}/${note}/${bucket === 'pictures' ? name : `${randomUUID()}/${name}`}`
  const { data } = await files.createSignedUploadUrl(path, { upsert: true })
  expect((await files.upload(path, new Blob(['approved'], { type }))).error).toBeNull()
  const replaced = await files.uploadToSignedUrl(path, data?.token ?? '', new Blob(['swapped'], { type }))
  expect(replaced.error).toMatchObject({ message: 'Stored files never change.' })
  expect(await (await files.download(path)).data?.text()).toBe('approved')
})

test("another file can't take the place of a version's missing one", async () => {
  const service = createClient<Database>(stack.url, stack.identity.keys.secret, { auth: { persistSession: false } })
  const files = editor.storage.from('documents')
  const document = randomUUID()
  const path = `${library}/${document}/${randomUUID()}/a.txt`
  const store = (text: string) => files.upload(path, new Blob([text], { type: 'text/plain' }))
  expect((await store('approved')).error).toBeNull()
  await editor.rpc('add_file', { library, document, path, file_name: 'a.txt' }).throwOnError()
  expect((await service.storage.from('documents').remove([path])).data).toHaveLength(1)
  expect((await store('swapped')).error).toMatchObject({ message: 'new row violates row-level security policy' })
})
