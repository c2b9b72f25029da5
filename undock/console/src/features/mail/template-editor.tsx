import { useMutation, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Checkbox, Form, Input, TextArea } from '../../components/field.tsx'
import { FileDifference } from '../../components/file-difference.tsx'
import { FormDialog } from '../../components/form-dialog.tsx'
import { Failure, Pending } from '../../components/states.tsx'
import { tellDone, tellFailure } from '../../components/toast.tsx'
import { refresh } from '../../lib/api.ts'
import {
  changesQuery,
  type Draft,
  draftOf,
  isSame,
  previewQuery,
  previewUrl,
  type ShownTemplate,
  sendSample,
  TEMPLATE_NAMES,
  templatesQuery,
  writeTemplate,
} from './templates.ts'

type TemplateEditorProps = {
  template: ShownTemplate
  draft: Draft
  /** Called with null when there's nothing left to save. */
  onChange: (draft: Draft | null) => void
}

/** A template's texts next to a preview. */
export function TemplateEditor({ template, draft, onChange }: TemplateEditorProps) {
  const { kind, section, path, fields } = template
  const [isSaving, setIsSaving] = useState(false)
  const saved = draftOf(template)
  const isChanged = !isSame(draft, saved)
  const set = (changes: Partial<Draft>) => {
    const next = { ...draft, ...changes }
    onChange(isSame(next, saved) ? null : next)
  }
  return (
    <div className="grid h-full min-h-0 grid-rows-[auto_1fr] lg:grid-cols-2 lg:grid-rows-1">
      <Form
        aria-label="Template"
        className="flex min-h-0 flex-col gap-3 overflow-auto border-r p-4"
        onSubmit={() => {
          if (isChanged) setIsSaving(true)
        }}
      >
        <p className="text-ink-soft text-[13px]">
          {path === null ? (
            'This is the default text. Saving it creates a file in the project, which config.toml names.'
          ) : (
            <>
              From <code className="font-mono text-xs">{path}</code>, which config.toml names.
            </>
          )}
        </p>
        {section === 'notification' ? (
          <Checkbox
            label="Send this notification"
            checked={draft.isEnabled}
            onChecked={(isChecked) => set({ isEnabled: isChecked })}
          />
        ) : null}
        <Input label="Subject" required value={draft.subject} onValue={(subject) => set({ subject })} />
        <div className="grid min-h-64 flex-1 grid-rows-[auto_1fr] gap-1">
          <label htmlFor="template-content" className="font-medium text-[13px] text-ink-soft">
            HTML
          </label>
          <TextArea
            id="template-content"
            required
            className="resize-none font-mono text-xs"
            value={draft.content}
            onValue={(content) => set({ content })}
          />
        </div>
        <FieldList fields={fields} />
        <div className="flex justify-end gap-2">
          <Button disabled={!isChanged} onClick={() => onChange(null)}>
            Discard
          </Button>
          <Button type="submit" look="primary" disabled={!isChanged}>
            Save …
          </Button>
        </div>
      </Form>
      <Preview key={kind} kind={kind} draft={draft} isChanged={isChanged} />
      {isSaving ? (
        <WriteTemplate
          kind={kind}
          draft={draft}
          onWritten={() => {
            setIsSaving(false)
            onChange(null)
          }}
          onClose={() => setIsSaving(false)}
        />
      ) : null}
    </div>
  )
}

/** The variables of a text, with the preview's values. */
function FieldList({ fields }: { fields: ShownTemplate['fields'] }) {
  return (
    <details className="text-[13px]">
      <summary className="cursor-pointer text-ink-soft">Fields of this email</summary>
      <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-3 gap-y-0.5">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name} className="contents">
            <dt>
              <code className="font-mono text-xs">{`{{ .${name} }}`}</code>
            </dt>
            <dd className="truncate text-ink-soft" title={String(value)}>
              {typeof value === 'object' ? JSON.stringify(value) : String(value)}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

/** Milliseconds after the last change before the preview updates. */
const DELAY = 250

function useLate<T>(value: T): T {
  const [late, setLate] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setLate(value), DELAY)
    return () => clearTimeout(timer)
  }, [value])
  return late
}

function Preview({ kind, draft, isChanged }: { kind: string; draft: Draft; isChanged: boolean }) {
  const late = useLate(draft)
  const { data, error } = useQuery({ ...previewQuery(kind, late), placeholderData: (before) => before })
  return (
    <section aria-label="Preview" className="flex min-h-80 min-w-0 flex-col">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b px-4 py-2">
        <p className="min-w-0 truncate text-[13px]">
          <span className="text-ink-faint">Subject: </span>
          <span className="font-medium">{data?.subject}</span>
        </p>
        <Sample kind={kind} isChanged={isChanged} />
      </header>
      <Failure error={error} />
      {data ? (
        <iframe
          // Changing the frame's address would add to the browser's history.
          key={data.page}
          sandbox=""
          src={previewUrl(data.page)}
          title="The email with sample values"
          className="min-h-0 w-full flex-1 bg-white"
        />
      ) : null}
    </section>
  )
}

function Sample({ kind, isChanged }: { kind: string; isChanged: boolean }) {
  const [to, setTo] = useState('you@example.com')
  const sending = useMutation({
    mutationFn: () => sendSample(kind, to),
    onSuccess: () => tellDone(`A sample is sent to ${to}.`),
    onError: tellFailure,
  })
  return (
    <Form className="flex items-center gap-2" onSubmit={() => sending.mutate()}>
      <Input type="email" required aria-label="Send a sample to" value={to} className="w-44!" onValue={setTo} />
      <Button
        type="submit"
        disabled={isChanged || sending.isPending}
        title={isChanged ? 'Save first: samples use the saved template.' : 'Its links do not sign anyone in.'}
      >
        Send me one
      </Button>
    </Form>
  )
}

type WriteTemplateProps = { kind: string; draft: Draft; onWritten: () => void; onClose: () => void }

/** Shows what saving a template would write, then writes it. */
function WriteTemplate({ kind, draft, onWritten, onClose }: WriteTemplateProps) {
  const changes = useQuery(changesQuery(kind, draft))
  const write = useMutation({
    mutationFn: () => writeTemplate(kind, draft),
    onSuccess: async (written) => {
      await refresh(templatesQuery.queryKey)
      tellDone(`Written: ${written.map(({ path }) => path).join(' and ')}. The next email uses it.`)
      onWritten()
    },
  })
  return (
    <FormDialog
      title={`Save the template “${TEMPLATE_NAMES[kind] ?? kind}”`}
      action="Write"
      wide
      isReady={changes.data !== undefined}
      mutation={write}
      onClose={onClose}
    >
      {changes.data ? (
        changes.data.map((change) => <FileDifference key={change.path} change={change} />)
      ) : (
        <Pending error={changes.error} />
      )}
    </FormDialog>
  )
}
