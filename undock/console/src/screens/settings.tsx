import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { SearchX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { Form, Input } from '../components/field.tsx'
import { FileDifference } from '../components/file-difference.tsx'
import { FormDialog } from '../components/form-dialog.tsx'
import { PageLink } from '../components/link.tsx'
import { Page } from '../components/page.tsx'
import { MenuLink, SideMenu, SplitPane } from '../components/split-pane.tsx'
import { Empty, Pending } from '../components/states.tsx'
import { tellDone, tellFailure } from '../components/toast.tsx'
import { SettingField } from '../features/settings/setting-field.tsx'
import {
  changed,
  changesQuery,
  type Draft,
  keyOf,
  NO_DRAFT,
  SECRET_FILE,
  type SettingsChange,
  type ShownSettings,
  settingsQuery,
  sizeOf,
  withSecret,
  writeSettings,
} from '../features/settings/settings.ts'
import { refresh } from '../lib/api.ts'

const route = getRouteApi('/settings')

/** The settings of config.toml, as forms that write it. */
export function SettingsScreen() {
  const { group = 'api' } = route.useSearch()
  const { data, error, refetch } = useQuery(settingsQuery)
  const [draft, setDraft] = useState<Draft>(NO_DRAFT)
  return (
    <Page
      title="Settings"
      subtitle="supabase/config.toml"
      actions={<PageLink to="/mail/templates">Email templates</PageLink>}
    >
      {data ? (
        <SplitPane
          label="Sections"
          className="w-48"
          side={
            <SideMenu label="Sections">
              {data.groups.map(({ id, name }) => (
                <MenuLink
                  key={id}
                  to="/settings"
                  search={{ group: id }}
                  {...(id === group && { 'aria-current': 'page' })}
                  activeOptions={{ includeSearch: true }}
                >
                  {name}
                </MenuLink>
              ))}
            </SideMenu>
          }
        >
          <Group shown={data} group={group} draft={draft} onChange={setDraft} />
        </SplitPane>
      ) : (
        <Pending error={error} onRetry={refetch} />
      )}
    </Page>
  )
}

type GroupProps = { shown: ShownSettings; group: string; draft: Draft; onChange: (draft: Draft) => void }

function Group({ shown, group, draft, onChange }: GroupProps) {
  const [isWriting, setIsWriting] = useState(false)
  const current = shown.groups.find(({ id }) => id === group)
  if (!current) return <Empty icon={SearchX} title={`There are no settings ${group}`} />
  const count = sizeOf(draft)
  const isRefused = shown.refusal !== null
  const added = Object.keys(draft.values).filter(
    (key) =>
      key.startsWith('edge_runtime.secrets.') &&
      !shown.groups.some(({ parts }) => parts.some(({ settings }) => settings.some((one) => keyOf(one) === key))),
  )
  return (
    <div className="flex h-full flex-col">
      {isRefused ? <p className="border-b bg-warn-soft px-4 py-1.5 text-[13px] text-warn">{shown.refusal}</p> : null}
      <div className="min-h-0 flex-1 overflow-auto">
        <Form
          id="settings"
          aria-label={current.name}
          className="grid max-w-2xl gap-6 p-4"
          onSubmit={() => {
            if (count > 0) setIsWriting(true)
          }}
        >
          {current.parts.map(({ name, settings }) => (
            <fieldset key={name} className="grid gap-3">
              <legend className="mb-2 font-semibold text-[13px]">{name}</legend>
              {settings.map((setting) => (
                <SettingField
                  key={keyOf(setting)}
                  setting={setting}
                  draft={draft.values[keyOf(setting)]}
                  disabled={isRefused}
                  onChange={(value) => onChange(changed(draft, setting, value))}
                  secrets={draft.secrets}
                  onSecret={(name, value) => onChange(withSecret(draft, name, value))}
                />
              ))}
            </fieldset>
          ))}
        </Form>
        {group === 'secrets' ? (
          <div className="grid max-w-2xl gap-3 px-4 pb-4">
            {added.length > 0 ? (
              <p className="text-[13px] text-ink-soft">
                To add:{' '}
                <code className="font-mono text-xs">{added.map((key) => key.split('.').at(-1)).join(', ')}</code>
              </p>
            ) : null}
            <NewSecret
              disabled={isRefused}
              onAdd={(name, value) =>
                onChange(
                  withSecret(
                    {
                      ...draft,
                      values: { ...draft.values, [`edge_runtime.secrets.${name}`]: `env(${name})` },
                    },
                    name,
                    value,
                  ),
                )
              }
            />
          </div>
        ) : null}
      </div>
      <footer className="flex items-center justify-end gap-2 border-t px-4 py-2">
        <span role="status" className="text-ink-faint text-xs">
          {count === 0 ? '' : count === 1 ? '1 change' : `${count} changes`}
        </span>
        <Button disabled={count === 0} onClick={() => onChange(NO_DRAFT)}>
          Discard
        </Button>
        <Button type="submit" form="settings" look="primary" disabled={count === 0 || isRefused}>
          Review …
        </Button>
      </footer>
      {isWriting ? (
        <WriteSettings
          version={shown.version}
          draft={draft}
          onWritten={() => {
            setIsWriting(false)
            onChange(NO_DRAFT)
          }}
          onClose={() => setIsWriting(false)}
        />
      ) : null}
    </div>
  )
}

/** Adds a functions secret: its name to config.toml, its value to a file next to it. */
function NewSecret({ onAdd, disabled }: { onAdd: (name: string, value: string) => void; disabled: boolean }) {
  const [name, setName] = useState('')
  const [value, setValue] = useState('')
  return (
    <Form
      aria-label="New secret"
      className="flex items-end gap-2"
      onSubmit={() => {
        onAdd(name, value)
        setName('')
        setValue('')
      }}
    >
      <Input
        label="Name of another secret"
        required
        disabled={disabled}
        pattern="[A-Z_][A-Z0-9_]*"
        title="Uppercase letters, digits and underscores"
        value={name}
        onValue={setName}
      />
      <Input
        label="Its value"
        type="password"
        autoComplete="new-password"
        disabled={disabled}
        value={value}
        onValue={setValue}
      />
      <Button type="submit" disabled={disabled}>
        Add
      </Button>
    </Form>
  )
}

type WriteSettingsProps = { version: string; draft: Draft; onWritten: () => void; onClose: () => void }

/** Shows what writing the settings would change in config.toml, then writes it. */
function WriteSettings({ version, draft, onWritten, onClose }: WriteSettingsProps) {
  const changes = useQuery(changesQuery(version, draft))
  const write = useMutation({
    mutationFn: () => writeSettings(version, draft),
    onSuccess: async ({ restart, overridden }) => {
      await refresh(settingsQuery.queryKey)
      tellDone(
        restart.length === 0
          ? 'Written and applied.'
          : `Written. From the next start of the backend: ${restart.join(', ')}.`,
      )
      if (overridden.length > 0)
        tellFailure(
          `${overridden.join(', ')}: the environment, or a file that is read before ${SECRET_FILE}, has another value.`,
        )
      onWritten()
    },
  })
  return (
    <FormDialog
      title="Write the settings"
      action="Write"
      wide
      isFirst
      isReady={changes.data !== undefined}
      mutation={write}
      onClose={onClose}
    >
      {changes.data ? (
        <Effect
          {...changes.data}
          secrets={Object.keys(draft.secrets)}
          hasLive={Object.keys(draft.values).length > changes.data.restart.length}
        />
      ) : (
        <Pending error={changes.error} />
      )}
    </FormDialog>
  )
}

type EffectProps = SettingsChange & { secrets: readonly string[]; hasLive: boolean }

function Effect({ change, restart, unset, secrets, hasLive }: EffectProps) {
  return (
    <>
      {change.before === change.after ? null : <FileDifference change={change} />}
      {secrets.length > 0 ? (
        <p className="text-[13px] text-ink-soft">
          {SECRET_FILE} gets {secrets.join(', ')}. git ignores this file.
        </p>
      ) : null}
      <p className="text-[13px] text-ink-soft">
        {restart.length === 0
          ? 'The running backend applies this immediately.'
          : `From the next start of the backend: ${restart.join(', ')}.${hasLive ? ' The rest is applied immediately.' : ''}`}
      </p>
      {unset.length > 0 ? (
        <p className="text-[13px] text-warn">
          No value yet for {unset.join(', ')}: set it here, or in the environment.
        </p>
      ) : null}
    </>
  )
}
