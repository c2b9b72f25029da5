import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config/config.ts'
import { type Env, parseEnvFile } from '../config/env.ts'
import { readOptional } from '../config/files.ts'
import type { Identity } from '../identity/identity.ts'

/** The machine's variables that Deno itself needs; hidden from functions. */
const SYSTEM = [
  'PATH HOME USER USERPROFILE APPDATA LOCALAPPDATA SYSTEMROOT XDG_CACHE_HOME TMPDIR TEMP TMP NO_COLOR',
  'DENO_DIR DENO_CERT DENO_TLS_CA_STORE DENO_NO_UPDATE_CHECK SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS',
  'HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy NPM_CONFIG_REGISTRY npm_config_registry',
  // Alternative server for models, as in Hugging Face's tools.
  'HF_ENDPOINT',
].flatMap((names) => names.split(' '))

export type EnvironmentOptions = {
  readonly folder: string
  readonly variables?: Readonly<Record<string, string>>
  readonly secrets: Config['edge_runtime']['secrets']
  readonly identity: Identity
  readonly apiUrl: string
  readonly dbUrl: string
  /** The machine's environment, without the project's files. */
  readonly machine: Env
}

export type Environment = {
  /** The environment of Deno's processes. It has no variable of the project: some would make the system or Deno run
   *  other code or drop the sandbox (LD_PRELOAD, DENO_PERMISSION_BROKER_PATH). */
  readonly system: Readonly<Record<string, string>>
  /** What functions see as their environment. */
  readonly variables: Readonly<Record<string, string>>
  /** Names in the project's files that are reserved for the platform and therefore ignored, like on hosted projects. */
  readonly skipped: readonly string[]
}

/** Returns the files the environment is read from; changing one restarts the functions. */
export const envFiles = (folder: string): string[] => [join(folder, '.env'), join(folder, '.env.local')]

async function readVariables(folder: string): Promise<NodeJS.Dict<string>> {
  const read = async (file: string) => parseEnvFile(await readFile(file, 'utf8').catch(() => ''), file)
  return Object.assign({}, ...(await Promise.all(envFiles(folder).map(read))))
}

export const ownEnvFile = (folder: string, name: string): string => join(folder, name, '.env')

/** Returns one function's variables, which override those of all functions. Platform names are left out. */
export function ownVariables(folder: string, name: string): Readonly<Record<string, string>> {
  const file = ownEnvFile(folder, name)
  const parsed = parseEnvFile(readOptional(file) ?? '', file)
  return Object.fromEntries(Object.entries(parsed).filter(([variable]) => !variable.startsWith('SUPABASE_')))
}

/** Reads the functions' environment: the stack's addresses and keys under hosted functions' names, then
 *  `[edge_runtime.secrets]`, then `functions/.env` and `.env.local`. */
export async function readEnvironment(options: EnvironmentOptions): Promise<Environment> {
  const { secrets, identity, apiUrl, dbUrl, machine } = options
  const given = options.variables ?? (await readVariables(options.folder))
  const own: Record<string, string> = {}
  const skipped: string[] = []
  for (const [name, value] of [...Object.entries(secrets), ...Object.entries(given)]) {
    if (name.startsWith('SUPABASE_')) skipped.push(name)
    else own[name] = value ?? ''
  }
  const { keys } = identity
  return {
    system: {
      DENO_NO_UPDATE_CHECK: '1',
      // Behind a TLS-inspecting proxy, Deno's own list lacks a certificate the machine trusts.
      DENO_TLS_CA_STORE: 'system,mozilla',
      // Keeps functions from using the project's package.json.
      DENO_NO_PACKAGE_JSON: '1',
      NO_COLOR: '1',
      ...Object.fromEntries(SYSTEM.flatMap((name) => (machine[name] === undefined ? [] : [[name, machine[name]]]))),
    },
    variables: {
      ...own,
      SUPABASE_URL: apiUrl,
      SUPABASE_ANON_KEY: keys.anon,
      SUPABASE_SERVICE_ROLE_KEY: keys.serviceRole,
      SUPABASE_DB_URL: dbUrl,
      SUPABASE_PUBLISHABLE_KEYS: JSON.stringify({ default: keys.publishable }),
      SUPABASE_SECRET_KEYS: JSON.stringify({ default: keys.secret }),
      SUPABASE_JWKS: JSON.stringify(identity.jwks()),
      SB_REGION: 'local',
    },
    skipped,
  }
}
