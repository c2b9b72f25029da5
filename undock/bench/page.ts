import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, totalmem } from 'node:os'

/** Benchmarks by the name that a command line gives them. `run` returns the section's text in Markdown. */
export type Benches = Readonly<Record<string, { readonly title: string; run(): Promise<string> }>>

/** Runs the named benchmarks, or all, and writes each one's section of a page. A failed one does not end the others.
 *  @param page Path of a page that has the sections of earlier runs. */
export async function runBenches(benches: Benches, names: readonly string[], page: string): Promise<void> {
  const today = new Date().toLocaleDateString('en-GB', { dateStyle: 'long' })
  for (const name of names.length > 0 ? names : Object.keys(benches)) {
    const bench = benches[name]
    if (!bench) throw new Error(`There is no benchmark "${name}". There are: ${Object.keys(benches).join(', ')}`)
    console.log(`Measuring: ${bench.title} …`)
    try {
      const section = `## ${bench.title}\n\nMeasured on ${today}.\n\n${await bench.run()}\n`
      console.log(`\n${section}`)
      writeSection(benches, bench.title, section, page)
    } catch (error) {
      process.exitCode = 1
      console.error(`Not measured: ${error instanceof Error ? error.message : error}`)
    }
  }
  console.log(`${page} is written.`)
}

/** Replaces the section of this title, and keeps the order of the benchmarks. */
function writeSection(benches: Benches, title: string, section: string, page: string): void {
  const written = new Map(
    readFileSync(page, 'utf8')
      .split(/^(?=## )/m)
      .slice(1)
      .map((text) => [text.slice(3, text.indexOf('\n')), text.trimEnd()]),
  )
  written.set(title, section.trimEnd())
  const machine = `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
  const sections = Object.values(benches).flatMap((bench) => written.get(bench.title) ?? [])
  writeFileSync(
    page,
    `# Benchmarks\n\nWritten by \`npm run bench\`: each section side by side in one run, medians of several rounds, on ${machine}. Compare the columns; the absolute figures are the machine's.\n\n${sections.join('\n\n')}\n`,
  )
}
