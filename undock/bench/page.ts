import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'

const ENGINES = { native: 'PostgreSQL, the default engine', pglite: 'PGlite' }
export type EngineName = keyof typeof ENGINES

/** Benchmarks by the name that a command line gives them. */
export type Benches = Readonly<Record<string, Bench>>

type Bench = {
  readonly title: string
  /** Left out by a benchmark of every engine. */
  readonly engines?: readonly EngineName[]
  /** Measures on the engine that `UNDOCK_ENGINE` names.
   *  @returns the section's text in Markdown. */
  run(engine: EngineName): Promise<string>
}

/** Runs all benchmarks, one engine after the other, and then writes the page: its figures are of one run. Where one fails, the
 *  page stays as it was. Named benchmarks are printed only.
 *  @param page The path of the page.
 *  @param engines Those that the page compares. */
export async function runBenches(
  benches: Benches,
  names: readonly string[],
  { page, engines }: { readonly page: string; readonly engines: readonly EngineName[] },
): Promise<void> {
  const unknown = names.find((name) => !(name in benches))
  if (unknown !== undefined)
    throw new Error(`There is no benchmark "${unknown}". There are: ${Object.keys(benches).join(', ')}`)
  const began = new Date()
  const wanted = Object.entries(benches).filter(([name]) => names.length === 0 || names.includes(name))
  const chapters: string[] = []
  for (const engine of engines) {
    process.env.UNDOCK_ENGINE = engine
    const sections: string[] = []
    for (const [, { title, run, engines: own = engines }] of wanted) {
      if (!own.includes(engine)) continue
      console.log(`Measuring on ${ENGINES[engine]}: ${title} …`)
      const section = `### ${title}\n\n${await run(engine)}`
      console.log(`\n${section}\n`)
      sections.push(section)
    }
    if (sections.length > 0) chapters.push([`## ${ENGINES[engine]}`, ...sections].join('\n\n'))
  }
  if (names.length > 0)
    return console.log('The page holds figures of one run of all benchmarks, so it is left as it was.')
  writeFileSync(page, `${headOf(began)}\n\n${chapters.join('\n\n')}\n`)
  console.log(`${page} is written, after ${Math.round((Date.now() - began.getTime()) / 60_000)} minutes.`)
}

function headOf(began: Date): string {
  const day = began.toLocaleDateString('en-GB', { dateStyle: 'long' })
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  return `# Benchmarks\n\nWritten by one run of \`npm run bench\` on ${day}, on ${machine}: medians of several rounds. Compare the columns; the absolute figures are the machine's.`
}

/** Installs what only benchmarks need: it has a manifest of its own.
 *  @param folder Where that manifest is.
 *  @param what As in "Installing …". */
export function installTools(folder: string, what: string): void {
  if (existsSync(join(folder, 'node_modules'))) return
  console.log(`Installing ${what} (npm ci) …`)
  const words = ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', words, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm could not install ${what}; it says why above.`)
}
