import { fileURLToPath } from 'node:url'
import { table } from '../../undock/bench/table.ts'
import type { AskingFigures } from './asking-figures.ts'
import { runInside } from './inside.ts'
import type { AskingCounts } from './manual-library.ts'
import type { MixedFigures } from './mixed-figures.ts'

const script = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url))

/** Measures Ask without a language model on Debian's English manuals, fetched by manuals.ts. */
export async function benchAsking(): Promise<string> {
  const { manuals, tuned, fresh } = await runInside<AskingFigures>(script('asking-figures.ts'))
  return askingTable(manuals, [
    ['questions its rules were written for', tuned],
    ['other questions', fresh],
  ])
}

export async function benchMixed(): Promise<string> {
  const { manuals, retrieval, asking } = await runInside<MixedFigures>(script('mixed-figures.ts'))
  const search = table(
    ['nDCG@10', 'plain BM25 (k1 1.2, b 0.75)', "Carrel's search"],
    retrieval.map(({ name, plain, carrel }) => [name, plain.toFixed(3), carrel.toFixed(3)]),
  )
  return `${search}\n\n${askingTable(manuals, asking)}`
}

const askingTable = (manuals: number, rows: readonly (readonly [name: string, AskingCounts])[]): string =>
  table(
    [
      `${manuals.toLocaleString('en')} manuals`,
      'right passage shown',
      'answering sentence marked',
      'correctly refused',
    ],
    rows.map(([name, { answered, shown, marked, unanswerable, refused }]) => [
      name,
      `${shown} of ${answered}`,
      `${marked} of ${answered}`,
      `${refused} of ${unanswerable}`,
    ]),
  )
