import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runInside } from './inside.ts'
import type { Quality, RetrievalFigures } from './retrieval-figures.ts'
import { table } from './table.ts'

const FIGURES = fileURLToPath(new URL('./retrieval-figures.ts', import.meta.url))

/** Measures the quality of Carrel's search on the Cranfield collection, whose folder the variable CRANFIELD names:
 *  documents.jsonl, queries.jsonl and relevance.tsv. The collection itself is not part of this repository. */
export async function benchRetrieval(): Promise<string> {
  const folder = process.env.CRANFIELD
  if (!folder || !existsSync(folder)) return 'Not measured: set CRANFIELD to the folder of the Cranfield collection.'
  const { documents, questions, fused } = await runInside<RetrievalFigures>(FIGURES)
  const row = (name: string, { ndcg, recall, mrr }: Quality) => [
    name,
    ...[ndcg, recall, mrr].map((value) => value.toFixed(3)),
  ]
  const head = [`${documents.toLocaleString('en')} abstracts, ${questions} questions`, 'nDCG@10', 'recall@10', 'MRR@10']
  return table(head, [row('as Carrel searches', fused)])
}
