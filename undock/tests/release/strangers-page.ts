import { readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { UNDOCK } from '../support/paths.ts'

/** One command on a new user's machine. @property bytes The size of what it installed. @property said All of its output. */
export type Try = {
  readonly system: string
  readonly what: string
  readonly command: string
  readonly seconds: number
  readonly bytes: number
  readonly said: string
}

const PAGE = join(UNDOCK, 'docs', 'strangers.md')
const PLACE = /(?<=<!-- from bare-roots\.test\.ts -->\n).*(?=<!-- end -->)/s

/** npm announces its own updates. */
const withoutNotices = (said: string): string => said.replaceAll(/^npm notice.*\n?/gm, '').trim()

/** Writes the results to docs/strangers.md. */
export function writePage(tries: readonly Try[]): void {
  const rows = tries.map(
    ({ system, what, seconds, bytes }) =>
      `| ${system} | ${what} | ${seconds.toFixed(1)} | ${(bytes / 1e6).toFixed(1)} |`,
  )
  const outputs = tries.map(
    ({ system, what, command, said }) =>
      `### ${system}: ${what}\n\n\`\`\`\n$ ${command}\n${withoutNotices(said)}\n\`\`\``,
  )
  const [processor] = cpus()
  const text = `On ${new Date().toISOString().slice(0, 10)}, ${cpus().length} processors (${processor?.model.trim() || 'unknown'}):

| system | what | seconds | MB installed |
|---|---|---:|---:|
${rows.join('\n')}

## What was printed

${outputs.join('\n\n')}
`
  writeFileSync(
    PAGE,
    readFileSync(PAGE, 'utf8').replace(PLACE, () => text),
  )
}
