// Shared by the manual benchmarks inside `undock run`: a library to which manuals are added like in the app.
import { createClient } from '@supabase/supabase-js'
import * as z from 'zod'
import type { Database } from '../../supabase/functions/_shared/database.ts'
import type { AnsweredQuestion } from '../fixtures/manuals.ts'
import type { Manual } from './manuals.ts'

/** Per number of questions: the right passage is shown, an answering sentence is marked, or none is. */
export type AskingCounts = {
  readonly answered: number
  readonly shown: number
  readonly marked: number
  readonly unanswerable: number
  readonly refused: number
}

const AT_ONCE = 4
const PAUSE = 2000

const Told = z.object({
  citations: z.optional(z.array(z.object({ quote: z.string() }))),
  sentence: z.optional(z.object({ text: z.string() })),
})

export const person = createClient<Database>(process.env.SUPABASE_URL ?? '', process.env.SUPABASE_PUBLISHABLE_KEY ?? '')
await person.auth.signInWithPassword({ email: 'demo@carrel.local', password: 'carrel-demo-library' })
export const { data: library } = await person.rpc('create_library', { name: 'Manuals' }).throwOnError()

/** Whether a text contains an answer, ignoring line breaks. */
export const answers = ({ answer }: AnsweredQuestion, text: string): boolean =>
  answer.some((words) => text.replace(/\s+/g, ' ').includes(words))

export async function addManuals(manuals: readonly Manual[]): Promise<void> {
  const waiting = [...manuals]
  const upload = async () => {
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
  await Promise.all(Array.from({ length: AT_ONCE }, upload))
  for (;;) {
    const { data } = await person.rpc('indexing_progress', { library: library.id }).single().throwOnError()
    if (data.waiting + data.running === 0) break
    await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
}

export async function measureAsking(
  answered: readonly AnsweredQuestion[],
  unanswerable: readonly string[],
): Promise<AskingCounts> {
  let [shown, marked, refused] = [0, 0, 0]
  for (const question of answered) {
    const { passages, sentences } = await ask(question.question)
    if (passages.some((passage) => answers(question, passage))) shown += 1
    if (answers(question, sentences.join(' '))) marked += 1
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
