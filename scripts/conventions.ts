// `node scripts/conventions.ts`: what CONTRIBUTING.md asks of commits, and how many casts the code has.
import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { z } from 'zod'
import { ROOT } from './processes.ts'

/** The last commit before subjects were checked. */
const BEFORE = '6ed3a343'
const SUBJECT = /^(feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(\([a-z0-9,. /-]+\))?!?: \S/
const LONGEST = 80
/** `as` in the code of each half, without tests: who removes some writes the lower number here. `as const` is none. */
const CASTS = { src: 56, 'supabase/functions': 30, 'undock/src': 301, 'undock/console/src': 65 }

const As = z.object({
  typeAnnotation: z.object({ typeName: z.object({ name: z.string().optional() }).optional() }),
})

const faults = [...subjectFaults(), ...Object.entries(CASTS).flatMap(([folder, most]) => castFaults(folder, most))]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

/** A clone without the commit before has none of those after it to check. */
function subjectFaults(): string[] {
  const { status, stdout } = spawnSync('git', ['log', '--no-merges', '--format=%h %s', `${BEFORE}..HEAD`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) return []
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [commit, ...words] = line.split(' ')
      const subject = words.join(' ')
      if (!SUBJECT.test(subject)) return [`${commit}: "${subject}" does not begin with a type, as in "fix(auth): …".`]
      return subject.length > LONGEST ? [`${commit}: "${subject}" has more than ${LONGEST} characters.`] : []
    })
}

function castFaults(folder: string, most: number): string[] {
  const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: ROOT, exclude: ['**/node_modules/**'] }).filter(
    (file) => !/\.(test|gen)\.tsx?$|\/testing\//.test(file),
  )
  const casts = files.reduce((sum, file) => sum + castsIn(file), 0)
  if (casts === most) return []
  return casts > most
    ? [`${folder} has ${casts} casts, ${casts - most} more than before: check the value, or give it its type.`]
    : [`${folder} has only ${casts} casts: write that number in scripts/conventions.ts.`]
}

function castsIn(file: string): number {
  return count(parseSync(file, readFileSync(`${ROOT}${file}`, 'utf8')).program)
}

function count(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0
  return Object.values(node).reduce((sum: number, value) => sum + count(value), isCast(node) ? 1 : 0)
}

function isCast(node: object): boolean {
  if (!('type' in node) || node.type !== 'TSAsExpression') return false
  return As.parse(node).typeAnnotation.typeName?.name !== 'const'
}
