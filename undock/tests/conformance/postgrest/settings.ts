import type { Db } from '../../../src/database/db.ts'
import { Constructed, type Tuple, UntranslatableError, type Value } from '../haskell/evaluate.ts'
import type { HttpClient } from './client.ts'
import { headerOf } from './matchers.ts'
import { toText } from './text.ts'

/** A header repeated in every response once the settings apply. */
const TRACE_HEADER = 'server_trace_header'

/** Applies a spec's PostgREST settings like a project does: on the role `authenticator`. */
export class DatabaseSettings {
  readonly #db: Db
  readonly #client: HttpClient
  #current: Readonly<Record<string, string>> = {}
  #rounds = 0

  constructor(db: Db, client: HttpClient) {
    this.#db = db
    this.#client = client
  }

  /** @throws {UntranslatableError} for a setting of an unknown form */
  async apply({ fields }: Constructed): Promise<void> {
    const wanted = settingsOf(fields)
    const isSame = Object.keys({ ...wanted, ...this.#current }).every((name) => wanted[name] === this.#current[name])
    if (isSame && this.#rounds > 0) return
    this.#rounds += 1
    const marker = wanted[`pgrst.${TRACE_HEADER}`] ?? `x-conformance-${this.#rounds}`
    const made = { ...wanted, [`pgrst.${TRACE_HEADER}`]: marker }
    const statements = [
      'alter role authenticator reset all',
      ...Object.entries(made).map(
        ([name, value]) => `alter role authenticator set ${name} = '${value.replaceAll("'", "''")}'`,
      ),
      `notify pgrst, 'reload config'`,
      `notify pgrst, 'reload schema'`,
    ]
    await this.#db.exec(statements.join(';\n'))
    await this.#untilRepeated(marker)
    this.#current = wanted
  }

  async #untilRepeated(header: string): Promise<void> {
    for (let tries = 0; tries < 500; tries += 1) {
      const request = { method: 'OPTIONS', path: '/', headers: [[header, 'seen']] as const, body: Buffer.alloc(0) }
      const { headers } = await this.#client.send(request)
      if (headerOf(headers, header) === 'seen') return
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    throw new Error('The settings of the specs did not take effect within ten seconds')
  }
}

/** The database setting of each configuration field; fields without an entry concern the server process. */
const NAMES: Readonly<Record<string, string>> = {
  configClientErrorVerbosity: 'client_error_verbosity',
  configDbAggregates: 'db_aggregates_enabled',
  configDbAnonRole: 'db_anon_role',
  configDbExtraSearchPath: 'db_extra_search_path',
  configDbHoistedTxSettings: 'db_hoisted_tx_settings',
  configDbMaxRows: 'db_max_rows',
  configDbPlanEnabled: 'db_plan_enabled',
  configDbPreConfig: 'db_pre_config',
  configDbPreparedStatements: 'db_prepared_statements',
  configDbPreRequest: 'db_pre_request',
  configDbRootSpec: 'db_root_spec',
  configDbSchemas: 'db_schemas',
  configJwtAudience: 'jwt_aud',
  configJwtSecret: 'jwt_secret',
  configOpenApiMode: 'openapi_mode',
  configOpenApiSecurityActive: 'openapi_security_active',
  configOpenApiServerProxyUri: 'openapi_server_proxy_uri',
  configServerCorsAllowedOrigins: 'server_cors_allowed_origins',
  configServerTimingEnabled: 'server_timing_enabled',
  configServerTraceHeader: TRACE_HEADER,
  configUrlUseLegacyTargetNames: 'url_use_legacy_target_names',
}

const WORDS: Readonly<Record<string, string>> = {
  OAFollowPriv: 'follow-privileges',
  OAIgnorePriv: 'ignore-privileges',
  OADisabled: 'disabled',
  Minimal: 'minimal',
  Verbose: 'verbose',
}

/** `Nothing` becomes an empty value if that has a meaning, else it is omitted. */
const EMPTY_MEANS_NONE = new Set(['db_anon_role', 'db_extra_search_path', 'jwt_secret'])

function settingsOf(fields: Readonly<Record<string, Value>>): Record<string, string> {
  const settings: Record<string, string> = { 'pgrst.db_tx_end': transactionEnd(fields) }
  for (const [field, name] of Object.entries(NAMES)) {
    const value = settingText(fields[field])
    if (value !== null || EMPTY_MEANS_NONE.has(name)) settings[`pgrst.${name}`] = value ?? ''
  }
  // The specs load the extension into their server; projects turn it on with a setting.
  if (settings['pgrst.db_pre_request'] === 'test.load_safeupdate') {
    delete settings['pgrst.db_pre_request']
    settings['safeupdate.enabled'] = 'on'
  }
  for (const { items } of fields.configAppSettings as readonly Tuple[]) settings[toText(items[0])] = toText(items[1])
  return settings
}

const transactionEnd = ({ configDbTxAllowOverride, configDbTxRollbackAll }: Readonly<Record<string, Value>>): string =>
  `${configDbTxRollbackAll ? 'rollback' : 'commit'}${configDbTxAllowOverride ? '-allow-override' : ''}`

function settingText(value: Value): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(toText).join(', ')
  if (typeof value === 'boolean' || typeof value === 'number') return String(value)
  if (!(value instanceof Constructed)) return toText(value)
  const { name, items } = value
  if (name === 'Nothing') return null
  if (name === 'Just') return settingText(items[0])
  if (name === 'QualifiedIdentifier') return items.map(toText).filter(Boolean).join('.')
  const word = WORDS[name]
  if (word === undefined) throw new UntranslatableError(`the setting ${name}`)
  return word
}
