import { ServiceError } from '../kernel/service-error.ts'

/** What a client asks for in the query of its address: `/mcp?read_only=true&features=database,undock`. */
export type AgentSettings = {
  readonly isReadOnly: boolean
  /** Groups of the official server. */
  readonly features: readonly string[]
  /** The group `undock`. */
  readonly hasOwnTools: boolean
}

const OFFICIAL = ['database', 'debugging', 'development', 'functions', 'storage']
export const FEATURES: readonly string[] = [...OFFICIAL, 'undock']
/** Groups that only hosted projects have: settings that name them are valid, and get no tools of them. */
const ELSEWHERE = ['account', 'branching', 'docs']

/** @throws {ServiceError} 400 */
export function readSettings(query: URLSearchParams): AgentSettings {
  const readOnly = query.get('read_only') ?? 'false'
  if (!['true', 'false'].includes(readOnly))
    throw new ServiceError('invalid_setting', 400, `read_only must be true or false, not "${readOnly}"`)
  const asked = query.get('features')?.split(',').filter(Boolean) ?? FEATURES
  const unknown = asked.find((name) => !FEATURES.includes(name) && !ELSEWHERE.includes(name))
  if (unknown !== undefined)
    throw new ServiceError(
      'invalid_setting',
      400,
      `There is no feature "${unknown}". Choose from: ${FEATURES.join(', ')}`,
    )
  return {
    isReadOnly: readOnly === 'true',
    features: OFFICIAL.filter((name) => asked.includes(name)),
    hasOwnTools: asked.includes('undock'),
  }
}
