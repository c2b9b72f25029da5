import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { OUTLOOK, WINMAIL } from '../support/sample-mails.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const COMMAND = join(ROOT, 'programs/receive-mail.ts')
const PUBLISHABLE = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET = 'a-secret-that-only-tests-have'

let stack: Stack
let demo: SupabaseClient<Database>
let library: string
let address: string

beforeAll(async () => {
  vi.stubEnv('SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_IN_SECRET', SECRET)
  vi.stubEnv('SUPABASE_EDGE_RUNTIME_SECRETS_MAIL_IN_DOMAIN', 'in.example.org')
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
  library = (await demo.rpc('create_library', { name: 'Letters' }).throwOnError()).data.id
  const { data } = await demo.rpc('create_mail_address', { library, senders: 'everybody' }).throwOnError()
  address = `${data.name}+${data.secret}@in.example.org`
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await stack?.stop()
})

async function pipe(mail: string, to: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; output: string }> {
  const url = `${stack.url}/functions/v1/receive-mail`
  const child = spawn(process.execPath, [COMMAND, '--url', url, ...(to ? ['--to', to] : [])], {
    env: { ...process.env, MAIL_IN_SECRET: SECRET, ...env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  child.stdin.on('error', () => {}).end(mail)
  const code = await new Promise<number>((resolve) => child.on('exit', (status) => resolve(status ?? -1)))
  return { code, output }
}

test('an email piped in by a mail server becomes a note with its picture and file, once', async () => {
  expect(await pipe(OUTLOOK, address)).toEqual({ code: 0, output: '' })
  expect((await pipe(OUTLOOK, address)).code).toBe(0)
  const { data: documents } = await demo
    .from('documents')
    .select(
      'id, kind, title, mail:document_mails(sender_name), version:versions!documents_current_version_id_fkey(body)',
    )
    .eq('library_id', library)
    .order('kind', { ascending: false })
    .throwOnError()
  expect(documents.map(({ kind, title, mail }) => [kind, title, mail?.sender_name])).toEqual([
    ['note', 'Angebot für Lampen', 'Jörg Müller'],
    ['file', 'Angebot', 'Jörg Müller'],
  ])
  const [note, file] = documents
  const picture = /pictures\/([0-9a-f-]+\.png)/.exec(note?.version?.body ?? '')?.[1]
  const { data: stored } = await demo.storage.from('pictures').download(`${library}/${note?.id}/${picture}`)
  expect(stored?.type).toBe('image/png')
  const { data: links } = await demo
    .from('document_links')
    .select('target_id')
    .eq('source_id', note?.id ?? '')
  expect(links).toEqual([{ target_id: file?.id }])
})

test('an unreadable attachment is stored as a file', async () => {
  expect(await pipe(WINMAIL, address)).toEqual({ code: 0, output: '' })
  const { data: file } = await demo
    .from('documents')
    .select('id')
    .eq('library_id', library)
    .eq('title', 'winmail.dat')
    .single()
    .throwOnError()
  const { data: read } = await demo.functions.invoke('ingest', { body: { document_id: file.id } })
  expect(read).toMatchObject({ state: 'ready', problem: null })
})

test('the exit codes are standard for mail servers', async () => {
  expect(await pipe(OUTLOOK, 'x+22222222222222222222@in.example.org')).toEqual({
    code: 67,
    output: 'No library has this address.\n',
  })
  expect(await pipe(OUTLOOK, address, { MAIL_IN_SECRET: 'wrong' })).toMatchObject({ code: 75 })
  expect(await pipe(OUTLOOK, 'not an address')).toMatchObject({ code: 64 })
  await demo.from('mail_addresses').update({ senders: 'members' }).eq('library_id', library).throwOnError()
  expect((await pipe(OUTLOOK.replace('AM0', 'AM1'), address)).code).toBe(77)
  await demo.from('mail_addresses').update({ enabled: false }).eq('library_id', library).throwOnError()
  expect((await pipe(OUTLOOK.replace('AM0', 'AM2'), address)).code).toBe(69)
  const { data: refused } = await demo
    .from('received_mails')
    .select('outcome, subject')
    .neq('outcome', 'added')
    .order('id')
  expect(refused).toEqual([
    { outcome: 'sender', subject: 'Angebot für Lampen' },
    { outcome: 'off', subject: 'Angebot für Lampen' },
  ])
})
