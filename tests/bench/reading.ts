import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { tool } from '../../scripts/processes.ts'
import { table } from '../../undock/bench/table.ts'

const inRepository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const Imports = z.object({ imports: z.record(z.string(), z.string()) })
const Figures = z.object({
  path: z.string(),
  ending: z.string(),
  bytes: z.number(),
  ms: z.number(),
  memory: z.number(),
  words: z.number(),
  lost: z.number(),
  problem: z.string().optional(),
})
/** Files missing this share of their words are listed. */
const MUCH = 0.05

/** Reads all files in the folders COLLECTIONS, which aren't part of this repository. */
export async function benchReading(): Promise<string> {
  const folders = (process.env.COLLECTIONS ?? '').split(delimiter).filter(Boolean)
  if (folders.length === 0) return 'Not measured: no folder with files was named (npm run bench reading -- FOLDER).'
  const { imports } = Imports.parse(
    JSON.parse(readFileSync(inRepository('supabase/functions/ingest/deno.json'), 'utf8')),
  )
  const reference = { 'mdast-util-from-markdown': 'npm:mdast-util-from-markdown@2.1.0' }
  const map = `--import-map=data:application/json,${encodeURIComponent(JSON.stringify({ imports: { ...imports, ...reference } }))}`
  const files = folders.flatMap((folder) =>
    execFileSync(
      tool('deno'),
      ['run', '-A', '--quiet', '--no-config', map, inRepository('tests/bench/reading-figures.ts'), folder],
      {
        encoding: 'utf8',
        maxBuffer: 2 ** 28,
      },
    )
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [Figures.parse(JSON.parse(line))] : [])),
  )
  const rows = [...Map.groupBy(files, ({ ending }) => ending)].map(([ending, group]) => {
    const sum = (of: 'bytes' | 'ms' | 'words' | 'lost') => group.reduce((all, file) => all + file[of], 0)
    const refused = Map.groupBy(
      group.filter(({ problem }) => problem),
      ({ problem = '' }) => problem,
    )
    return [
      ending,
      `${group.length}`,
      [...refused].map(([problem, all]) => `${all.length} ${problem}`).join(', ') || '–',
      sum('words') ? `${((sum('lost') * 100) / sum('words')).toFixed(2)} %` : '–',
      `${Math.round(sum('ms') / (sum('bytes') / 1e6 || 1))}`,
      `${Math.round(Math.max(...group.map(({ memory }) => memory)) / 1e6)} MB`,
    ]
  })
  const poor = files
    .filter(({ words, lost }) => lost > words * MUCH)
    .map(({ path, words, lost }) => `- ${path}: ${lost} of ${words} words`)
  const head = ['ending', 'files', 'refused', 'distinct words lost', 'ms per MB', 'most memory']
  return [
    table(head, rows.sort()),
    ...(poor.length > 0 ? [`Files that lost more than ${MUCH * 100} %:\n\n${poor.join('\n')}`] : []),
  ].join('\n\n')
}
