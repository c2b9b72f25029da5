// The function that reads documents can't start: what the library shows, and that reading resumes by itself.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { startStack } from '../../undock/src/runtime/stack/stack.ts'

const SUPABASE = fileURLToPath(new URL('../../supabase/', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const POLL = { timeout: 55_000, interval: 500 }

test('while the function cannot start, documents wait and say why, and are read once it is fixed', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'carrel-broken-'))
  await cp(SUPABASE, join(folder, 'supabase'), {
    recursive: true,
    filter: (path) => !path.startsWith(join(SUPABASE, '.undock')),
  })
  const entrypoint = join(folder, 'supabase/functions/ingest/index.ts')
  const working = await readFile(entrypoint)
  await writeFile(entrypoint, "throw new Error('Broken on purpose.')")
  const stack = await startStack({ workdir: folder, ports: 'free', state: 'memory' })
  try {
    const demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
    await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
    await demo.rpc('add_note', { library: READING_ROOM, title: 'Waiting', body: 'Words that wait.' }).throwOnError()
    const progress = async () =>
      (await demo.rpc('indexing_progress', { library: READING_ROOM }).single().throwOnError()).data

    await expect.poll(progress, POLL).toMatchObject({ waiting: 1, problem: { code: 'ingest_cannot_start' } })
    await writeFile(entrypoint, working)
    // Once a minute the database retries missed calls.
    stack.clock.advance('1m')
    await expect.poll(progress, POLL).toMatchObject({ waiting: 0, running: 0, failed: 0, problem: null })
  } finally {
    await stack.stop()
    await rm(folder, { recursive: true, force: true })
  }
})
