// Ask and search over the demo essays without a language model: answers, passages, refusals, typos.
import { fileURLToPath } from 'node:url'
import { createClient, type SupabaseClient } from '@supabase/supabase-js'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { type Stack, startStack } from '../../undock/src/runtime/stack/stack.ts'
import { ANSWERABLE, TYPING_ERRORS, UNANSWERABLE } from '../fixtures/reading-room.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const READING_ROOM = 'de300000-0000-4000-8000-000000000010'
const LIGHTHOUSE = 'de300000-0000-4000-8000-000000000104'
const PUBLISHABLE_KEY = 'sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH'
const SECRET_KEY = 'sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz'

const Told = z.object({
  type: z.string(),
  citations: z.optional(z.array(z.object({ n: z.number(), document_id: z.string(), quote: z.string() }))),
  sentence: z.optional(z.object({ text: z.string(), cites: z.array(z.number()) })),
  outcome: z.optional(z.string()),
})

let stack: Stack
let demo: SupabaseClient<Database>

beforeAll(async () => {
  stack = await startStack({ workdir: ROOT, ports: 'free', state: 'memory' })
  demo = createClient<Database>(stack.url, PUBLISHABLE_KEY, { auth: { persistSession: false } })
  await demo.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
})
afterAll(() => stack?.stop())

async function ask(question: string, documents?: string[], library = READING_ROOM) {
  const body = { library_id: library, question, ...(documents ? { document_ids: documents } : {}) }
  const { data, error } = await demo.functions.invoke<Response>('ask', { body })
  if (error || !data) throw error ?? new Error('The function ask returned no answer')
  const told = (await data.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => Told.parse(JSON.parse(line.slice(6))))
  return {
    citations: told.findLast(({ citations }) => citations)?.citations ?? [],
    sentences: told.flatMap(({ sentence }) => (sentence ? [sentence] : [])),
    outcome: told.at(-1)?.outcome,
  }
}

test('27 of 30 answerable questions get the right passage first', async () => {
  const missed: string[] = []
  for (const [question, answer] of ANSWERABLE) {
    const { citations, sentences } = await ask(question)
    const [first] = sentences
    const cited = citations.find(({ n }) => n === first?.cites[0])
    if (first?.cites[0] !== 1 || !cited?.quote.replace(/\s+/g, ' ').includes(answer)) missed.push(question)
  }
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(3)
})

test('27 of 30 unanswerable questions are declined', async () => {
  const answered: string[] = []
  for (const question of UNANSWERABLE) {
    const { outcome, sentences } = await ask(question)
    if (outcome !== 'not_found') answered.push(`${question} ${sentences.map(({ text }) => text).join(' ')}`)
  }
  expect(answered.length, answered.join('\n')).toBeLessThanOrEqual(3)
})

test('without an answer only the search results are shown', async () => {
  // The search finds the library's trash; nothing mentions a password.
  const { outcome, citations, sentences } = await ask('Which password opens the trash of Mongolian readers?')
  expect({ outcome, sentences }).toEqual({ outcome: 'not_found', sentences: [] })
  expect(citations).toHaveLength(3)
  expect(citations.map(({ quote }) => quote).join(' ')).toContain('trash')
  expect(await ask('Qwertz uiop?')).toEqual({ outcome: 'not_found', sentences: [], citations: [] })
})

test("Ask also uses a document's fourth passage, which search hides", async () => {
  const { data: library } = await demo.rpc('create_library', { name: 'A manual' }).throwOnError()
  const { data: note } = await demo
    .rpc('add_note', { library: library.id, title: 'Pump', body: 'see the passages' })
    .throwOnError()
  const passages = [
    'Drawings: pump and valve, pump without valve, valve without pump',
    'Orders: pump valve PV-1, pump valve seal PV-2, pump valve spring PV-3',
    'pump --valve | pump --valve=open | pump --valve=closed',
    'Nobody stands near it while it runs. The valve of the pump keeps water from running back into the well when all stops, so that the next start needs no priming by hand, which took the crew of the old station most of a morning.',
  ].map((content, start) => ({ start, end: start + 1, content }))
  const service = createClient<Database>(stack.url, SECRET_KEY, { auth: { persistSession: false } })
  await service
    .rpc('replace_passages', { version: note.current_version_id ?? '', passages, language: 'en' })
    .throwOnError()
  const question = 'What does the valve of the pump do?'
  const { data: found } = await demo.rpc('search_passages', { library: library.id, query: question }).throwOnError()
  expect(found.map(({ content }) => content)).not.toContain(passages[3]?.content)
  const { citations, sentences, outcome } = await ask(question, undefined, library.id)
  expect(outcome).toBe('quoted')
  expect(citations.map(({ quote }) => quote)).toContain(passages[3]?.content)
  expect(sentences.map(({ text }) => text).join(' ')).toContain('keeps water from running back')
})

