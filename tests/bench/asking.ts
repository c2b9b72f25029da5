import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { table } from '../../undock/bench/table.ts'
import type { AskingCounts, AskingFigures } from './asking-figures.ts'
import { runInside } from './inside.ts'

const FIGURES = fileURLToPath(new URL('./asking-figures.ts', import.meta.url))

/** Measures Ask without a language model on manuals of Debian packages, whose folder the variable MANUALS names
 *  (manuals.ts says what is in it). No manual is part of this repository. */
export async function benchAsking(): Promise<string> {
  const folder = process.env.MANUALS
  if (!folder || !existsSync(folder))
    return 'Not measured: MANUALS names no folder with the unpacked packages of tests/bench/manuals.ts.'
  const { manuals, tuned, fresh } = await runInside<AskingFigures>(FIGURES)
  const row = (name: string, { answered, shown, marked, unanswerable, refused }: AskingCounts) => [
    name,
    `${shown} of ${answered}`,
    `${marked} of ${answered}`,
    `${refused} of ${unanswerable}`,
  ]
  return table(
    [
      `${manuals.toLocaleString('en')} manuals`,
      'right passage shown',
      'answering sentence marked',
      'said to have no answer',
    ],
    [row('questions for which its rules were made', tuned), row('other questions', fresh)],
  )
}
