import { readFile } from 'node:fs/promises'
import * as z from 'zod'

const Item = z.object({ id: z.string(), title: z.string().default(''), text: z.string() })
type Item = z.infer<typeof Item>
export type Collection = {
  readonly documents: readonly Item[]
  readonly questions: readonly Item[]
  readonly relevant: ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads a test collection: documents.jsonl and queries.jsonl with id and text, and relevance.tsv with question,
 *  document and grade, where 1 and above is relevant. */
export async function readCollection(folder: string): Promise<Collection> {
  const lines = async (name: string) => (await readFile(`${folder}/${name}`, 'utf8')).trim().split('\n')
  const items = async (name: string) => (await lines(name)).map((line) => Item.parse(JSON.parse(line)))
  const relevant = new Map<string, Set<string>>()
  for (const line of (await lines('relevance.tsv')).slice(1)) {
    const [question = '', document = '', grade] = line.split('\t')
    if (Number(grade) >= 1) relevant.set(question, (relevant.get(question) ?? new Set()).add(document))
  }
  return {
    documents: (await items('documents.jsonl')).filter(({ text }) => text.trim() !== ''),
    // Questions are prose: quotation marks don't mean phrases.
    questions: (await items('queries.jsonl'))
      .filter(({ id }) => relevant.has(id))
      .map((question) => ({ ...question, text: question.text.replaceAll('"', ' ') })),
    relevant,
  }
}

/** Means over all questions, 0 to 1, of the top ten. */
export type Quality = { readonly ndcg: number; readonly recall: number; readonly mrr: number }

const DEPTH = 10

/** Returns nDCG, recall and reciprocal rank of a list, with binary relevance. */
export function judge(list: readonly string[], wanted: ReadonlySet<string>): Quality {
  const order = list.slice(0, DEPTH)
  const gain = (index: number) => 1 / Math.log2(index + 2)
  const gained = order.reduce((sum, document, index) => sum + (wanted.has(document) ? gain(index) : 0), 0)
  const ideal = Array.from({ length: Math.min(wanted.size, DEPTH) }, (_, index) => gain(index))
  const first = order.findIndex((document) => wanted.has(document))
  return {
    ndcg: gained / ideal.reduce((sum, value) => sum + value, 0),
    recall: order.filter((document) => wanted.has(document)).length / wanted.size,
    mrr: first === -1 ? 0 : 1 / (first + 1),
  }
}

export const mean = (judged: readonly Quality[]): Quality => {
  const of = (key: keyof Quality) => judged.reduce((sum, quality) => sum + quality[key], 0) / judged.length
  return { ndcg: of('ndcg'), recall: of('recall'), mrr: of('mrr') }
}
