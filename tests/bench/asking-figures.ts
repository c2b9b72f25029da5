// Run by asking.ts inside `undock run`: adds manuals to a library as the app does, and asks it.
import { createClient } from '@supabase/supabase-js'
import * as z from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import { ANSWERED, NOT_ANSWERED } from '../fixtures/manuals.ts'
import { manualsIn } from './manuals.ts'

/** Of so many questions: the right passage is among those shown, a sentence that answers is marked; or no sentence is. */
export type AskingCounts = {
  readonly answered: number
  readonly shown: number
  readonly marked: number
  readonly unanswerable: number
  readonly refused: number
}
export type AskingFigures = { readonly manuals: number; readonly tuned: AskingCounts; readonly fresh: AskingCounts }

/** The questions for which its rules were made come first. */
const TUNED = { answered: 40, unanswerable: 20 }
const AT_ONCE = 4
const PAUSE = 2000

const Told = z.object({
  citations: z.optional(z.array(z.object({ quote: z.string() }))),
  sentence: z.optional(z.object({ text: z.string() })),
})

const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
const { data: library } = await person.rpc('create_library', { name: 'Manuals' }).throwOnError()

const manuals = manualsIn(process.env.MANUALS ?? '')
const waiting = [...manuals]
await Promise.all(Array.from({ length: AT_ONCE }, upload))
for (;;) {
  const { data } = await person.rpc('indexing_progress', { library: library.id }).single().throwOnError()
  if (data.done + data.failed >= manuals.length) break
  await new Promise((resolve) => setTimeout(resolve, PAUSE))
}

const figures: AskingFigures = {
  manuals: manuals.length,
  tuned: await measure(ANSWERED.slice(0, TUNED.answered), NOT_ANSWERED.slice(0, TUNED.unanswerable)),
  fresh: await measure(ANSWERED.slice(TUNED.answered), NOT_ANSWERED.slice(TUNED.unanswerable)),
}
console.log(JSON.stringify(figures))

async function upload(): Promise<void> {
  for (let manual = waiting.shift(); manual; manual = waiting.shift()) {
    const document = crypto.randomUUID()
    const path = `${library.id}/${document}/${crypto.randomUUID()}/${manual.name}`
    const { error } = await person.storage
      .from('documents')
      .upload(path, new Blob([manual.read()]), { contentType: manual.type })
    if (error) throw error
    await person.rpc('add_file', { library: library.id, document, path, file_name: manual.name }).throwOnError()
  }
}

async function measure(answered: typeof ANSWERED, unanswerable: typeof NOT_ANSWERED): Promise<AskingCounts> {
  let [shown, marked, refused] = [0, 0, 0]
  for (const { question, answer } of answered) {
    const { passages, sentences } = await ask(question)
    const isRight = (text: string) => answer.some((words) => text.replace(/\s+/g, ' ').includes(words))
    if (passages.some(isRight)) shown += 1
    if (isRight(sentences.join(' '))) marked += 1
  }
  for (const question of unanswerable) if ((await ask(question)).sentences.length === 0) refused += 1
  return { answered: answered.length, shown, marked, unanswerable: unanswerable.length, refused }
}

async function ask(question: string): Promise<{ passages: string[]; sentences: string[] }> {
  const { data, error } = await person.functions.invoke<Response>('ask', { body: { library_id: library.id, question } })
  if (error || !data) throw error ?? new Error('The function ask gave no answer')
  const told = (await data.text())
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => Told.parse(JSON.parse(line.slice(6))))
  return {
    passages: told.findLast(({ citations }) => citations)?.citations?.map(({ quote }) => quote) ?? [],
    sentences: told.flatMap(({ sentence }) => (sentence ? [sentence.text] : [])),
  }
}
