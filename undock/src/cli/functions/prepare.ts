import { join } from 'node:path'
import { readProjectConfig } from '../../config/project.ts'
import { DEFAULT_LIMITS } from '../../functions/function-worker.ts'
import { type FunctionCheck, Runtime } from '../../functions/runtime.ts'
import { createIdentity } from '../../identity/create-identity.ts'
import { type Log, systemClock } from '../../kernel/service.ts'
import { type BackendOptions, findWorkdir } from '../arguments.ts'
import { printEvent } from '../report.ts'

/** `undock functions prepare`: fetches Deno and the functions' dependencies, so that first calls need no network.
 *  @returns 1 if a function couldn't boot. */
export async function prepareFunctions(options: Pick<BackendOptions, 'workdir'>): Promise<number> {
  const checked = await checkFunctions(findWorkdir(options.workdir), ({ name, fault }) =>
    console.error(fault === null ? `  ${name}: ready` : `  ${name}: cannot boot: ${fault}`),
  )
  const failed = checked.filter(({ fault }) => fault !== null)
  console.error(`${checked.length - failed.length} of ${checked.length} functions are ready.`)
  return failed.length === 0 ? 0 : 1
}

/** Fetches the dependencies of a project's functions, without a backend.
 *  @param tell Called for each function once its modules are fetched. */
export async function checkFunctions(
  workdir: string,
  tell: (check: FunctionCheck) => void,
): Promise<readonly FunctionCheck[]> {
  const { config, env } = readProjectConfig(workdir)
  const runtime = new Runtime({
    config,
    folder: join(workdir, 'supabase', 'functions'),
    identity: await createIdentity({ config: config.auth, clock: systemClock }),
    // Functions that create a client while booting need URLs, although nothing runs there.
    apiUrl: config.api.external_url,
    dbUrl: `postgresql://postgres:postgres@127.0.0.1:${config.db.port}/postgres`,
    env,
    machine: process.env,
    limits: DEFAULT_LIMITS,
    log: PROGRESS,
    onFetchingDeno: () => printEvent({ kind: 'fetching-deno' }),
    inspectorPort: null,
  })
  try {
    await runtime.start()
    return await runtime.check(tell, { boots: true })
  } finally {
    await runtime.close()
  }
}

/** Problems are reported with their function. */
const PROGRESS: Log = {
  info: (message) => console.error(`  ${message}`),
  warn: (message) => console.error(`  ${message}`),
  error: () => undefined,
}
