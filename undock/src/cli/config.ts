import { ConfigError, renderFault } from '../config/fault.ts'
import { readProjectConfig } from '../config/project.ts'
import { versionWarnings } from '../runtime/place/pinned-versions.ts'
import { type BackendOptions, findWorkdir } from './arguments.ts'

export type ConfigValidateOptions = Pick<BackendOptions, 'workdir'> & { readonly output: 'pretty' | 'json' }

/** `undock config validate`: reads the settings of a project as a start does, and prints what is wrong with them.
 *  @returns 1 when a start would refuse them. Warnings are no faults. */
export function configValidate({ output, ...options }: ConfigValidateOptions): number {
  const workdir = findWorkdir(options.workdir)
  const { faults, warnings } = check(workdir)
  if (output === 'json') console.log(JSON.stringify({ faults, warnings }, null, 2))
  else {
    for (const fault of faults) console.log(renderFault(fault))
    for (const warning of warnings) console.log(`warning: ${renderFault(warning)}`)
    if (faults.length === 0) console.error('The settings can be used.')
  }
  return faults.length > 0 ? 1 : 0
}

function check(workdir: string) {
  try {
    const { warnings, config } = readProjectConfig(workdir)
    return { faults: [], warnings: [...warnings, ...versionWarnings(workdir, config.db.major_version)] }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults, warnings: [] }
    throw error
  }
}