test('only the current version of a note is found and cited', async () => {
  const { data: library } = await demo.rpc('create_library', { name: 'A changed mind' }).throwOnError()
  const { data: note } = await demo
    .rpc('add_note', { library: library.id, title: 'Ferry', body: 'The ferry leaves the xylophone pier at noon.' })
    .throwOnError()
  const words = async () =>
    (await demo.from('passages').select('content').eq('document_id', note.id).throwOnError()).data.map(
      ({ content }) => content,
    )
  await expect.poll(words, { timeout: 60_000 }).toEqual(['The ferry leaves the xylophone pier at noon.'])
  const question = 'When does the ferry leave the pier?'
  expect((await ask(question, undefined, library.id)).sentences.map(({ text }) => text).join(' ')).toContain('noon')

  const { data: saved } = await demo
    .rpc('save_note', {
      document: note.id,
      body: 'The ferry leaves the harmonica pier at midnight.',
      based_on: note.current_version_id ?? '',
    })
    .throwOnError()
  expect(saved).toBeTruthy()
  await expect.poll(words, { timeout: 60_000 }).toEqual(['The ferry leaves the harmonica pier at midnight.'])
  const { data: old } = await demo
    .rpc('search_passages', { library: library.id, query: 'xylophone', correct: false })
    .throwOnError()
  expect(old.map(({ content }) => content).join(' ')).not.toContain('xylophone')
  const { sentences, citations } = await ask(question, undefined, library.id)
  expect(sentences.map(({ text }) => text).join(' ')).toContain('midnight')
  expect(JSON.stringify(citations)).not.toMatch(/xylophone|noon/)
  const { data: versions } = await demo.from('versions').select('id').eq('document_id', note.id).throwOnError()
  expect(versions).toHaveLength(2)
})

test('questions about selected documents cite only those', async () => {
  const all = await ask('When was the lamp lit?')
  const [first] = all.citations.filter(({ n }) => all.sentences[0]?.cites.includes(n))
  expect(first?.document_id).not.toBe(LIGHTHOUSE)
  const one = await ask('What did heavy lenses float in?', [LIGHTHOUSE])
  expect(one.citations.map(({ document_id }) => document_id)).toEqual(expect.arrayContaining([LIGHTHOUSE]))
  expect(new Set(one.citations.map(({ document_id }) => document_id)).size).toBe(1)
  const none = await ask('When was the lamp lit?', [LIGHTHOUSE])
  expect(none.outcome).toBe('not_found')
  expect(new Set(none.citations.map(({ document_id }) => document_id))).toEqual(new Set([LIGHTHOUSE]))
})

test('36 of 40 typos are corrected to the intended word', async () => {
  const missed: string[] = []
  for (const [typed, meant] of TYPING_ERRORS) {
    const { data } = await demo.rpc('search_passages', { library: READING_ROOM, query: `${typed} ` }).throwOnError()
    if (data[0]?.searched.trim() !== meant)
      missed.push(`${typed}: ${data[0]?.searched ?? 'nothing'} instead of ${meant}`)
  }
  expect(missed.length, missed.join('\n')).toBeLessThanOrEqual(4)
})

test('concurrent indexing, renames and deletions leave exact counts', async () => {
  const service = createClient<Database>(stack.url, SECRET_KEY, { auth: { persistSession: false } })
  const { data: library } = await demo.rpc('create_library', { name: 'Many at once' }).throwOnError()
  const passages = ['Every lamp needs oil.', 'A lamp needs a keeper.'].map((content, start) => ({
    start,
    end: start + 1,
    content,
  }))
  const store = async (n: number) => {
    const { data: note } = await demo.rpc('add_note', { library: library.id, title: `Note number${n}` }).throwOnError()
    // The second run replaces what the first has stored.
    for (let run = 0; run < 2; run++) {
      await service.rpc('replace_passages', { version: note.current_version_id ?? '', passages }).throwOnError()
    }
    return note.id
  }
  const ids = await Promise.all(Array.from({ length: 24 }, (_, n) => store(n)))
  await Promise.all(
    ids.map(async (id, n) => {
      const change = n % 3 === 0 ? { deleted_at: new Date().toISOString() } : { title: `Paper number${n}` }
      await demo.from('documents').update(change).eq('id', id).throwOnError()
    }),
  )
  const database = new pg.Client({ connectionString: stack.dbUrl })
  await database.connect()
  const { rows } = await database.query(
    `select word, sum(documents)::int as documents, sum(passages)::int as passages from private.library_vocabulary
      where library_id = $1 group by word having sum(passages) > 0`,
    [library.id],
  )
  await database.end()
  const counts = Object.fromEntries(rows.map(({ word, documents, passages }) => [word, [documents, passages]]))
  expect(counts).toMatchObject({ lamp: [16, 32], oil: [16, 16], keeper: [16, 16], paper: [16, 32], number1: [1, 2] })
  expect(counts).not.toHaveProperty('note')
  expect(counts).not.toHaveProperty('number3')
})
