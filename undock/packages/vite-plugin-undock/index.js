// What the options do is in index.d.ts. All of it goes through undock's command, which is the same in every version of Vite and Node.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join, resolve, sep } from 'node:path'
import { promisify } from 'node:util'

/** Milliseconds between a change of a migration and its being read: editors write a file in parts. */
const CALM = 200
/** Names of the page's variables, for the frameworks on Vite that do not say theirs in `envPrefix`: SvelteKit and Astro, Nuxt. */
const FURTHER_PREFIXES = ['PUBLIC_', 'NUXT_PUBLIC_']

/** @typedef {{ folder: string, run(...words: string[]): Promise<string>, stop(): Promise<void> }} Backend */

const SHARED = Symbol.for('vite-plugin-undock')
/** What outlives a server: Vite makes a new one before it closes that which it takes the place of, as when its configuration changes,
 *  and may load this module once more for it. `inUse` has the backends, and by how many servers each is used; `own` the variables that
 *  were set here, not by whoever started Vite.
 *  @type {{ inUse: Map<string, { backend: Promise<Backend>, servers: number }>, own: Set<string> }} */
const { inUse, own } = globalThis[SHARED] ?? { inUse: new Map(), own: new Set() }
globalThis[SHARED] = { inUse, own }

/** @param {import('./index.d.ts').UndockOptions} [options]
 *  @returns {import('vite').Plugin} */
export default function undock({ workdir, name, types } = {}) {
  let root = process.cwd()
  /** @type {Awaited<ReturnType<typeof use>> | null} */
  let used = null

  return {
    name: 'undock',
    // Runs before the frameworks' hooks, which read the environment.
    enforce: 'pre',
    apply: (_, { command, isPreview }) => command === 'serve' && !isPreview && !process.env.VITEST,

    config: {
      // SvelteKit reads the environment in a hook of this order.
      order: 'pre',
      async handler(config) {
        root = resolve(config.root ?? '.')
        used ??= await use(workdir === undefined ? nearestProject(root) : resolve(root, workdir), name)
        const status = JSON.parse(await used.backend.run('status', '-o', 'json'))
        const forPages = {
          SUPABASE_URL: status.API_URL,
          SUPABASE_PUBLISHABLE_KEY: status.PUBLISHABLE_KEY,
          SUPABASE_ANON_KEY: status.ANON_KEY,
        }
        const prefixes = [config.envPrefix ?? 'VITE_', FURTHER_PREFIXES].flat()
        for (const [variable, value] of Object.entries(forPages))
          for (const prefix of ['', ...prefixes]) setVariable(prefix + variable, value)
        setVariable('SUPABASE_SECRET_KEY', status.SECRET_KEY)
        setVariable('SUPABASE_SERVICE_ROLE_KEY', status.SERVICE_ROLE_KEY)
      },
    },

    async configureServer(server) {
      if (!used) return
      const { folder, run } = used.backend
      const { release } = used
      const writeTypes = async () => {
        if (types === undefined) return
        const file = resolve(root, types)
        await mkdir(dirname(file), { recursive: true })
        // A file that differs in its layout alone, as a formatter leaves it, stays.
        await run('types', '--file', file)
      }
      const show = (/** @type {unknown} */ error) => {
        const message = error instanceof Error ? error.message : String(error)
        server.config.logger.error(`undock: ${message}`, { timestamp: true })
        server.ws.send({ type: 'error', err: { message, stack: '', plugin: 'undock' } })
      }

      const migrations = join(folder, 'supabase', 'migrations')
      let calm = setTimeout(() => {}, 0)
      const later = (/** @type {string} */ path) => {
        if (!path.startsWith(migrations + sep) || !path.endsWith('.sql')) return
        clearTimeout(calm)
        calm = setTimeout(() => {
          run('migration', 'up')
            .then(async (said) => {
              await writeTypes()
              server.config.logger.info(`undock: ${said.trim()}`, { timestamp: true })
              server.ws.send({ type: 'full-reload' })
            })
            .catch(show)
        }, CALM)
      }
      server.watcher.add(migrations)
      for (const event of /** @type {const} */ (['add', 'change', 'unlink'])) server.watcher.on(event, later)
      server.httpServer?.once('close', () => {
        clearTimeout(calm)
        release().catch(show)
      })
      await writeTypes().catch(show)
    },
  }
}

/** @param {string} name
 *  @param {string} value */
function setVariable(name, value) {
  if (process.env[name] !== undefined && !own.has(name)) return
  own.add(name)
  process.env[name] = value
}

/** The backend of a project for one server.
 *  @param {string} folder
 *  @param {string | undefined} name */
async function use(folder, name) {
  const key = `${folder}\n${name ?? ''}`
  const entry = inUse.get(key) ?? { backend: joinOrStart(folder, name), servers: 0 }
  inUse.set(key, entry)
  entry.servers += 1
  const release = async () => {
    entry.servers -= 1
    if (entry.servers > 0) return
    inUse.delete(key)
    await (await entry.backend).stop()
  }
  try {
    return { backend: await entry.backend, release }
  } catch (error) {
    inUse.delete(key)
    throw error
  }
}

/** @param {string} folder
 *  @param {string | undefined} name
 *  @returns {Promise<Backend>} */
async function joinOrStart(folder, name) {
  const command = commandOf(folder)
  const which = ['--workdir', folder, ...(name === undefined ? [] : ['--name', name])]
  const run = async (/** @type {string[]} */ ...words) => {
    const { stdout } = await promisify(execFile)(process.execPath, [command, ...words, ...which], {
      maxBuffer: 2 ** 26,
    }).catch((error) => {
      throw new Error(String(error.stderr || error.message).trim())
    })
    return stdout
  }
  if (await run('status', '-o', 'json').catch(() => null)) {
    console.log('undock: joined the backend that runs')
    return { folder, run, stop: async () => {} }
  }
  const child = spawn(process.execPath, [command, 'start', ...which], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let said = ''
  for (const output of [child.stdout, child.stderr]) output?.setEncoding('utf8').on('data', (text) => (said += text))
  const exit = once(child, 'exit')
  const ready = new Promise((done) => child.on('message', (message) => Object(message).status && done(true)))
  if ((await Promise.race([ready, exit])) !== true)
    throw new Error(`undock could not start the backend.\n${said.trim()}`)
  console.log('undock: started the backend, which ends with this server')
  // Later output isn't shown here: `undock logs` has it.
  said = ''
  const stop = async () => {
    child.kill('SIGTERM')
    await exit
  }
  // Vite ends the process without closing its server when the terminal sends a signal.
  process.once('exit', () => child.kill('SIGTERM'))
  return { folder, run, stop }
}

/** @param {string} folder */
function commandOf(folder) {
  for (const from of [folder, import.meta.dirname ?? '.']) {
    try {
      return join(dirname(createRequire(join(from, 'package.json')).resolve('undock/package.json')), 'bin', 'undock.js')
    } catch {}
  }
  throw new Error('The package "undock" is not installed. `npm install --save-dev undock` does it.')
}

/** @param {string} root */
function nearestProject(root) {
  for (let folder = root; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'supabase'))) return folder
    if (folder === dirname(folder))
      throw new Error(
        `There is no folder "supabase" in ${root} or above. \`npx undock init --starter todo\` begins one.`,
      )
  }
}
