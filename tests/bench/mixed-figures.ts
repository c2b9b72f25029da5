// Run by asking.ts inside `undock run`: searches and asks a library with manuals in one, then five languages.
import pg from 'pg'
import { MIXED_ANSWERED, MIXED_NOT_ANSWERED } from '../fixtures/manuals.ts'
import { judge, mean } from './collection.ts'
import { type AskingCounts, addManuals, answers, library, measureAsking, person } from './manual-library.ts'
import { mixedManuals } from './manuals.ts'
import { plainBm25, type Words } from './plain-bm25.ts'

type Retrieval = { readonly name: string; readonly plain: number; readonly carrel: number }
export type MixedFigures = {
  readonly manuals: number
  readonly retrieval: readonly Retrieval[]
  readonly asking: readonly (readonly [name: string, AskingCounts])[]
}

const database = new pg.Client({ connectionString: process.env.SUPABASE_DB_URL })
await database.connect()
const [[, english] = ['', []], ...foreign] = mixedManuals()
await addManuals(english)
const alone = await measureSearch('English questions, English manuals alone', ['en'])
await addManuals(foreign.flatMap(([, manuals]) => manuals))
const languages = Object.keys(MIXED_ANSWERED)
const asking: [string, AskingCounts][] = []
for (const language of languages) asking.push([language, await measureAsking(MIXED_ANSWERED[language] ?? [], [])])
asking.push(['none of the manuals', await measureAsking([], MIXED_NOT_ANSWERED)])
const figures: MixedFigures = {
  manuals: english.length + foreign.reduce((sum, [, manuals]) => sum + manuals.length, 0),
  retrieval: [
    alone,
    await measureSearch('English questions, manuals in five languages', ['en']),
    await measureSearch('questions in five languages', languages),
  ],
  asking,
}
await database.end()
console.log(JSON.stringify(figures))

/** Runs each question on the current library. Plain BM25 uses search's stems, so that only the ranking differs. */
async function measureSearch(name: string, of: readonly string[]): Promise<Retrieval> {
  const { rows: passages } = await database.query<{ id: string; content: string; words: Words }>(
    `select p.id, p.content, coalesce((select jsonb_object_agg(lexeme, cardinality(positions)) from unnest(p.search)), '{}') as words
     from public.passages p where p.library_id = $1 order by p.id`,
    [library.id],
  )
  const bm25 = plainBm25(passages.map(({ words }) => words))
  const judged = []
  for (const language of of) {
    for (const question of MIXED_ANSWERED[language] ?? []) {
      const wanted = new Set(passages.filter(({ content }) => answers(question, content)).map(({ id }) => id))
      const { rows } = await database.query<{ words: Words }>(
        `select coalesce(jsonb_object_agg(lexeme, cardinality(positions)), '{}') as words
         from unnest(private.stems_in(private.text_configuration($1), $2))`,
        [language, question.question],
      )
      const { data } = await person
        .rpc('search_passages', { library: library.id, query: question.question, max_results: 10 })
        .throwOnError()
      judged.push({
        plain: judge(
          bm25(rows[0]?.words ?? {}).map((place) => passages[place]?.id ?? ''),
          wanted,
        ),
        carrel: judge(
          data.map(({ passage_id }) => passage_id),
          wanted,
        ),
      })
    }
  }
  return {
    name,
    plain: mean(judged.map(({ plain }) => plain)).ndcg,
    carrel: mean(judged.map(({ carrel }) => carrel)).ndcg,
  }
}
