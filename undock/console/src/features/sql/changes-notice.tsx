import { X } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { ApplyDialog } from '../migrations/apply-dialog.tsx'

/** Offers a migration of the statements that have changed the schema: without one, no other machine gets the change. */
export function ChangesNotice({ statements, onEnd }: { statements: readonly string[]; onEnd: () => void }) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-2 border-b bg-warn-soft px-3 py-1 text-[13px] text-warn"
    >
      <p className="mr-auto">The schema of this database has changed, and no migration has the change.</p>
      <Button onClick={() => setIsOpen(true)}>Write a migration</Button>
      <IconButton label="Write no migration" onClick={onEnd}>
        <X aria-hidden />
      </IconButton>
      {isOpen ? (
        <ApplyDialog
          title="Write a migration of what has run"
          sql={`${statements.map((one) => `${one};`).join('\n')}\n`}
          name={nameOf(statements)}
          isApplied
          onApplied={() => {
            setIsOpen(false)
            onEnd()
          }}
          onClose={() => setIsOpen(false)}
        />
      ) : null}
    </div>
  )
}

/** The beginning of the first statement, such as `create_table_books`. */
const nameOf = ([first = '']: readonly string[]): string =>
  (/^(?:\s|--.*\n)*([\w\s".]{1,60})\b/.exec(first)?.[1] ?? 'change').replaceAll('"', '').trim()
