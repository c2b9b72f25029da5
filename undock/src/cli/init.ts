import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import { findConfigFile } from '../config/project.ts'
import type { StarterName } from '../project-tools/starters/catalog.ts'
import { findWorkdir, UsageError } from './arguments.ts'
import { writeShim } from './supabase/cli.ts'

type InitOptions = {
  readonly workdir?: string
  readonly agent: boolean
  readonly shim: boolean
  readonly starter?: StarterName
  readonly readOnly: boolean
}

/** `undock init`: creates a project, or adds a starter (`--starter`) or agents' files (`--agent`). @throws {UsageError} if there is a
 *  project and neither is given. */
export async function init({ agent, shim, starter, ...options }: InitOptions): Promise<number> {
  if (starter !== undefined) {
    const { initStarter } = await import('./init-starter.ts')
    await initStarter(starter, options.workdir)
  } else if (!agent && !shim) {
    const folder = resolve(options.workdir ?? '.')
    const file = findConfigFile(join(folder, 'supabase'))
    if (file !== null)
      throw new UsageError(
        `supabase/${file} already exists. To add to this project, use --starter todo, chat or documents, --agent or --shim.`,
      )
    const { createProject } = await import('./init-starter.ts')
    await createProject(folder)
  }
  if (agent) await initAgents(options)
  if (shim) {
    const folder = join(findWorkdir(options.workdir), 'node_modules', '.bin')
    writeShim(folder)
    console.log(
      `\`supabase\` in package scripts and \`npx supabase\` now run undock (${relative(process.cwd(), folder)}).\n` +
        'Commands that need no Docker still go to the Supabase CLI. Installing packages reverts this: to keep it, add the script "postinstall": "undock init --shim".',
    )
  }
  return 0
}

/** Writes the settings of `undock mcp` for coding agents, a skill, and a section of AGENTS.md. An existing file isn't changed;
 *  the entry to add is printed. */
async function initAgents({ workdir, readOnly }: Omit<InitOptions, 'agent' | 'shim' | 'starter'>): Promise<void> {
  const folder = findWorkdir(workdir)
  const server = { command: 'npx', args: ['undock', 'mcp', ...(readOnly ? ['--read-only'] : [])] }
  for (const { path, key, type } of CLIENTS) {
    const entry = { undock: type === null ? server : { type, ...server } }
    const isWritten = await writeNew(join(folder, path), `${JSON.stringify({ [key]: entry }, null, 2)}\n`)
    if (isWritten) console.log(`Created ${path}`)
    else if (await mentionsUndock(join(folder, path))) console.log(`${path} already includes undock`)
    else console.log(`${path} already exists. Add to its "${key}": ${JSON.stringify(entry).slice(1, -1)}`)
  }
  const skill = join('.claude', 'skills', 'undock', 'SKILL.md')
  const isNew = await writeNew(join(folder, skill), await readFile(SKILL, 'utf8'))
  console.log(isNew ? `Created ${skill}` : `${skill} already exists`)
  const agents = join(folder, 'AGENTS.md')
  const text = await readFile(agents, 'utf8').catch(() => '')
  if (text.includes(HEADING)) console.log('AGENTS.md already has the section')
  else {
    await appendFile(agents, `${text === '' ? '' : '\n'}${SECTION}`)
    console.log(`${text === '' ? 'Created' : 'Added a section to'} AGENTS.md`)
  }
}

/** Where each client reads a project's MCP servers. */
const CLIENTS = [
  { path: '.mcp.json', key: 'mcpServers', type: null },
  { path: '.cursor/mcp.json', key: 'mcpServers', type: null },
  { path: '.vscode/mcp.json', key: 'servers', type: 'stdio' },
] as const

/** The package's skill for agents. @see https://agentskills.io/specification */
const SKILL = new URL('../../skills/undock/SKILL.md', import.meta.url)

const HEADING = '## Local backend'
const SECTION = `${HEADING}

This project's Supabase backend runs on this machine with undock, without Docker. Its MCP server is \`undock\`.

- \`npx undock start --detach\` starts it, \`npx undock status\` prints URLs and keys, \`npx undock stop\` stops it.
- Change the schema only with migrations: the tool apply_migration, or a new file in supabase/migrations and \`npx undock migration up\`.
- When a request fails: \`npx undock requests --failed\`, then \`npx undock requests show ID\` and \`npx undock logs\`.
- When rows are missing or refused: \`npx undock explain --as anon select TABLE\` shows which policy decides.
- \`npx undock run -- COMMAND\` runs tests with their own backend in memory; \`npx undock db test\` runs pgTAP.
- For more, see node_modules/undock/skills/undock/SKILL.md.
`

/** @returns false if the file exists. */
async function writeNew(path: string, text: string): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

const mentionsUndock = async (path: string): Promise<boolean> => /"undock"\s*:/.test(await readFile(path, 'utf8'))
