import type { Config } from '../../config/config.ts'
import { valueAt } from '../../config/values.ts'
import { type Field, fromHosted, isSecret } from '../hosted/fields.ts'
import { ANSWERS, type HostedProject } from './management-api.ts'

type Values = ReadonlyMap<string, string>

/** A local and a hosted setting. @property there Undefined if the platform doesn't return it. */
type Pair = readonly [key: string, here: unknown, there: unknown]
export type Sides = { readonly here: Values; readonly there: Values }

/** Ignores the order of lists. */
const written = (value: unknown): string =>
  Array.isArray(value)
    ? value
        .map((one) => String(one).trim())
        .filter(Boolean)
        .toSorted()
        .join(', ')
    : String(value)

const sides = (pairs: readonly Pair[]): Sides => {
  const told = pairs.filter(([, , there]) => there !== undefined && there !== null)
  return {
    here: new Map(told.map(([key, here]) => [key, written(here)])),
    there: new Map(told.map(([key, , there]) => [key, written(there)])),
  }
}

/** Pairs the settings that config.toml has. Secrets are left out: the platform returns only their hashes. */
function pairsOf(fields: readonly Field[], config: Config, answer: unknown): Pair[] {
  return fields.flatMap((field): Pair[] => {
    const { name, key, form } = field
    if (key === undefined || isSecret(field)) return []
    const there = valueAt(answer, name.split('.'))
    // A provider or a hook that the project lacks is off.
    const here = valueAt(config, key.split('.')) ?? (typeof there === 'boolean' ? false : undefined)
    if (here === undefined) return []
    // The platform counts sessions in hours.
    if (form === 'hours') return [[`${key} (hours)`, Number(here) / 3_600, there]]
    return [[key, here, form === 'seconds' ? there : fromHosted(field, there)]]
  })
}

/** @param path Of the platform's settings. */
export const settingsAt = async (hosted: HostedProject, path: string, fields: readonly Field[], config: Config) =>
  sides(pairsOf(fields, config, await hosted.get(path, ANSWERS.settings)))

export async function databaseSettings({ db }: Config, hosted: HostedProject): Promise<Sides> {
  const { database } = await hosted.get('', ANSWERS.project)
  return sides([['db.major_version', db.major_version, database.postgres_engine]])
}
