import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { ChangesNotice } from './changes-notice.tsx'
import { Editor, type EditorHandle } from './editor.tsx'
import { NO_NAMES } from './language.ts'
import { LossDialog } from './loss-dialog.tsx'
import { namesQuery } from './names.ts'
import { Outcome } from './outcome.tsx'
import { ScriptBar } from './script-bar.tsx'
import { SnippetName } from './snippet-dialogs.tsx'
import { SnippetNotice } from './snippet-notice.tsx'
import type { Snippet } from './snippets.ts'
import type { Tab } from './tabs.ts'
import { useScriptFile } from './use-script-file.ts'
import { useScriptRun } from './use-script-run.ts'

type ScriptProps = {
  tab: Tab
  onWrite: (text: string) => void
  onChange: (next: (tab: Tab) => Partial<Tab>) => void
  onTake: (snippet: Snippet) => void
  /** The script has another file, or none. */
  onMoved: (name: string | undefined) => void
}

/** A script: its editor, run controls and results. */
export function Script({ tab, onWrite, onChange, onTake, onMoved }: ScriptProps) {
  const { id, text, snippet } = tab
  const editor = useRef<EditorHandle>(null)
  const names = useQuery(namesQuery)
  const file = useScriptFile({ tab, onChange, onMoved })
  const run = useScriptRun(
    id,
    (statements) => onChange(({ changes = [] }) => ({ changes: [...changes, ...statements] })),
    (errors) => editor.current?.mark(errors),
  )
  const start = (explain: boolean) => run.start(editor.current?.chosen(), explain)
  return (
    <div className="flex h-full flex-col">
      {snippet ? (
        <SnippetNotice
          snippet={snippet}
          onTake={onTake}
          onSave={file.overwrite}
          onDetach={() => {
            onChange(() => ({ snippet: undefined }))
            onMoved(undefined)
          }}
        />
      ) : null}
      <div className="h-2/5 min-h-40 shrink-0">
        <Editor
          key={tab.edition}
          ref={editor}
          initial={text}
          names={names.data ?? NO_NAMES}
          onChange={onWrite}
          onRun={() => start(false)}
        />
      </div>
      <ScriptBar id={id} run={run} onRun={() => start(false)} onExplain={() => start(true)} onSave={file.save} />
      {tab.changes && tab.changes.length > 0 ? (
        <ChangesNotice statements={tab.changes} onEnd={() => onChange(() => ({ changes: undefined }))} />
      ) : null}
      <Outcome
        key={run.submittedAt}
        outcome={run.outcome}
        lineOf={run.lineOf}
        error={run.error}
        isRunning={run.isRunning}
        chart={tab.chart}
        onChart={(chart) => onChange(() => ({ chart }))}
      />
      {run.losses ? <LossDialog losses={run.losses} onConfirm={run.confirm} onClose={run.refuse} /> : null}
      {file.isNaming ? (
        <SnippetName
          title="Save the script as a snippet"
          action="Save"
          initial={tab.name}
          run={file.saveAs}
          onClose={file.endNaming}
        />
      ) : null}
    </div>
  )
}
