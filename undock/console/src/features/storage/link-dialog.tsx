import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Field, Input, Select } from '../../components/field.tsx'
import { Failure } from '../../components/states.tsx'
import { projectQuery } from '../project.ts'
import { nameOf } from './keys.ts'
import { signedPath, type View } from './storage.ts'

const HOUR = 3_600
const LIFETIMES: readonly { readonly seconds: number; readonly name: string }[] = [
  { seconds: 60, name: 'a minute' },
  { seconds: HOUR, name: 'an hour' },
  { seconds: 24 * HOUR, name: 'a day' },
  { seconds: 7 * 24 * HOUR, name: 'a week' },
  { seconds: 365 * 24 * HOUR, name: 'a year' },
]

type LinkDialogProps = { view: View; fileKey: string; onClose: () => void }

/** Makes an address that reads a file for a while. */
export function LinkDialog({ view, fileKey, onClose }: LinkDialogProps) {
  const { data: project } = useQuery(projectQuery)
  const [seconds, setSeconds] = useState(HOUR)
  const sign = useMutation({ mutationFn: () => signedPath(view, fileKey, seconds) })
  const url = sign.data === undefined ? null : `${project?.urls.api ?? ''}${sign.data}`
  return (
    <Dialog
      title={`Signed link to ${nameOf(fileKey)}`}
      onClose={onClose}
      onSubmit={() => sign.mutate()}
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button type="submit" look="primary" disabled={sign.isPending}>
            Create the link
          </Button>
        </>
      }
    >
      <Field label="Valid for" hint="Whoever has the link can read the file for so long, whatever policies say.">
        {(id) => (
          <Select id={id} value={seconds} onChange={({ target }) => setSeconds(Number(target.value))}>
            {LIFETIMES.map((one) => (
              <option key={one.seconds} value={one.seconds}>
                {one.name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {url ? (
        <div className="flex items-center gap-1">
          <Input readOnly aria-label="Signed link" value={url} className="font-mono text-xs!" />
          <CopyButton text={url} label="Copy the link" />
        </div>
      ) : null}
      {sign.error ? <Failure error={sign.error} /> : null}
    </Dialog>
  )
}
