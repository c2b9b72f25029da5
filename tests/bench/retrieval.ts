import { existsSync } from 'node:fs'
import { basename, delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { table } from '../../undock/bench/table.ts'
import { runInside } from './inside.ts'
import type { Halves, RetrievalFigures } from './retrieval-figures.ts'

const FIGURES = fileURLToPath(new URL('./retrieval-figures.ts', import.meta.url))

/** Measures search quality without a language model on the test collections in COLLECTIONS (see collection.ts). */
export async function benchRetrieval(): Promise<string> {
  const folders = (process.env.COLLECTIONS ?? '').split(delimiter).filter((folder) => existsSync(folder))
  if (folders.length === 0)
    return 'Not measured: no folder of a collection was named (npm run bench -- FOLDER FOLDER …).'
  const tables: string[] = []
  for (const folder of folders) tables.push(await measure(folder))
  return tables.join('\n\n')
}

async function measure(folder: string): Promise<string> {
  process.env.COLLECTION = folder
  const { documents, questions, plain, words, fused, growth } = await runInside<RetrievalFigures>(FIGURES)
  const row = (name: string, { all, odd, even }: Halves) => [
    name,
    ...[all.ndcg, odd.ndcg, even.ndcg, all.recall, all.mrr].map((value) => value.toFixed(3)),
  ]
  const name = `${basename(folder)}: ${documents.toLocaleString('en')} texts, ${questions} questions`
  const head = [name, 'nDCG@10', 'odd questions', 'even questions', 'recall@10', 'MRR@10']
  const rows = [
    row('plain BM25 (k1 1.2, b 0.75), for comparison', plain),
    row('words alone', words),
    row("Carrel's search", fused),
  ]
  const shares = growth.map((ndcg, step) => `${((step + 1) * 100) / growth.length} %: ${ndcg.toFixed(3)}`)
  return `${table(head, rows)}\n\nnDCG@10 with only part of the documents: ${shares.join(', ')}.`
}
