import { queryOptions } from '@tanstack/react-query'
import type {
  SettingsChange,
  SettingValue,
  ShownSetting,
  ShownSettings,
  WrittenSettings,
} from '../../../../src/console/settings.ts'
import { api } from '../../lib/api.ts'

export type { SettingsChange, SettingValue, ShownSetting, ShownSettings }

/** Unsaved changes. @property values By the key's path with dots; null resets to the default.
 *  @property secrets Values of variables named in the file. */
export type Draft = {
  readonly values: Readonly<Record<string, SettingValue | null>>
  readonly secrets: Readonly<Record<string, string>>
}

/** Where values of secrets are written. */
export const SECRET_FILE = 'supabase/.env.local'

export const NO_DRAFT: Draft = { values: {}, secrets: {} }

export const sizeOf = ({ values, secrets }: Draft): number => Object.keys(values).length + Object.keys(secrets).length

export const keyOf = ({ path }: Pick<ShownSetting, 'path'>): string => path.join('.')

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api<ShownSettings>('/settings', { signal }),
})

const bodyOf = (version: string, { values, secrets }: Draft) => ({
  version,
  values: Object.entries(values).map(([key, value]) => ({ path: key.split('.'), value })),
  secrets,
})

/** What writing a draft would do. */
export const changesQuery = (version: string, draft: Draft) =>
  queryOptions({
    queryKey: ['settings changes', version, draft],
    gcTime: 0,
    retry: false,
    queryFn: ({ signal }) =>
      api<SettingsChange>('/settings/changes', { method: 'POST', body: bodyOf(version, draft), signal }),
  })

export const writeSettings = (version: string, draft: Draft): Promise<WrittenSettings> =>
  api('/settings', { method: 'PUT', body: bodyOf(version, draft) })

/** Adds a change to the draft, or removes it if the file has the same value. */
export function changed(draft: Draft, setting: ShownSetting, value: SettingValue | null): Draft {
  const { [keyOf(setting)]: _before, ...others } = draft.values
  const saved = value === null ? setting.value : (setting.value ?? setting.fallback)
  const values = JSON.stringify(saved) === JSON.stringify(value) ? others : { ...others, [keyOf(setting)]: value }
  return { ...draft, values }
}

/** Sets a variable's value in the draft; an empty one removes it. */
export function withSecret(draft: Draft, name: string, value: string): Draft {
  const { [name]: _before, ...others } = draft.secrets
  return { ...draft, secrets: value === '' ? others : { ...others, [name]: value } }
}
