import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runCli } from './run-cli.ts'

let folder: string
let printed: string[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'undock-init-'))
  await mkdir(join(folder, 'supabase'))
  printed = []
  vi.spyOn(console, 'log').mockImplementation((line) => void printed.push(line))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await rm(folder, { recursive: true })
})

const init = (...words: string[]) => runCli(['init', '--workdir', folder, ...words])
const read = (path: string) => readFile(join(folder, path), 'utf8')

test('writes settings for three clients and instructions for all others', async () => {
  expect(await init('--agent', '--read-only')).toBe(0)
  const server = { command: 'npx', args: ['undock', 'mcp', '--read-only'] }
  expect(JSON.parse(await read('.mcp.json'))).toEqual({ mcpServers: { undock: server } })
  expect(JSON.parse(await read('.cursor/mcp.json'))).toEqual({ mcpServers: { undock: server } })
  expect(JSON.parse(await read('.vscode/mcp.json'))).toEqual({ servers: { undock: { type: 'stdio', ...server } } })
  expect(await read('AGENTS.md')).toMatch(/^## Local backend/)
  const skill = await read('.claude/skills/undock/SKILL.md')
  expect(skill).toMatch(/^---\nname: undock\ndescription: .+\n---\n\n# Working on a project/)
  // Every command mentioned to agents exists.
  for (const [, words = ''] of skill.matchAll(/`npx undock ([a-z]+(?: [a-z]+)?)/g)) {
    vi.spyOn(process.stdout, 'write').mockImplementation(() => true)
    expect([words, await runCli([...words.split(' ').filter((word) => word !== 'functions'), '--help'])]).toEqual([
      words,
      0,
    ])
  }
})

test('changes nothing the second time', async () => {
  const paths = ['.mcp.json', '.cursor/mcp.json', '.vscode/mcp.json', '.claude/skills/undock/SKILL.md', 'AGENTS.md']
  await init('--agent')
  const before = await Promise.all(paths.map(read))
  printed = []
  expect(await init('--agent', '--read-only')).toBe(0)
  expect(await Promise.all(paths.map(read))).toEqual(before)
  expect(printed).toEqual([
    '.mcp.json already includes undock',
    '.cursor/mcp.json already includes undock',
    '.vscode/mcp.json already includes undock',
    '.claude/skills/undock/SKILL.md already exists',
    'AGENTS.md already has the section',
  ])
})

test('keeps existing files and prints what to add', async () => {
  await writeFile(join(folder, '.mcp.json'), '{ "mcpServers": {} } // mine')
  await writeFile(join(folder, 'AGENTS.md'), '# My rules\n')
  expect(await init('--agent')).toBe(0)
  expect(await read('.mcp.json')).toBe('{ "mcpServers": {} } // mine')
  expect(printed[0]).toBe(
    '.mcp.json already exists. Add to its "mcpServers": "undock":{"command":"npx","args":["undock","mcp"]}',
  )
  expect(await read('AGENTS.md')).toMatch(/^# My rules\n\n## Local backend/)
})

test("creates a project like the CLI's, once", async () => {
  expect(await init()).toBe(0)
  const settings = JSON.parse(await read('supabase/config.jsonc'))
  expect(settings).toMatchObject({ $schema: expect.stringContaining('schemas/config/v1.json') })
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await init()).toBe(2)
  expect(error.mock.lastCall?.[0]).toContain('supabase/config.jsonc already exists')
})

test('converts config.toml with its comments and values, and keeps a backup', async () => {
  const toml = `#:schema https://supabase.com/schemas/config/v1.json
# The name.
project_id = "a" # short

[api]
# Two of them.
schemas = ["public", "api"] # more
"max_rows" = 5
[auth.email.template.invite] # ours
subject = """
# no comment
"""
# [gone]
`
  await writeFile(join(folder, 'supabase/config.toml'), toml)
  await mkdir(join(folder, '.vscode'))
  await writeFile(join(folder, '.vscode/settings.json'), '{\n  // mine\n  "a": 1,\n}\n')
  expect(await runCli(['config', 'convert', '--workdir', folder])).toBe(0)
  expect(await read('supabase/config.toml.bak')).toBe(toml)
  expect(await read('supabase/config.jsonc')).toBe(`{
  "$schema": "https://supabase.com/schemas/config/v1.json",
  // The name.
  "project_id": "a", // short
  "api": {
    // Two of them.
    "schemas": ["public", "api"], // more
    "max_rows": 5
  },
  "auth": {
    "email": {
      "template": {
        // ours
        "invite": {
          "subject": "# no comment\\n"
        }
      }
    }
  }
}
// [gone]
`)
  expect(await read('.vscode/settings.json')).toContain('"https://supabase.com/": true')
  const error = vi.spyOn(console, 'error').mockImplementation(() => {})
  expect(await runCli(['config', 'convert', '--workdir', folder])).toBe(2)
  expect(error.mock.lastCall?.[0]).toContain('already uses supabase/config.jsonc')
})

const UNDOCK = fileURLToPath(new URL('../../bin/undock.js', import.meta.url))
const inProject = (program: string, words: string[], path = '') =>
  spawnSync(program, words, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, PATH: [path, '/usr/bin', '/bin'].join(delimiter) },
  })

test.skipIf(process.platform === 'win32')(
  "the project's `supabase` command is undock and never calls itself",
  async () => {
    expect(inProject(process.execPath, [UNDOCK, 'init', '--shim', '--workdir', folder]).stdout).toContain(
      'now run undock',
    )
    const bin = join(folder, 'node_modules', '.bin')
    const help = inProject(join(bin, 'supabase'), ['test', 'db', '--help'], bin)
    expect([help.status, help.stderr]).toEqual([1, expect.stringContaining('which is not installed')])

    // Another package's command that links to undock.
    await writeFile(join(bin, 'supabase'), `#!/bin/sh\nexec '${process.execPath}' '${UNDOCK}' supabase "$@"\n`, {
      mode: 0o755,
    })
    const again = inProject(join(bin, 'supabase'), ['test', 'db', '--help'], bin)
    expect([again.status, again.stderr]).toEqual([1, expect.stringContaining('calls undock again')])

    // The CLI is found by its package.
    await mkdir(join(folder, 'node_modules', 'supabase'))
    await writeFile(join(folder, 'node_modules/supabase/package.json'), '{ "bin": { "supabase": "cli.js" } }')
    await writeFile(join(folder, 'node_modules/supabase/cli.js'), 'console.log("the CLI", ...process.argv.slice(2))')
    expect(inProject(join(bin, 'supabase'), ['projects', 'list'], bin).stdout).toBe('the CLI projects list\n')
  },
)
