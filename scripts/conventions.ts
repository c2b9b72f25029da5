// `node scripts/conventions.ts`: checks commit subjects, package checksums, casts and the size of the code.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { parseSync } from 'vite'
import { z } from 'zod'
import { ROOT } from './processes.ts'

/** The last commit before subjects were checked. */
const BEFORE = 'a7f4cb4e'
const SUBJECT = /^(?:feat|fix|docs|style|refactor|perf|test|build|ci|chore|revert)(?:\([a-z0-9,. /-]+\))?!?: (\S+)/
const MAX_SUBJECT_LENGTH = 72
/** First words of subjects that don't say what the commit does. */
const NO_VERBS = new Set(
  (
    'a an the this that these those each every all any some no one two what who whoever whose which where when why ' +
    'how it its i we you they there here if as and or but in on at of for from to with without also only not'
  ).split(' '),
)

const CODE = /\.(tsx?|mts|m?js|sql|css)$/
const NOT_COUNTED = [
  /(^|\/)(tests|testing|docs)\//,
  /\.test\.tsx?$/,
  // Generated
  /\.gen\.ts$/,
  /^supabase\/migrations\//,
  /^supabase\/functions\/_shared\/database\.ts$/,
  /^types\/api\.ts$/,
]
const MAX_SMALL_FILE_LINES = 25
/** Lines below the budget from which the script asks to lower it. */
const SLACK = 500
const Budget = z.object({ lines: z.number(), smallFiles: z.number() })

/** `as` casts in the code, without tests and `as const`. Lower the number when you remove some. */
const CASTS = { src: 50, 'supabase/functions': 24, 'undock/src': 251, 'undock/console/src': 60 }

/** Packages of other platforms that the registry doesn't have. Lower the number after `npm run lockfile`. */
const WITHOUT_CHECKSUM = 19
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ link: z.boolean().optional(), integrity: z.string().optional(), cpu: z.array(z.string()).optional() }),
  ),
})

/** Matches of phrases that read as translated or archaic, in tracked prose, comments and texts. Lower a number when you remove some. */
const PHRASES = {
  'any ?more': 2,
  'anybody|everybody|nobody|somebody|whoever': 192,
  'at once': 43,
  'anew|beside|for ever|in one another|makes nothing of|mended': 73,
  '(is|are) told|hears of|stands? for': 7,
}
const PROSE = '*.ts *.tsx *.sql *.md *.html *.js *.mjs :!supabase/migrations :!undock/tests/conformance'.split(' ')

const As = z.object({
  typeAnnotation: z.object({ typeName: z.object({ name: z.string().optional() }).optional() }),
})

const faults = [
  ...subjectFaults(),
  ...budgetFaults(),
  ...lockFaults(),
  ...Object.entries(PHRASES).flatMap(([phrase, most]) => phraseFaults(phrase, most)),
  ...Object.entries(CASTS).flatMap(([folder, most]) => castFaults(folder, most)),
]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

/** A shallow clone without the base commit has nothing to check. */
function subjectFaults(): string[] {
  return (git('log', '--no-merges', '--format=%h %s', `${BEFORE}..HEAD`) ?? []).flatMap((line) => {
    const [commit, ...words] = line.split(' ')
    const fault = subjectFault(words.join(' '))
    return fault === undefined ? [] : [`${commit}: "${words.join(' ')}" ${fault}`]
  })
}

/** npm verifies a downloaded package by its checksum only. */
function lockFaults(): string[] {
  const { packages } = Lock.parse(JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')))
  const unchecked = Object.entries(packages).filter(
    ([path, { link, integrity }]) => path.includes('node_modules/') && !link && !integrity,
  )
  const faults = unchecked.flatMap(([path, { cpu }]) => (cpu ? [] : [`${path} has no checksum in package-lock.json`]))
  return unchecked.length <= WITHOUT_CHECKSUM
    ? faults
    : [...faults, `package-lock.json has ${unchecked.length} packages without a checksum: run npm run lockfile`]
}

function subjectFault(subject: string): string | undefined {
  const [, verb] = SUBJECT.exec(subject) ?? []
  if (verb === undefined) return 'does not begin with a type, as in "fix(auth): …".'
  if (subject.length > MAX_SUBJECT_LENGTH) return `has more than ${MAX_SUBJECT_LENGTH} characters.`
  return NO_VERBS.has(verb.toLowerCase()) || !/^[a-z]/.test(verb)
    ? 'does not say what to do: begin with a verb in lower case, as in "fix(auth): keep the session".'
    : undefined
}

/** Checks lines of hand-written code and small files against budget.json. */
function budgetFaults(): string[] {
  const files = (git('ls-files') ?? []).filter(
    (file) => CODE.test(file) && !NOT_COUNTED.some((pattern) => pattern.test(file)) && existsSync(`${ROOT}${file}`),
  )
  if (files.length === 0) return []
  const sizes = files.map((file) => readFileSync(`${ROOT}${file}`, 'utf8').split('\n').length - 1)
  const lines = sizes.reduce((sum, size) => sum + size, 0)
  const smallFiles = sizes.filter((size) => size <= MAX_SMALL_FILE_LINES).length
  const budget = Budget.parse(JSON.parse(readFileSync(`${ROOT}budget.json`, 'utf8')))
  if (lines <= budget.lines - SLACK)
    console.log(`The code has ${lines} lines and ${smallFiles} small files: write that in budget.json.`)
  return [
    ...(lines > budget.lines
      ? [
          `The code has ${lines} lines, ${lines - budget.lines} more than budget.json allows: remove what nobody needs, or use a library.`,
        ]
      : []),
    ...(smallFiles > budget.smallFiles
      ? [
          `${smallFiles} files have ${MAX_SMALL_FILE_LINES} lines or fewer, ${smallFiles - budget.smallFiles} more than budget.json allows: merge them with the files that use them.`,
        ]
      : []),
  ]
}

function phraseFaults(phrase: string, most: number): string[] {
  const count = (git('grep', '-oiE', `\\b(${phrase})\\b`, '--', ...PROSE, ':!scripts/conventions.ts') ?? []).length
  return count > most
    ? [`"${phrase}" occurs ${count} times, ${count - most} more than before: use a plainer word.`]
    : []
}

/** Returns git's output in lines; undefined on failure. */
function git(...args: string[]): string[] | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  return status === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined
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
