import { execFileSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { ROOT } from './processes.ts'

/** @property files The changed files, relative to the root. @property related Those of app and console, whose importing
 *  unit tests run. @property tests Paths of undock's tests: most import the database, so only the nearest run. They are
 *  absolute, because Vitest matches relative ones anywhere in a path. */
export type ChangedChecks = {
  readonly names: ReadonlySet<string>
  readonly files: readonly string[]
  readonly related: readonly string[]
  readonly tests: readonly string[]
}

/** Returns the checks of `npm test` for a change: formatting, layers, types of the changed parts, and tests of changed
 *  files. @param commit The base of the comparison. */
export function changedChecks(commit: string): ChangedChecks {
  const git = (...words: string[]): string[] =>
    execFileSync('git', words, { cwd: ROOT, encoding: 'utf8' }).split('\0').filter(Boolean)
  const paths = [
    ...git('diff', '--name-only', '--diff-filter=d', '-z', commit),
    ...git('ls-files', '--others', '--exclude-standard', '-z'),
  ]
  const touches = (expression: RegExp): boolean => paths.some((path) => expression.test(path))
  const tests = new Set<string>()
  for (const path of paths) {
    if (/^undock\/(src|tests)\/.*\.test\.ts$/.test(path)) tests.add(path)
    else if (/^undock\/src\/.*\.(ts|sql)$/.test(path)) tests.add(`${dirname(path)}/`)
    else if (/^tests\/(acceptance|hostile)\/.*\.test\.ts$/.test(path)) tests.add(path)
  }
  const related = paths.filter((path) => /^(src|undock\/console)\/.*\.tsx?$/.test(path))
  const names: [name: string, isNeeded: boolean][] = [
    ['lint', paths.length > 0],
    ['layers and pages', touches(/^(?!undock\/)/)],
    ['layers and pages of undock', touches(/^undock\//)],
    ['commits and casts', paths.length > 0],
    ['packages as npm would get them', touches(/^undock\/(package\.json|packages\/|scripts\/(pack|bundle|publish))/)],
    ['types of undock', touches(/^undock\/(?!console\/).*\.tsx?$/)],
    ['types of the console', touches(/^undock\/(console|src)\/.*\.tsx?$/)],
    ['types of the app', touches(/^(?!undock\/|supabase\/functions\/[^_]).*\.tsx?$/)],
    ['texts in every language', touches(/^src\//)],
    ['schema and migrations', touches(/^supabase\/(schemas|migrations)\//)],
    ['unit and integration', tests.size > 0],
    ['unit tests that import what changed', related.length > 0],
    ['edge functions', touches(/^supabase\/functions\//)],
    ['database policies (pgTAP)', touches(/^supabase\/(schemas|tests)\//)],
  ]
  return {
    names: new Set(names.filter(([, isNeeded]) => isNeeded).map(([name]) => name)),
    files: paths,
    related,
    tests: [...tests].map((path) => join(ROOT, path)),
  }
}
