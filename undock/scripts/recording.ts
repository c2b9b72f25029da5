// `node scripts/recording.ts`: runs commands in an empty folder and draws what they print into docs/screens/start.svg, a terminal
// that moves. Ports and keys are those of every local project.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const UNDOCK = join(import.meta.dirname, '..')
const COMMANDS = [
  'npx undock init --starter todo',
  'npx undock start --detach',
  'npx undock explain --as anon select todos',
  'npx undock explain --as ada@example.com select todos',
  'npx undock requests',
  'npx undock stop',
]

/** @property seconds That the command took. */
type Scene = { readonly command: string; readonly seconds: number; readonly lines: readonly string[] }

const WIDTH = 110
const HEIGHT = 25
const ROW = 19
const COLUMN = 8.4
const MARGIN = 20
/** Seconds before a command runs, and to read one printed line. */
const TYPING = 1.2
const READING = 0.28

const folder = mkdtempSync(join(tmpdir(), 'shop-'))
try {
  writeFileSync(join(UNDOCK, 'docs/screens/start.svg'), draw(COMMANDS.map(play)))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function play(command: string): Scene {
  const began = performance.now()
  const [, , ...words] = command.split(' ')
  // Both outputs in one, in their order, as a terminal shows them.
  const program = [process.execPath, join(UNDOCK, 'bin/undock.js'), ...words]
  const { status, stdout } = spawnSync('sh', ['-c', 'exec "$@" 2>&1', 'sh', ...program], {
    cwd: folder,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stdout}`)
  const lines = stdout.trimEnd().replaceAll(folder, '~/shop').split('\n').flatMap(wrapped)
  return { command, seconds: (performance.now() - began) / 1_000, lines: lines.slice(0, HEIGHT - 2) }
}

/** A line as a terminal breaks it. */
function wrapped(line: string): string[] {
  return line === '' ? [''] : (line.match(new RegExp(`.{1,${WIDTH}}`, 'g')) ?? [])
}

function draw(scenes: readonly Scene[]): string {
  let at = 0
  const parts = scenes.map(({ command, seconds, lines }, index) => {
    const [from, answered] = [at, at + TYPING + seconds]
    at = answered + 1.5 + lines.length * READING
    return { command, lines, index, from, answered, to: at }
  })
  const share = (seconds: number): string => ((100 * seconds) / at).toFixed(2)
  const shown = (name: string, from: number, to: number): string =>
    `@keyframes ${name}{0%{visibility:${from === 0 ? 'visible' : 'hidden'}}${share(from)}%{visibility:visible}${share(to)}%,100%{visibility:hidden}}.${name}{animation:${name} ${at.toFixed(1)}s step-end infinite}`
  const style = parts.flatMap(({ index, from, answered, to }) => [
    shown(`c${index}`, from, to),
    shown(`a${index}`, answered, to),
  ])
  const text = (line: string, row: number, className = ''): string =>
    `<text x="${MARGIN}" y="${MARGIN + 14 + row * ROW}"${className && ` class="${className}"`}>${escaped(line)}</text>`
  const body = parts.map(
    ({ command, lines, index }) =>
      `<g class="c${index}"><text x="${MARGIN}" y="${MARGIN + 14}"><tspan fill="#4fd1c1">$</tspan> ${escaped(command)}</text></g><g class="a${index} o">${lines.map((line, row) => text(line, row + 2)).join('')}</g>`,
  )
  const [width, height] = [WIDTH * COLUMN + 2 * MARGIN, HEIGHT * ROW + 2 * MARGIN]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="A terminal in which undock is used"><style>text{font:14px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#ecede9;white-space:pre}.o text{fill:#bfc2ba}${style.join('')}@media(prefers-reduced-motion:reduce){g{animation:none!important;visibility:hidden}.c3,.a3{visibility:visible}}</style><rect width="${width}" height="${height}" rx="10" fill="#141513"/>${body.join('')}</svg>\n`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
