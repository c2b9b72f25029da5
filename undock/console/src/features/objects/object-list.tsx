import clsx from 'clsx'
import { ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { LineList } from '../../components/line-list.tsx'
import type { DatabaseObject, Section } from './sections.ts'

/** Actions on an object; each shows its SQL first. */
export type ObjectAction = {
  readonly kind: 'change' | 'drop' | 'create'
  readonly object: DatabaseObject
  readonly sql: string
}

type ObjectListProps = {
  section: Section
  objects: readonly DatabaseObject[]
  /** The id of the object whose details are shown. */
  open: string | undefined
  onOpen: (id: string | undefined) => void
  onAction: (action: ObjectAction) => void
  /** Details of the open object. */
  more: (object: DatabaseObject) => ReactNode
}

/** Objects as lines that expand to show the definition and actions. */
export function ObjectList({ section, objects, open, onOpen, onAction, more }: ObjectListProps) {
  const columns = { gridTemplateColumns: `minmax(10rem, 1.4fr) repeat(${section.columns.length}, minmax(0, 1fr)) ` }
  return (
    <div className="flex h-full flex-col">
      <div aria-hidden className="grid gap-3 border-b py-1.5 pr-3 pl-9 text-ink-faint text-xs" style={columns}>
        <span>Name</span>
        {section.columns.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      <LineList label={section.name} items={objects} keyOf={({ id }) => id}>
        {(one) => {
          const isOpen = one.id === open
          return (
            <>
              <button
                type="button"
                aria-expanded={isOpen}
                onClick={() => onOpen(isOpen ? undefined : one.id)}
                className="flex min-h-9 w-full items-center gap-2 px-3 text-left text-[13px] hover:bg-panel focus-visible:outline-offset-[-2px]"
              >
                <ChevronRight aria-hidden className={clsx('size-4 shrink-0 text-ink-faint', isOpen && 'rotate-90')} />
                <span className="grid min-w-0 flex-1 items-center gap-3" style={columns}>
                  <span className="truncate font-medium" title={one.comment ?? one.name}>
                    {section.hasSchemas && one.schema !== 'public' ? (
                      <span className="font-normal text-ink-faint">{one.schema}.</span>
                    ) : null}
                    {one.name}
                  </span>
                  {section.columns.map((name) => (
                    <span key={name} className="truncate text-ink-soft text-xs" title={one.facts[name] ?? undefined}>
                      {one.facts[name] || '–'}
                    </span>
                  ))}
                </span>
              </button>
              {isOpen ? (
                <div className="grid gap-3 border-t bg-panel px-4 py-3 pl-9 text-[13px]">
                  {one.comment ? <p className="text-ink-soft">{one.comment}</p> : null}
                  {one.definition ? (
                    <pre className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border bg-raised p-3 font-mono text-xs">
                      {one.definition}
                    </pre>
                  ) : null}
                  {more(one)}
                  <Actions object={one} noun={section.noun} onAction={onAction} />
                </div>
              ) : null}
            </>
          )
        }}
      </LineList>
    </div>
  )
}

function Actions({
  object,
  noun,
  onAction,
}: {
  object: DatabaseObject
  noun: string
  onAction: (action: ObjectAction) => void
}) {
  const { change, drop, create } = object
  if (!change && !drop && !create) return null
  const isExtension = noun === 'extension'
  return (
    <div className="flex gap-2">
      {create ? (
        <Button onClick={() => onAction({ kind: 'create', object, sql: create })}>Enable {object.name}</Button>
      ) : null}
      {change ? <Button onClick={() => onAction({ kind: 'change', object, sql: change })}>Change</Button> : null}
      {drop ? (
        <Button look="danger" onClick={() => onAction({ kind: 'drop', object, sql: drop })}>
          {isExtension ? `Disable ${object.name}` : `Delete the ${noun}`}
        </Button>
      ) : null}
    </div>
  )
}
