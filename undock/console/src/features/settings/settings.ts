import { queryOptions } from '@tanstack/react-query'
import type { SettingsChange, SettingValue, ShownSetting, ShownSettings } from '../../../../src/console/settings.ts'
import { api } from '../../lib/api.ts'

export type { SettingsChange, SettingValue, ShownSetting, ShownSettings }

/** What a person has changed, by the path of the key with dots. */
export type Draft = Readonly<Record<string, SettingValue>>

export const keyOf = ({ path }: Pick<ShownSetting, 'path'>): string => path.join('.')

export const settingsQuery = queryOptions({
  queryKey: ['settings'],
  queryFn: ({ signal }) => api<ShownSettings>('/settings', { signal }),
})

const bodyOf = (version: string, draft: Draft) => ({
  version,
  values: Object.entries(draft).map(([key, value]) => ({ path: key.split('.'), value })),
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

export const writeSettings = (version: string, draft: Draft): Promise<SettingsChange> =>
  api('/settings', { method: 'PUT', body: bodyOf(version, draft) })

/** The draft with one more change, or without it when the file says the same. */
export function changed(draft: Draft, setting: ShownSetting, value: SettingValue): Draft {
  const { [keyOf(setting)]: _before, ...others } = draft
  const saved = setting.value ?? setting.fallback
  return JSON.stringify(saved) === JSON.stringify(value) ? others : { ...others, [keyOf(setting)]: value }
}
