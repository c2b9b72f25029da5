import { ServiceError } from '../kernel/service-error.ts'

/** A client's settings in its URL's query: `/mcp?read_only=true&features=database,undock`. */
export type AgentSettings = {
  readonly isReadOnly: boolean
  /** Whether to keep data for `undock undo` before the agent deletes it. */
  readonly hasSnapshots: boolean
  /** Groups of the official server. */
  readonly features: readonly string[]
  /** The group `undock`. */
  readonly hasOwnTools: boolean
}

const OFFICIAL = ['database', 'debugging', 'development', 'functions', 'storage']
export const FEATURES: readonly string[] = [...OFFICIAL, 'undock']
/** Groups that only hosted projects have: valid in settings, but without tools here. */
const ELSEWHERE = ['account', 'branching', 'docs']

/** @throws {ServiceError} 400 */
export function readSettings(query: URLSearchParams): AgentSettings {
  const requested = query.get('features')?.split(',').filter(Boolean) ?? FEATURES
  const unknown = requested.find((name) => !FEATURES.includes(name) && !ELSEWHERE.includes(name))
  if (unknown !== undefined)
    throw new ServiceError(
      'invalid_setting',
      400,
      `There is no feature "${unknown}". Choose from: ${FEATURES.join(', ')}`,
    )
  return {
    isReadOnly: readSwitch(query, 'read_only', false),
    hasSnapshots: readSwitch(query, 'snapshots', true),
    features: OFFICIAL.filter((name) => requested.includes(name)),
    hasOwnTools: requested.includes('undock'),
  }
}

function readSwitch(query: URLSearchParams, name: string, fallback: boolean): boolean {
  const value = query.get(name) ?? String(fallback)
  if (!['true', 'false'].includes(value))
    throw new ServiceError('invalid_setting', 400, `${name} must be true or false, not "${value}"`)
  return value === 'true'
}
