import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'

/** Benchmarks by the name that a command line gives them. */
export type Benches = Readonly<Record<string, Bench>>

type Bench = {
  readonly title: string
  /** @returns the section's text in Markdown. */
  run(): Promise<string>
}

/** Runs all benchmarks, and then writes the page: its figures are of one run. Where one fails, the
 *  page stays as it was. Named benchmarks are printed only.
 *  @param page The path of the page. */
export async function runBenches(benches: Benches, names: readonly string[], page: string): Promise<void> {
  const unknown = names.find((name) => !(name in benches))
  if (unknown !== undefined)
    throw new Error(`There is no benchmark "${unknown}". There are: ${Object.keys(benches).join(', ')}`)
  const began = new Date()
  const wanted = Object.entries(benches).filter(([name]) => names.length === 0 || names.includes(name))
  const sections: string[] = []
  process.env.UNDOCK_ENGINE = 'native'
  for (const [, { title, run }] of wanted) {
    console.log(`Measuring: ${title} …`)
    const section = `## ${title}\n\n${await run()}`
    console.log(`\n${section}\n`)
    sections.push(section)
  }
  if (names.length > 0)
    return console.log('The page has the figures of one run of all benchmarks, so it stays unchanged.')
  writeFileSync(page, `${headOf(began)}\n\n${sections.join('\n\n')}\n`)
  console.log(`${page} is written, after ${Math.round((Date.now() - began.getTime()) / 60_000)} minutes.`)
}

function headOf(began: Date): string {
  const day = began.toLocaleDateString('en-GB', { dateStyle: 'long' })
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  return `# Benchmarks\n\nOne run of \`npm run bench\` on ${day} (${machine}), medians of several rounds. Compare the columns: absolute figures depend on the machine. Later changes aren't included.`
}

/** Installs the benchmarks' packages, which have their own manifest.
 *  @param folder The manifest's folder.
 *  @param what As in "Installing …". */
export function installTools(folder: string, what: string): void {
  if (existsSync(join(folder, 'node_modules'))) return
  console.log(`Installing ${what} (npm ci) …`)
  const words = ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel=error']
  const { status } = spawnSync('npm', words, { stdio: 'inherit', shell: process.platform === 'win32' })
  if (status !== 0) throw new Error(`npm could not install ${what}; it says why above.`)
}
