import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { FileDifference } from '../../components/file-difference.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { changesQuery, type Draft, SECRET_FILE, type SettingsChange, settingsQuery, writeSettings } from './settings.ts'

type WriteSettingsProps = { version: string; draft: Draft; onWritten: () => void; onClose: () => void }

/** Shows what writing the settings would change in config.toml, then writes it. */
export function WriteSettings({ version, draft, onWritten, onClose }: WriteSettingsProps) {
  const queryClient = useQueryClient()
  const changes = useQuery(changesQuery(version, draft))
  const write = useMutation({
    mutationFn: () => writeSettings(version, draft),
    onSuccess: async ({ restart, overridden }) => {
      await queryClient.invalidateQueries({ queryKey: settingsQuery.queryKey })
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
  const error = write.error ?? changes.error
  return (
    <Dialog
      title="Write the settings"
      wide
      onClose={onClose}
      onSubmit={() => write.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" data-first disabled={write.isPending || !changes.data}>
            Write
          </Button>
        </>
      }
    >
      {changes.data ? (
        <Effect
          {...changes.data}
          secrets={Object.keys(draft.secrets)}
          hasLive={Object.keys(draft.values).length > changes.data.restart.length}
        />
      ) : null}
      {error ? <Failure error={error} /> : changes.data ? null : <Loading />}
    </Dialog>
  )
}

type EffectProps = SettingsChange & { secrets: readonly string[]; hasLive: boolean }

function Effect({ change, restart, unset, secrets, hasLive }: EffectProps) {
  return (
    <>
      {change.before === change.after ? null : <FileDifference change={change} />}
      {secrets.length > 0 ? (
        <p className="text-[13px] text-ink-soft">
          {SECRET_FILE} gets {secrets.join(', ')}. git leaves this file out.
        </p>
      ) : null}
      <p className="text-[13px] text-ink-soft">
        {restart.length === 0
          ? 'The running backend applies this at once.'
          : `From the next start of the backend: ${restart.join(', ')}.${hasLive ? ' The rest is applied at once.' : ''}`}
      </p>
      {unset.length > 0 ? (
        <p className="text-[13px] text-warn">
          No value yet for {unset.join(', ')}: set it here, or in the environment.
        </p>
      ) : null}
    </>
  )
}
